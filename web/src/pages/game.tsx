/** A game: played, watched, or looked at afterwards. */

import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { Board, forbiddenText } from "../board/Board";
import { presetText, sizeText, timeText } from "../game/kinds";
import { LiveGame } from "../game/live";
import { deadOf, type GameView, illegalOf, mayMove, ownersOf } from "../game/view";
import { atariBy, capturesOf, colorText, givenText, happeningText } from "../game/words";
import { Color, type IllegalReason, type Verdict } from "../gen/nigiri/game/v1/game_pb";
import { BLACK, type Stone } from "../go/board";
import { pointName } from "../go/points";
import { number, t } from "../i18n/text";
import { announce } from "../ui/announce";
import { LinkBar } from "../ui/link_bar";
import { PageTitle, Problem, refusalText } from "../ui/parts";
import { address, go, Link } from "../ui/router";
import { sound } from "../ui/sound";
import { Actions } from "./game/actions";
import { AgreementPanel } from "./game/agreement";
import { Finish } from "./game/finish";
import { Moves } from "./game/moves";
import { PlayerCard } from "./game/player_card";
import { ProposalPanel } from "./game/proposal";
import { Spectators } from "./game/spectators";
import { TypedMove } from "./game/typed_move";

export default function GamePage({ rest }: { rest: string }) {
  return <Game id={rest} watchKey={address.value.query.get("key") ?? ""} />;
}

function Game({ id, watchKey }: { id: string; watchKey: string }) {
  const hint = useSignal("");
  const word = useSignal("");
  const game = useMemo(
    () =>
      new LiveGame(id, watchKey, (happening) => {
        hint.value = "";
        word.value = "";
        const text = happeningText(happening);
        const mine = happening.after.state.turn === game.me.value;
        if (text) announce(mine && !happening.after.result ? `${text}. ${t("say.yourTurn")}` : text);
        for (const { event } of happening.events) {
          if (event.case === "movePlayed") sound(event.value.captured.length > 0 ? "capture" : "stone");
          else if (event.case === "passed") sound("pass");
          else if (event.case === "finished") sound("end");
          else if (event.case === "timeGiven") word.value = givenText(event.value);
        }
      }),
    [id, watchKey, hint, word],
  );
  useEffect(() => {
    game.start();
    return () => game.stop();
  }, [game]);
  const view = game.view.value;
  const next = view?.state.rematchGameId;
  const plays = game.me.value !== undefined;
  useEffect(() => {
    if (next && plays) go(`/game/${next}`);
  }, [next, plays]);
  return (
    <div class="game">
      <LinkBar link={game.link.value} onRetry={() => game.retry()} />
      {view ? <Table game={game} view={view} hint={hint} word={word.value} /> : <Loading game={game} />}
    </div>
  );
}

function Loading({ game }: { game: LiveGame }) {
  const refused = game.link.value.state === "refused";
  return (
    <div class="loading">
      <PageTitle title={t("game.short")}>{t(refused ? "game.notThere" : "game.loading")}</PageTitle>
      {refused && <Link to="/">{t("home.short")}</Link>}
    </div>
  );
}

interface TableProps {
  game: LiveGame;
  view: GameView;
  hint: { value: string };
  /** What an operator has just said. */
  word: string;
}

function Table({ game, view, hint, word }: TableProps) {
  const me = game.me.value;
  const top = me === Color.BLACK ? Color.WHITE : Color.BLACK;
  const bottom = top === Color.BLACK ? Color.WHITE : Color.BLACK;
  /** The move after which the board is shown; null for as it stands. */
  const at = useSignal<number | null>(null);
  const last = view.timeline.moves.length;
  if (at.value !== null && at.value >= last) at.value = null;
  const low = useCallback((left: number) => {
    sound("low");
    announce(t("say.timeLeft", { n: left / 1000 }), left <= 10_000);
  }, []);
  const refused = game.refused.value;
  useTitle(view, me);
  return (
    <div class="table">
      <PageTitle title={titleOf(view)}>
        <span class="unseen">{titleOf(view)}</span>
      </PageTitle>
      <PlayerCard game={game} view={view} color={top} onLow={top === me ? low : undefined} />
      <GameBoard game={game} view={view} at={at.value} hint={hint} />
      <PlayerCard game={game} view={view} color={bottom} onLow={bottom === me ? low : undefined} />
      <aside class="panel" aria-label={t("game.panel")}>
        <p class="facts-line">
          {presetText(view.settings.preset)} · {sizeText(view.settings.boardSize)} ·{" "}
          {t("komiOf", { komi: number(view.settings.komi) })} · {timeText(view.settings)} ·{" "}
          {t(view.settings.rated ? "rated" : "unrated")}
          {!view.result && <Spectators id={game.id} watchKey={game.watchKey} />}
        </p>
        <p class="turn-line">{turnText(view, me)}</p>
        {word && <p class="word">{word}</p>}
        <Problem text={refused ? refusalText(refused) : hint.value} />
        <ProposalPanel game={game} view={view} />
        <AgreementPanel game={game} view={view} />
        {view.result && <Finish game={game} view={view} />}
        <Actions game={game} view={view} />
        <Moves view={view} at={at.value} onChange={(move) => (at.value = move)} />
        <TypedMove game={game} view={view} />
      </aside>
    </div>
  );
}

