/** The first page: a name, and how to play. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { games, matchmaking, repeat } from "../api/clients";
import { randomId, session, sessionLost } from "../api/session";
import { OFFERS, offerOf, settingsOf } from "../game/settings";
import { presetText, sizeText } from "../game/words";
import { Color, type GameSummary } from "../gen/nigiri/game/v1/game_pb";
import { AiLevel } from "../gen/nigiri/matchmaking/v1/matchmaking_service_pb";
import { number, t } from "../i18n/text";
import { Choice, PageTitle, Problem, Switch } from "../ui/parts";
import { go, Link } from "../ui/router";
import { keepChoice, keptChoice } from "./choices";
import { NameField, useSignIn } from "./name";
import { Showcase } from "./showcase";
import { SignInButton } from "./sign_in";

export function Home() {
  const { name, problem, busy, asPlayer } = useSignIn();
  return (
    <div class="home">
      <div class="home-main">
        <PageTitle title={t("home.short")}>{t("home.title")}</PageTitle>
        <p class="lead">{t("home.lead")}</p>
        {sessionLost.value && <Problem text={t("home.sessionLost")} />}
        <Running />
        <NameField name={name.value} onInput={(text) => (name.value = text)} />
        <Problem text={problem.value} />
        <SignInButton />
        <div class="cards">
          <PeopleCard busy={busy.value} asPlayer={asPlayer} />
          <ProgramCard busy={busy.value} asPlayer={asPlayer} />
        </div>
        <p class="quiet">
          <Link to="/learn">{t("home.learn")}</Link>
        </p>
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
  const { rated, fillIn } = choice.value;
  const change = (next: Partial<typeof choice.value>) => {
    choice.value = keepChoice(next);
  };
  const search = () => asPlayer(() => go(`/wait?rated=${rated ? 1 : 0}&ai=${fillIn ? 1 : 0}`));
  return (
    <section class="card" aria-labelledby="card-people">
      <h2 id="card-people">{t("home.people")}</h2>
      <p>{t("home.peopleText")}</p>
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
      <RulesChoice preset={preset} size={size} handicap={handicap} onChange={change} />
      <button type="button" class="main" disabled={busy} onClick={start}>
        {t("home.start")}
      </button>
    </section>
  );
}

interface RulesChoiceProps {
  preset: string;
  size: number;
  handicap: number;
  onChange: (next: { preset?: string; size?: number; handicap?: number }) => void;
}

/** Preset, board and handicap: the usual ones need no look. */
function RulesChoice({ preset, size, handicap, onChange }: RulesChoiceProps) {
  const offer = offerOf(preset);
  const toPreset = (next: string) => {
    const { sizes, handicap: may } = offerOf(next);
    onChange({
      preset: next,
      size: sizes[0] ?? 9,
      handicap: may ? handicap : 0,
    });
  };
  return (
    <details class="rules-choice">
      <summary>
        {presetText(preset)} · {sizeText(size)}
        {handicap > 0 && ` · ${t("handicapOf", { n: handicap })}`}
      </summary>
      <label class="field">
        <span>{t("home.rules")}</span>
        <select value={preset} onChange={(event) => toPreset(event.currentTarget.value)}>
          {OFFERS.map((each) => (
            <option key={each.preset} value={each.preset}>
              {presetText(each.preset)}
            </option>
          ))}
        </select>
      </label>
      {offer.sizes.length > 1 && (
        <Choice
          legend={t("home.board")}
          value={size}
          onChange={(value) => onChange({ size: value })}
          options={[...offer.sizes].sort((a, b) => a - b).map((value) => ({ value, text: sizeText(value) }))}
        />
      )}
      {offer.handicap && (
        <label class="field">
          <span>{t("home.handicap")}</span>
          <select
            value={handicap}
            onChange={(event) => onChange({ handicap: Number(event.currentTarget.value) })}
          >
            {[0, 2, 3, 4, 5, 6, 7, 8, 9].map((stones) => (
              <option key={stones} value={stones}>
                {number(stones)}
              </option>
            ))}
          </select>
        </label>
      )}
    </details>
  );
}

/** Games of one's own that go on: a page that was closed finds its way back. */
function Running() {
  const found = useSignal<GameSummary[]>([]);
  const id = session.value?.id;
  useEffect(() => {
    found.value = [];
    if (!id) return;
    games.listLiveGames({ playerId: id, pageSize: 5 }).then(
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
