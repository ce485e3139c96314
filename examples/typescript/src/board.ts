// A board as the server tells it, and moves on it.

import { randomUUID } from "node:crypto";

import { Color, type GameSnapshot, type GameUpdate, type TurnState } from "../gen/nigiri/game/v1/game_pb.js";
import type { Session } from "./client.js";
import { reason } from "./retry.js";

const COLUMNS = "ABCDEFGHJKLMNOPQRST";

/** Whether a view is the game as it stands; else it is what came next. */
export function isSnapshot(view: GameSnapshot | GameUpdate): view is GameSnapshot {
  return view.$typeName === "nigiri.game.v1.GameSnapshot";
}

/** Stones by their points. It needs no rules: the server says what a stone captured. */
export class Board {
  size = 0;
  result = "";
  /** Whether the last thing that happened was a pass. */
  passed = false;
  private stones = new Map<string, Color>();

  take(view: GameSnapshot | GameUpdate) {
    if (isSnapshot(view)) {
      this.size = view.settings?.boardSize ?? 0;
      const marks = view.board.join("");
      const all = this.points().map((point, at): [string, Color] => [
        point,
        marks[at] === "X" ? Color.BLACK : marks[at] === "O" ? Color.WHITE : Color.UNSPECIFIED,
      ]);
      this.stones = new Map(all.filter(([, color]) => color !== Color.UNSPECIFIED));
      this.result = view.result?.text ?? "";
      this.passed = view.moves.at(-1) === "pass";
      return;
    }
    this.passed = view.events.some(({ event }) => event.case === "passed");
    for (const { event } of view.events) {
      if (event.case === "movePlayed") {
        this.stones.set(event.value.point, event.value.color);
        for (const point of event.value.captured) this.stones.delete(point);
      } else if (event.case === "finished") {
        this.result = event.value.result?.text ?? "";
      }
    }
  }

  /** All points, a row after the other, the top row first. */
  points(): string[] {
    const columns = [...COLUMNS.slice(0, this.size)];
    return columns.flatMap((_, row) => columns.map((column) => `${column}${this.size - row}`));
  }

  private neighbours(point: string): string[] {
    const [column, row] = [COLUMNS.indexOf(point.charAt(0)), Number(point.slice(1))];
    const around: [number, number][] = [[column - 1, row], [column + 1, row], [column, row - 1], [column, row + 1]];
    const inside = around.filter(([c, r]) => c >= 0 && c < this.size && r >= 1 && r <= this.size);
    return inside.map(([c, r]) => `${COLUMNS.charAt(c)}${r}`);
  }

  draw(): string {
    const marks = this.points().map((point) => {
      const stone = this.stones.get(point);
      return stone === Color.BLACK ? "X" : stone === Color.WHITE ? "O" : ".";
    });
    const rows = Array.from({ length: this.size }, (_, row) => {
      const line = marks.slice(row * this.size, (row + 1) * this.size).join(" ");
      return `${String(this.size - row).padStart(2)} ${line}`;
    });
    return [...rows, `   ${[...COLUMNS.slice(0, this.size)].join(" ")}`].join("\n");
  }

  /** A random legal move that fills no eye of one's own; none if there is no such move. */
  choose(state: TurnState): string | undefined {
    const illegal = new Set(state.illegalPoints.map(({ point }) => point));
    const free = this.points().filter((point) => !this.stones.has(point) && !illegal.has(point));
    const own = (point: string) => this.stones.get(point) === state.turn;
    const sensible = free.filter((point) => !this.neighbours(point).every(own));
    return sensible[Math.floor(Math.random() * sensible.length)];
  }
}

/** Answers a turn with a random move, or with a pass when the opponent has passed: then the board is counted. What was played. */
export async function answer(session: Session, gameId: string, state: TurnState, board: Board): Promise<string> {
  const command = { gameId, ply: state.ply, commandId: randomUUID() };
  const point = board.passed ? undefined : board.choose(state);
  try {
    if (point) await session.call((options) => session.games.playMove({ ...command, point }, options));
    else await session.call((options) => session.games.pass(command, options));
  } catch (error) {
    // The game has moved on since this state: the next one is on its way.
    if (!["STALE_PLY", "NOT_YOUR_TURN", "GAME_OVER"].includes(reason(error))) throw error;
  }
  return point ?? "pass";
}
