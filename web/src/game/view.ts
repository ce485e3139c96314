/** A game as a page sees it: the last snapshot with what came after it. Nothing here decides anything. */

import { Color, IllegalReason } from "../api/enums";
import { moment, length as span } from "../api/times";
import type {
  GameEvent,
  GameResult,
  GameSettings,
  GameSnapshot,
  GameUpdate,
  PlayerClock,
  Seat,
  TurnState,
  Verdict,
} from "../gen/nigiri/game/v1/game_pb";
import { EMPTY, parseBoard, type Stone, type Stones } from "../go/board";
import { parsePoint } from "../go/points";
import type { Bank, Control } from "./clock";
import { add, current, fromMoves, type Start, type Timeline, takeBack } from "./timeline";

/** A game as it stands. */
export interface GameView {
  id: string;
  /** The last entry that is included. */
  sequence: bigint;
  settings: GameSettings;
  control: Control;
  seats: Seat[];
  timeline: Timeline;
  state: TurnState;
  result?: GameResult;
  verdict?: Verdict;
}

/** What a snapshot shows. */
export function fromSnapshot(snapshot: GameSnapshot): GameView | null {
  const { settings, state } = snapshot;
  if (!settings || !state) return null;
  return {
    id: snapshot.gameId,
    sequence: snapshot.sequence,
    settings,
    control: controlOf(settings),
    seats: snapshot.seats,
    timeline: fromMoves(startOf(settings), snapshot.moves, parseBoard(snapshot.board)),
    state,
    result: snapshot.result,
    verdict: snapshot.verdict,
  };
}

/** The game after an entry; null when entries are missing in between, so that the game has to be read again. */
export function fold(view: GameView, update: GameUpdate): GameView | null {
  if (update.sequence <= view.sequence) return view;
  if (update.sequence !== view.sequence + 1n) return null;
  const next: GameView = { ...view, sequence: update.sequence, state: update.state ?? view.state };
  for (const event of update.events) apply(next, event);
  return next;
}

function apply(view: GameView, { event }: GameEvent): void {
  const { size } = view.timeline.start;
  if (event.case === "movePlayed") {
    const { color, point, captured } = event.value;
    const taken = captured.map((name) => parsePoint(name, size)).filter((at) => at !== null);
    view.timeline = add(view.timeline, color as Stone, parsePoint(point, size), taken);
  } else if (event.case === "passed") {
    view.timeline = add(view.timeline, event.value.color as Stone, null);
  } else if (event.case === "takenBack") {
    view.timeline = takeBack(view.timeline, event.value.moves);
  } else if (event.case === "finished") {
    view.result = event.value.result;
    view.verdict = event.value.verdict;
  }
}

/** How a game of these settings begins. */
export function startOf(settings: GameSettings): Start {
  const { handicap = 0, freePlacement = false } = settings.options ?? {};
  return { size: settings.boardSize, handicap, free: freePlacement };
}

/** How time is measured, without the words of the API. */
export function controlOf(settings: GameSettings): Control {
  const control = settings.timeControl?.control;
  switch (control?.case) {
    case "perMove":
      return { kind: "perMove", time: span(control.value.time) };
    case "absolute":
    case "fischer":
      return { kind: control.case };
    case "byoyomi":
    case "canadian":
      return { kind: control.case, period: span(control.value.period) };
    default:
      return { kind: "none" };
  }
}

/** What a colour had when the running turn began. */
export function bankOf(view: GameView, color: Color): Bank | undefined {
  const clock: PlayerClock | undefined =
    color === Color.BLACK ? view.state.blackClock : view.state.whiteClock;
  return clock && { main: span(clock.main), period: span(clock.period), count: clock.count };
}

/** When a colour loses on time, if its clock runs. */
export function deadlineOf(view: GameView, color: Color): number | undefined {
  const { deadline, turn } = view.state;
  return deadline && turn === color && !view.result && !view.state.agreement ? moment(deadline) : undefined;
}

/** What was given to the turn that runs, in milliseconds. */
export function creditOf(view: GameView): number {
  return span(view.state.turnCredit);
}

/** The seat of a colour. */
export function seatOf(view: GameView, color: Color): Seat | undefined {
  return view.seats.find((seat) => seat.color === color);
}

/** The colour of a player; undefined for who only watches. */
export function colorOf(view: GameView, player: string | undefined): Color | undefined {
  return view.seats.find((seat) => seat.playerId === player)?.color;
}

/** The board as it stands. */
export function boardOf(view: GameView): Stones {
  return current(view.timeline);
}

/** Points that the player to move may not play, and why. */
export function illegalOf(view: GameView): Map<number, IllegalReason> {
  const found = new Map<number, IllegalReason>();
  for (const { point, reason } of view.state.illegalPoints) {
    const at = parsePoint(point, view.settings.boardSize);
    if (at !== null) found.set(at, reason);
  }
  return found;
}

/** Whether a reason is one of repetition. */
export function isKo(reason: IllegalReason | undefined): boolean {
  return reason === IllegalReason.KO || reason === IllegalReason.SUPERKO;
}

/** Whether a colour may play or pass now. */
export function mayMove(view: GameView, color: Color | undefined): boolean {
  return color !== undefined && !view.result && !view.state.agreement && view.state.turn === color;
}

/** Who owns each point by a count. */
export function ownersOf(verdict: Verdict): Stone[] {
  return [...parseBoard(verdict.owner)];
}

/** The dead stones of a count. */
export function deadOf(verdict: Verdict, size: number): Set<number> {
  return new Set(verdict.dead.map((name) => parsePoint(name, size)).filter((at) => at !== null));
}

/** The stone that is on a point. */
export function stoneAt(view: GameView, point: number): Stone {
  return boardOf(view)[point] ?? EMPTY;
}
