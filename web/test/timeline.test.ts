import { expect, test } from "vitest";
import { add, begin, colorOfMove, current, fromMoves, takeBack } from "../src/game/timeline";
import { BLACK, EMPTY, WHITE } from "../src/go/board";
import { parsePoint, pointName } from "../src/go/points";

const small = { size: 5, handicap: 0, free: false };

/** A game that is read from its moves is the game that was followed move by move, with every board in between. */
test("moves lead to the board of the snapshot", () => {
  const names = ["B4", "A4", "B3", "A3", "A5", "pass", "A2"];
  let followed = begin(small);
  names.forEach((name, index) => {
    followed = add(followed, colorOfMove(small, index), name === "pass" ? null : parsePoint(name, 5));
  });
  const read = fromMoves(small, names, current(followed));
  expect(read).toEqual(followed);
  expect(read.moves[6]?.captured.map((point) => pointName(point, 5)).toSorted()).toEqual(["A3", "A4"]);
  expect(read.boards).toHaveLength(names.length + 1);
});

/** What was taken back is gone, and the stones that it had captured stand again. */
test("a take-back restores the board", () => {
  const start = fromMoves(small, ["A4", "A5"], current(add(add(begin(small), BLACK, 5), WHITE, 0)));
  const after = add(start, BLACK, 1, [0]);
  expect(current(after)[0]).toBe(EMPTY);
  expect(takeBack(after, 1)).toEqual(start);
  expect(current(takeBack(after, 99))).toEqual(current(begin(small)));
});

/** With a handicap White moves first; stones that Black places freely are Black's first moves. */
test("colours follow the handicap", () => {
  const fixed = { size: 9, handicap: 3, free: false };
  expect([0, 1, 2].map((index) => colorOfMove(fixed, index))).toEqual([WHITE, BLACK, WHITE]);
  expect(current(begin(fixed)).filter((stone) => stone === BLACK)).toHaveLength(3);
  const free = { size: 9, handicap: 2, free: true };
  expect([0, 1, 2, 3].map((index) => colorOfMove(free, index))).toEqual([BLACK, BLACK, WHITE, BLACK]);
  expect(current(begin(free)).every((stone) => stone === EMPTY)).toBe(true);
});

/** If moves and board do not fit together, the server's board is shown. */
test("the server's board is believed", () => {
  const board = current(add(begin(small), WHITE, 12));
  expect(current(fromMoves(small, ["A1"], board))).toEqual(board);
});
