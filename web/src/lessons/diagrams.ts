/** Positions that teach. What is said of them is checked by the tests, the counts by the judge itself. */

import { BLACK, owners, parseBoard, type Stone, WHITE } from "../go/board";

/** A position, and what happens in it. */
export interface Diagram {
  rows: readonly string[];
  /** Moves that can be shown one after the other, Black's first unless said otherwise. */
  moves?: readonly { color: Stone; point: string }[];
  /** Signs on points. */
  labels?: Readonly<Record<string, string>>;
  /** A point that ko forbids after the moves, and to whom. */
  ko?: { point: string; color: Stone };
  /** Whether it is shown who owns each point. */
  counted?: boolean;
}

export const DIAGRAMS = {
  liberty: {
    rows: [".....", ".....", "..X..", ".....", "....."],
    labels: { C4: "1", D3: "2", C2: "3", B3: "4" },
  },
  capture: {
    rows: [".....", "..X..", ".XO..", "..X..", "....."],
    moves: [{ color: BLACK, point: "D3" }],
    labels: { D3: "1" },
  },
  chain: {
    rows: [".OO..", "OXXO.", ".OXO.", ".....", "....."],
    moves: [{ color: WHITE, point: "C2" }],
    labels: { C2: "1" },
  },
  suicide: {
    rows: [".O...", "OO...", "....X", "...XO", "..XO."],
    moves: [{ color: BLACK, point: "E1" }],
    labels: { A5: "×", E1: "1" },
  },
  ko: {
    rows: [".....", ".XO..", "XO.O.", ".XO..", "....."],
    moves: [{ color: BLACK, point: "C3" }],
    labels: { C3: "1" },
    ko: { point: "B3", color: WHITE },
  },
  eyes: {
    rows: [".X.XO", "XXXXO", "OOOOO", ".....", "....."],
    labels: { A5: "1", C5: "2" },
  },
  seki: {
    rows: [".XO.XO.", "XXOXXOO", ".XOXXO.", "XXOXXOO", "XXOXXOO", "XXOXXOO", "XXO.XOO"],
    labels: { D7: "1", D1: "2" },
  },
  area: {
    rows: ["..XO.", ".XXOO", "XXOO.", ".XO.O", "XXOOO"],
    counted: true,
  },
  territory: {
    rows: ["..XO.", ".XXOO", "XXOO.", ".XO.O", "XXOOO"],
    counted: true,
  },
} satisfies Record<string, Diagram>;

/** What is counted in a diagram, before komi; stones count under area scoring only. */
export function countsOf(name: string): { black: number; white: number } {
  const stones = parseBoard(DIAGRAMS.area.rows);
  const owner = owners(stones, DIAGRAMS.area.rows.length);
  const of = (color: Stone) =>
    owner.filter((one, point) => one === color && (name === "area" || stones[point] === 0)).length;
  return { black: of(BLACK), white: of(WHITE) };
}

/** A small problem. */
export interface Puzzle {
  rows: readonly string[];
  color: Stone;
  /** Points that solve it; a pass where it is empty. */
  answers: readonly string[];
}

export const PUZZLES: readonly Puzzle[] = [
  { rows: [".....", "..X..", ".XO..", "..X..", "....."], color: BLACK, answers: ["D3"] },
  { rows: [".XX..", "XOO..", ".XX..", ".....", "....."], color: BLACK, answers: ["D4"] },
  { rows: [".....", "..O..", ".OXO.", ".....", "....."], color: BLACK, answers: ["C2"] },
  { rows: ["..X..", ".XO..", "XO...", ".....", "....."], color: BLACK, answers: ["C3"] },
  { rows: [".X...", "XOXX.", "XO.OX", "..XOX", "...X."], color: BLACK, answers: ["C3"] },
  { rows: [".OO..", "OOX.O", "OX...", ".OO..", "....."], color: BLACK, answers: ["C3"] },
  { rows: [".....", ".XO..", "XO.O.", ".XO..", "....."], color: BLACK, answers: ["C3"] },
  { rows: ["...XO", "XXXXO", "OOOOO", ".....", "....."], color: BLACK, answers: ["B5"] },
  { rows: ["...OX", "OOOOX", "XXXXX", ".....", "....."], color: BLACK, answers: ["B5"] },
  { rows: ["..XO.", ".XXOO", "XXOO.", ".XO.O", "XXOOO"], color: BLACK, answers: [] },
];
