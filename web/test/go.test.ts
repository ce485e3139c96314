import { describe, expect, test } from "vitest";
import {
  BLACK,
  chainAt,
  chainsInAtari,
  EMPTY,
  owners,
  parseBoard,
  play,
  replay,
  WHITE,
} from "../src/go/board";
import { handicapPoints, parsePoint, pointName, starPoints } from "../src/go/points";

/** Names and points are two ways to say the same, on every board; what is beside the board is no point. */
test("a point is found by its name", () => {
  for (const size of [5, 9, 13, 19]) {
    for (let point = 0; point < size * size; point++)
      expect(parsePoint(pointName(point, size), size)).toBe(point);
  }
  expect(pointName(0, 9)).toBe("A9");
  expect(pointName(80, 9)).toBe("J1");
  expect(parsePoint(" t19 ", 19)).toBe(18);
  for (const wrong of ["I5", "K5", "A0", "A10", "", "D", "5D", "D5x", "pass"])
    expect(parsePoint(wrong, 9)).toBeNull();
});

/** Handicap stones stand on star points, as many as were asked for, and nowhere on other boards. */
test("handicap stones stand where they are expected", () => {
  for (const size of [9, 13, 19]) {
    for (let stones = 2; stones <= 9; stones++) {
      const points = handicapPoints(size, stones);
      expect(new Set(points).size).toBe(stones);
      if (size === 19) for (const point of points) expect(starPoints(size)).toContain(point);
    }
  }
  expect(handicapPoints(19, 4).map((point) => pointName(point, 19))).toEqual(["D4", "Q16", "D16", "Q4"]);
  expect(handicapPoints(9, 5).map((point) => pointName(point, 9))).toContain("E5");
  expect(handicapPoints(7, 2)).toEqual([]);
});

describe("a stone", () => {
  /** Several chains without a liberty leave the board at once, before one's own liberties are looked at. */
  test("captures before it counts its own liberties", () => {
    const board = parseBoard([".XO..", "XO.O.", ".XO..", ".....", "....."]);
    const played = play(board, 5, 7, BLACK);
    expect(played?.captured).toEqual([6]);
    expect(played?.stones[7]).toBe(BLACK);
    expect(played?.stones[6]).toBe(EMPTY);
  });

  /** A point without liberties may not be played; where the record has it all the same, the stones are gone. */
  test("without a liberty is no move", () => {
    const board = parseBoard([".O...", "O....", ".....", ".....", "....."]);
    expect(play(board, 5, 0, BLACK)).toBeNull();
    expect(play(board, 5, 1, BLACK)).toBeNull();
    expect(replay(board, 5, 0, BLACK)).toEqual({ stones: board, captured: [0] });
  });

  test("knows its chain and what is in atari", () => {
    const board = parseBoard(["XXO..", ".OO..", ".....", "..X..", "....."]);
    expect(chainAt(board, 5, 0)).toEqual({ stones: [0, 1], liberties: [5] });
    expect(chainsInAtari(board, 5)).toEqual([0]);
  });
});

/** Empty regions belong to the one colour that they reach, or to nobody. */
test("regions that reach both colours belong to nobody", () => {
  const owner = owners(parseBoard([".X.O.", ".X.O.", ".X.O.", ".X.O.", ".X.O."]), 5);
  expect(owner.slice(0, 5)).toEqual([BLACK, BLACK, EMPTY, WHITE, WHITE]);
});
