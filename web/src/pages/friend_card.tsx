/** A game with a friend: what is played is chosen, and a link made. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Color } from "../api/enums";
import { randomId, session } from "../api/session";
import { controlText, presetText, sizeText } from "../game/kinds";
import { type Clock, OFFERS, settingsOf } from "../game/settings";
import type { Challenge } from "../gen/nigiri/matchmaking/v1/challenge_service_pb";
import { t } from "../i18n/text";
import { Choice, Icon, Switch } from "../ui/parts";
import { go, Link } from "../ui/router";
import { keepChoice, keptChoice } from "./choices";
import { RulesChoice } from "./rules_choice";

const CLOCKS: readonly Clock[] = ["perMove", "fischer", "byoyomi", "none"];

interface CardProps {
  busy: boolean;
  asPlayer: (then: () => Promise<void> | void) => Promise<void>;
}

export function FriendCard({ busy, asPlayer }: CardProps) {
  const choice = useSignal(keptChoice());
  const name = useSignal("");
  const rated = useSignal(false);
  const hidden = useSignal(false);
  const { friendly, friendlyColor } = choice.value;
  const change = (next: Partial<typeof choice.value>) => {
    choice.value = keepChoice(next);
  };
  const invite = () =>
    asPlayer(async () => {
      const [{ challenges }, { repeat }] = await Promise.all([
        import("../api/challenges"),
        import("../api/clients"),
      ]);
      const request = {
        requestId: randomId(),
        settings: settingsOf({
          ...friendly,
          rated: rated.value && mayRate(),
          watchKey: hidden.value ? randomId() : "",
        }),
        color: friendlyColor,
        opponentName: name.value.trim(),
      };
      const { challenge } = await repeat(
        () => challenges.createChallenge(request),
        (attempt) => attempt < 4,
      );
      if (challenge) go(`/join/${challenge.code}`);
    });
  return (
    <section class="card friend" aria-labelledby="card-friend">
      <h2 id="card-friend">{t("friend.title")}</h2>
      <p>{t("friend.text")}</p>
      <RulesChoice
        kind={friendly}
        offers={OFFERS}
        clocks={() => CLOCKS}
        onChange={(next) => change({ friendly: { ...friendly, ...next } })}
      >
        <Choice
          legend={t("home.color")}
          value={friendlyColor}
          onChange={(value) => change({ friendlyColor: value })}
          options={[
            { value: Color.BLACK, text: t("black") },
            { value: Color.WHITE, text: t("white") },
            { value: Color.UNSPECIFIED, text: t("random") },
          ]}
        />
        <label class="field">
          <span>{t("friend.name")}</span>
          <input
            type="text"
            maxLength={24}
            spellcheck={false}
            placeholder={t("friend.anybody")}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <Switch text={t("friend.private")} on={hidden.value} onChange={(on) => (hidden.value = on)} />
        {mayRate() && (
          <Switch text={t("home.rated")} on={rated.value} onChange={(on) => (rated.value = on)} />
        )}
      </RulesChoice>
      <button type="button" class="main" disabled={busy} onClick={invite}>
        <Icon name="link" /> {t("friend.make")}
      </button>
    </section>
  );
}

function mayRate(): boolean {
  return session.value !== null && !session.value.guest;
}

/** Open challenges: those that wait for an answer of one's own, and those that one has made. */
export function Challenges() {
  const open = useSignal<ReadonlyMap<string, Challenge>>(new Map());
  const id = session.value?.id;
  useEffect(() => {
    open.value = new Map();
    if (!id) return;
    const gone = new AbortController();
    const show = (found: ReadonlyMap<string, Challenge>) => {
      open.value = found;
    };
    import("../api/challenges").then(
      ({ followOpen }) => followOpen(show, gone.signal),
      () => undefined,
    );
    return () => gone.abort();
  }, [id, open]);
  if (open.value.size === 0) return null;
  return (
    <ul class="running-games">
      {[...open.value.values()].map((challenge) => (
        <li key={challenge.code}>
          <span>
            {wordsOf(challenge, id)}
            <small class="quiet"> {playedText(challenge)}</small>
          </span>
          <Link class="button" to={`/join/${challenge.code}`}>
            {t("friend.look")}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function wordsOf({ challenger, opponent }: Challenge, me: string | undefined): string {
  if (challenger?.playerId !== me) return t("friend.invites", { name: challenger?.name ?? "?" });
  return opponent ? t("friend.waitsFor", { name: opponent.name }) : t("friend.waits");
}

function playedText({ settings }: Challenge): string {
  if (!settings) return "";
  return [presetText(settings.preset), sizeText(settings.boardSize), controlText(settings.timeControl)].join(
    " · ",
  );
}
