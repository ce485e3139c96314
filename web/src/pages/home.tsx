/** The first page: a name, and how to play. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { AiLevel, Color } from "../api/enums";
import { randomId, session, sessionLost } from "../api/session";
import { clocksOf, MEETINGS, OFFERS, settingsOf } from "../game/settings";
import type { GameSummary } from "../gen/nigiri/game/v1/game_pb";
import { t } from "../i18n/text";
import { Choice, PageTitle, Problem, Switch } from "../ui/parts";
import { go, Link } from "../ui/router";
import { keepChoice, keptChoice } from "./choices";
import { Challenges, FriendCard } from "./friend_card";
import { NameField, useSignIn } from "./name";
import { RulesChoice } from "./rules_choice";
import { Showcase } from "./showcase";
import { SignInButton } from "./sign_in_button";

export function Home() {
  const { name, problem, busy, asPlayer } = useSignIn();
  return (
    <div class="home">
      <div class="home-main">
        <PageTitle title={t("home.short")}>{t("home.title")}</PageTitle>
        <p class="lead">{t("home.lead")}</p>
        {sessionLost.value && <Problem text={t("home.sessionLost")} />}
        <Running />
        <Challenges />
        <NameField name={name.value} onInput={(text) => (name.value = text)} />
        <Problem text={problem.value} />
        <SignInButton />
        <div class="cards">
          <PeopleCard busy={busy.value} asPlayer={asPlayer} />
          <ProgramCard busy={busy.value} asPlayer={asPlayer} />
          <FriendCard busy={busy.value} asPlayer={asPlayer} />
          <LearnCard />
        </div>
      </div>
      <Showcase />
    </div>
  );
}

interface CardProps {
  busy: boolean;
  asPlayer: (then: () => Promise<void> | void) => Promise<void>;
}

function PeopleCard({ busy, asPlayer }: CardProps) {
  const choice = useSignal(keptChoice());
  const { rated, fillIn, meeting } = choice.value;
  const change = (next: Partial<typeof choice.value>) => {
    choice.value = keepChoice(next);
  };
  const { preset, size, clock } = meeting;
  const search = () =>
    asPlayer(() => {
      const wish = { preset, size, clock, rated: rated ? 1 : 0, ai: fillIn ? 1 : 0 };
      const query = new URLSearchParams(Object.entries(wish).map(([name, value]) => [name, String(value)]));
      go(`/wait?${query}`);
    });
  return (
    <section class="card" aria-labelledby="card-people">
      <h2 id="card-people">{t("home.people")}</h2>
      <p>{t("home.peopleText")}</p>
      <RulesChoice
        kind={meeting}
        offers={MEETINGS}
        clocks={clocksOf}
        handicaps={false}
        onChange={(next) => change({ meeting: { ...meeting, ...next } })}
      />
      <Switch text={t("home.fillIn")} on={fillIn} onChange={(on) => change({ fillIn: on })} />
      <Switch text={t("home.rated")} on={rated} onChange={(on) => change({ rated: on })} />
      <button type="button" class="main" disabled={busy} onClick={search}>
        {t("home.find")}
      </button>
    </section>
  );
}

function ProgramCard({ busy, asPlayer }: CardProps) {
  const choice = useSignal(keptChoice());
  const { level, color, preset, size, handicap } = choice.value;
  const change = (next: Partial<typeof choice.value>) => {
    choice.value = keepChoice(next);
  };
  const start = () =>
    asPlayer(async () => {
      const { matchmaking, repeat } = await import("../api/clients");
      const requestId = randomId();
      const settings = settingsOf({ preset, size, handicap });
      const call = () => matchmaking.startAiGame({ level, color, requestId, settings });
      const { gameId } = await repeat(call, (attempt) => attempt < 5);
      go(`/game/${gameId}`);
    });
  return (
    <section class="card" aria-labelledby="card-program">
      <h2 id="card-program">{t("home.program")}</h2>
      <Choice
        legend={t("home.level")}
        value={level}
        onChange={(value) => change({ level: value })}
        options={[
          { value: AiLevel.EASY, text: t("level.easy") },
          { value: AiLevel.NORMAL, text: t("level.normal") },
          { value: AiLevel.HARD, text: t("level.hard") },
        ]}
      />
      <Choice
        legend={t("home.color")}
        value={color}
        onChange={(value) => change({ color: value })}
        options={[
          { value: Color.BLACK, text: t("black") },
          { value: Color.WHITE, text: t("white") },
          { value: Color.UNSPECIFIED, text: t("random") },
        ]}
      />
      <RulesChoice kind={{ preset, size, handicap, clock: "none" }} offers={OFFERS} onChange={change} />
      <button type="button" class="main" disabled={busy} onClick={start}>
        {t("home.start")}
      </button>
    </section>
  );
}

function LearnCard() {
  return (
    <section class="card" aria-labelledby="card-learn">
      <h2 id="card-learn">{t("menu.learn")}</h2>
      <p>{t("home.learn")}</p>
      <div class="row ways">
        <Link class="button" to="/learn">
          {t("home.puzzles")}
        </Link>
        <Link class="button" to="/rules">
          {t("menu.rules")}
        </Link>
      </div>
    </section>
  );
}

/** Games of one's own that go on: a page that was closed finds its way back. */
function Running() {
  const found = useSignal<GameSummary[]>([]);
  const id = session.value?.id;
  useEffect(() => {
    found.value = [];
    if (!id) return;
    void import("../api/clients")
      .then(({ games }) => games.listLiveGames({ playerId: id, pageSize: 5 }))
      .then(
        (page) => {
          found.value = page.games;
        },
        () => undefined,
      );
  }, [id]);
  if (found.value.length === 0) return null;
  return (
    <ul class="running-games">
      {found.value.map((game) => (
        <li key={game.gameId}>
          <span>{t("home.running", { name: opponentName(game, id) })}</span>
          <Link class="button main" to={`/game/${game.gameId}`}>
            {t("home.goOn")}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function opponentName(game: GameSummary, id: string | undefined): string {
  return game.seats.find((seat) => seat.playerId !== id)?.name ?? "?";
}
