/** The moves of a game and the boards between them. */

import { BLACK, EMPTY, emptyBoard, replay, type Stone, type Stones, WHITE } from "../go/board";
import { handicapPoints, parsePoint } from "../go/points";

/** A move: a stone, or a pass. */
export interface Move {
  color: Stone;
  /** Null for a pass. */
  point: number | null;
  captured: number[];
}

/** How a game begins. */
export interface Start {
  size: number;
  /** Stones that Black was given. */
  handicap: number;
  /** Whether Black's first moves are these stones. */
  free: boolean;
}

/** All boards of a game: `boards[n]` stands after `n` moves. Never empty. */
export interface Timeline {
  start: Start;
  moves: Move[];
  boards: Stones[];
}

/** Whose move the one with this index is: with a handicap White moves first, after stones that Black may have placed. */
export function colorOfMove(start: Start, index: number): Stone {
  const placed = start.free ? start.handicap : 0;
  if (index < placed) return BLACK;
  const even = (index - placed) % 2 === 0;
  return even === start.handicap < 2 ? BLACK : WHITE;
}

/** A game before its first move. */
export function begin(start: Start): Timeline {
  const board = [...emptyBoard(start.size)];
  if (!start.free) for (const point of handicapPoints(start.size, start.handicap)) board[point] = BLACK;
  return { start, moves: [], boards: [board] };
}

/** The board as it stands. */
export function current(timeline: Timeline): Stones {
  return timeline.boards[timeline.boards.length - 1] ?? emptyBoard(timeline.start.size);
}

/** One move more. Captures are those that the record has, or those that follow from the board. */
export function add(timeline: Timeline, color: Stone, point: number | null, taken?: number[]): Timeline {
  const { size } = timeline.start;
  const before = current(timeline);
  const played = point === null ? { stones: before, captured: [] } : replay(before, size, point, color);
  let after = played.stones;
  if (point !== null && taken) {
    const next = [...before];
    next[point] = color;
    for (const gone of taken) next[gone] = EMPTY;
    after = next;
  }
  const move: Move = { color, point, captured: taken ?? played.captured };
  return { ...timeline, moves: [...timeline.moves, move], boards: [...timeline.boards, after] };
}

/** Without the last moves. */
export function takeBack(timeline: Timeline, moves: number): Timeline {
  const kept = Math.max(0, timeline.moves.length - moves);
  return { ...timeline, moves: timeline.moves.slice(0, kept), boards: timeline.boards.slice(0, kept + 1) };
}

/**
 * A game from its moves' names, as a snapshot has them. If they do not lead to the board that the snapshot shows, that board
 * is believed, and the way to it is left out.
 */
export function fromMoves(start: Start, moves: readonly string[], board: Stones): Timeline {
  let timeline = begin(start);
  moves.forEach((name, index) => {
    timeline = add(
      timeline,
      colorOfMove(start, index),
      name === "pass" ? null : parsePoint(name, start.size),
    );
  });
  const reached = current(timeline);
  if (reached.length === board.length && reached.every((stone, point) => stone === board[point]))
    return timeline;
  return { ...timeline, boards: timeline.boards.map(() => board) };
}
