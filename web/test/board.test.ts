import { expect, test } from "vitest";
import { drawing, place, pointUnder, step } from "../src/board/geometry";
import { scale } from "../src/pages/graph";

/** The point under the pointer is the one that is drawn there, on every board, and none beside the board. */
test("the pointer finds the point that it is on", () => {
  for (const size of [5, 9, 13, 19]) {
    for (const coordinates of [true, false]) {
      const on = drawing(size, coordinates);
      for (let point = 0; point < size * size; point++) {
        const { x, y } = place(on, point);
        expect(pointUnder(on, (x + 4) / on.side, (y - 4) / on.side)).toBe(point);
      }
      expect(pointUnder(on, 0, 0.5)).toBeNull();
    }
  }
});

test("arrow keys stop at the edge", () => {
  expect(step("ArrowLeft", 0, 9)).toBe(0);
  expect(step("ArrowDown", 76, 9)).toBe(76);
  expect(step("ArrowUp", 40, 9)).toBe(31);
  expect(step("End", 40, 9)).toBe(44);
  expect(step("PageUp", 40, 9)).toBe(4);
  expect(step("x", 40, 9)).toBeNull();
});

/** The lines of a graph are round, few, and hold all values between them. */
test("a graph has round lines", () => {
  for (const [low, high] of [
    [1200, 1200],
    [1183.2, 1216.9],
    [700, 2400],
  ] as const) {
    const lines = scale(low, high);
    expect(lines[0]).toBeLessThanOrEqual(low);
    expect(lines[lines.length - 1]).toBeGreaterThanOrEqual(high);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThan(8);
    expect(lines.every((line) => line % 10 === 0)).toBe(true);
  }
});