/** The board as it stands, or as it stood after a move. */
function GameBoard({
  game,
  view,
  at,
  hint,
}: {
  game: LiveGame;
  view: GameView;
  at: number | null;
  hint: { value: string };
}) {
  const { timeline, settings } = view;
  const size = settings.boardSize;
  const me = game.me.value;
  const count = at ?? timeline.moves.length;
  const live = at === null;
  const pending = game.pending.value?.point ?? null;
  const stones = (live ? game.shown.value : timeline.boards[count]) ?? timeline.boards[0] ?? [];
  const verdict = live ? countedBy(game, view) : undefined;
  const my = live && mayMove(view, me) && game.pending.value === null;
  const illegal = useMemo(() => (live ? illegalOf(view) : undefined), [live, view]);
  const owner = useMemo(() => (verdict ? ownersOf(verdict) : undefined), [verdict]);
  const dead = useMemo(() => (verdict ? deadOf(verdict, size) : undefined), [verdict, size]);
  const agreement = view.state.agreement;
  const marks = live && agreement && me !== undefined && view.settings.preset !== "weiqi";
  const play = (point: number) => {
    hint.value = "";
    sound("stone");
    void game.move(point);
  };
  const forbidden = (point: number, reason: IllegalReason) => {
    hint.value = `${pointName(point, size)}: ${forbiddenText(reason)}`;
  };
  const mark = (point: number) => {
    if (agreement && stones[point]) void game.markChain(agreement.version, point, !dead?.has(point));
  };
  return (
    <div class="board-place">
      <Board
        size={size}
        stones={stones}
        label={boardLabel(view)}
        last={live && pending !== null ? pending : (timeline.moves[count - 1]?.point ?? null)}
        pending={live ? pending : null}
        turn={my ? (view.state.turn as Stone) : undefined}
        illegal={illegal}
        onPlay={play}
        onForbidden={forbidden}
        onPick={marks ? mark : noPick}
        owner={owner}
        dead={dead}
      />
    </div>
  );
}

function noPick(): void {
  // The board stays readable by keyboard while it is the opponent's turn.
}

/** The count that is shown on the board: the end's, the one to agree on, or the preview that was asked for. */
function countedBy(game: LiveGame, view: GameView): Verdict | undefined {
  return view.verdict ?? view.state.agreement?.verdict ?? game.preview.value?.verdict;
}

function boardLabel(view: GameView): string {
  const size = view.settings.boardSize;
  const taken = { black: capturesOf(view, Color.BLACK), white: capturesOf(view, Color.WHITE) };
  return `${t("board.label", { size: sizeText(size) })}. ${t("board.captures", taken)}`;
}

function titleOf(view: GameView): string {
  return view.seats.map((seat) => seat.name).join(" – ");
}

/** Whose turn it is, or what is waited for, and a warning when one's stones are in atari. */
function turnText(view: GameView, me: Color | undefined): string {
  if (view.result) return "";
  if (view.state.agreement) return t("game.agreeing");
  const mine = view.state.turn === me;
  const turn = mine ? t("game.yourTurn") : t("game.turnOf", { color: colorText(view.state.turn) });
  const atari = mine ? atariBy(view) : [];
  return atari.length > 0 ? `${turn} ${t("game.atari", { points: atari.join(", ") })}` : turn;
}

/** Says in the tab's title that it is one's turn. */
function useTitle(view: GameView, me: Color | undefined): void {
  const mine = mayMove(view, me);
  useEffect(() => {
    const plain = `${titleOf(view)} · Nigiri`;
    document.title = mine ? `● ${t("game.yourTurn")} ${plain}` : plain;
  }, [mine, view]);
}

/** The stone that a colour places. */
export function stoneOf(color: Color): Stone {
  return color === Color.BLACK ? BLACK : 2;
}
