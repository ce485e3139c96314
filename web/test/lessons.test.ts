import { expect, test } from "vitest";
import { BLACK, chainAt, other, owners, parseBoard, play, replay, type Stone, WHITE } from "../src/go/board";
import { parsePoint } from "../src/go/points";
import { en } from "../src/i18n/lessons/en";
import hi from "../src/i18n/lessons/hi";
import id from "../src/i18n/lessons/id";
import ja from "../src/i18n/lessons/ja";
import ko from "../src/i18n/lessons/ko";
import type { Lessons } from "../src/i18n/lessons/text";
import zh from "../src/i18n/lessons/zh";
import { DIAGRAMS, type Diagram, PUZZLES } from "../src/lessons/diagrams";

const at = (name: string, size: number) => {
  const point = parsePoint(name, size);
  if (point === null) throw new Error(`there is no ${name}`);
  return point;
};

/** Every lesson is there in every language, with the places that it needs, and in that language's own words. */
test("no lesson is missing in any language", () => {
  for (const [tag, lessons] of Object.entries<Lessons>({ id, hi, zh, ja, ko })) {
    expect(Object.keys(lessons).toSorted(), tag).toEqual(Object.keys(en).toSorted());
    for (const [key, text] of Object.entries(lessons)) {
      const original = en[key as keyof typeof en];
      expect(text.match(/\{\w+\}/g)?.toSorted(), `${tag} ${key}`).toEqual(
        original.match(/\{\w+\}/g)?.toSorted(),
      );
      const same = ["differ.komi", "differ.ko", "lesson.ko", "lesson.seki", "differ.handicap"];
      if (!same.includes(key)) expect(text, `${tag} ${key}`).not.toBe(original);
    }
  }
});

/** What players of a language call things by is in their lessons. */
test("each language has its own words of Go", () => {
  const words = (lessons: Lessons) => Object.values(lessons).join(" ");
  for (const word of [
    "气（qì）",
    "劫（jié）",
    "提子（tízǐ）",
    "眼（yǎn）",
    "禁着点（jìnzhuódiǎn）",
    "数子（shǔzǐ）",
    "贴目（tiēmù）",
    "同意（tóngyì）",
  ]) {
    expect(words(zh)).toContain(word);
  }
  for (const word of ["iberti", "atari"]) expect(words(id)).toContain(word);
  for (const word of ["アタリ", "コウ", "セキ", "シチョウ"]) expect(words(ja)).toContain(word);
  for (const word of ["단수", "패", "빅", "축"]) expect(words(ko)).toContain(word);
  for (const word of ["आतारी", "को", "सेकी"]) expect(words(hi)).toContain(word);
});

/** What the lessons say of their positions is so. */
test("the diagrams show what they say", () => {
  const shown = (diagram: Diagram, color: Stone, point: string) => {
    const size = diagram.rows.length;
    return play(parseBoard(diagram.rows), size, at(point, size), color);
  };
  const liberties = chainAt(parseBoard(DIAGRAMS.liberty.rows), 5, at("C3", 5)).liberties;
  expect(liberties.toSorted((a, b) => a - b)).toEqual(
    Object.keys(DIAGRAMS.liberty.labels)
      .map((name) => at(name, 5))
      .toSorted((a, b) => a - b),
  );
  expect(shown(DIAGRAMS.capture, BLACK, "D3")?.captured).toHaveLength(1);
  expect(shown(DIAGRAMS.chain, WHITE, "C2")?.captured).toHaveLength(3);
  expect(shown(DIAGRAMS.suicide, BLACK, "A5")).toBeNull();
  expect(shown(DIAGRAMS.suicide, BLACK, "E1")?.captured).toHaveLength(2);
  expect(shown(DIAGRAMS.eyes, WHITE, "A5")).toBeNull();
  expect(shown(DIAGRAMS.eyes, WHITE, "C5")).toBeNull();
  // Ko: taking back restores the position.
  const before = parseBoard(DIAGRAMS.ko.rows);
  const taken = play(before, 5, at("C3", 5), BLACK);
  expect(taken?.captured).toEqual([at(DIAGRAMS.ko.ko.point, 5)]);
  expect(play(taken?.stones ?? [], 5, at("B3", 5), WHITE)?.stones).toEqual(before);
  // Seki: whoever plays first on a shared point can be taken at once.
  for (const color of [BLACK, WHITE] as const) {
    const first = replay(parseBoard(DIAGRAMS.seki.rows), 7, at("D7", 7), color);
    expect(chainAt(first.stones, 7, at("D7", 7)).liberties).toEqual([at("D1", 7)]);
    expect(play(first.stones, 7, at("D1", 7), other(color))?.captured).toContain(at("D7", 7));
  }
  const owner = owners(parseBoard(DIAGRAMS.area.rows), 5);
  expect([BLACK, WHITE].map((color) => owner.filter((one) => one === color).length)).toEqual([12, 13]);
});

/** Each answer can be played, and does what the puzzle asks for; no other point does. */
test("the puzzles have their answers, and only these", () => {
  const captures = (count: number) => (stones: readonly Stone[], size: number, point: number, color: Stone) =>
    play(stones, size, point, color)?.captured.length === count;
  const solves: Record<
    number,
    (stones: readonly Stone[], size: number, point: number, color: Stone) => boolean
  > = {
    1: captures(1),
    2: captures(2),
    3: (stones, size, point, color) => {
      const after = play(stones, size, point, color)?.stones ?? stones;
      return chainAt(after, size, at("C3", size)).liberties.length >= 3;
    },
    4: (stones, size, point, color) => {
      const after = play(stones, size, point, color)?.stones ?? stones;
      return ["C4", "B3"].every((name) => chainAt(after, size, at(name, size)).liberties.length === 1);
    },
    5: captures(2),
    6: (stones, size, point, color) => {
      const after = play(stones, size, point, color)?.stones ?? stones;
      const chain = chainAt(after, size, at("C4", size));
      return chain.stones.includes(at("B3", size)) && chain.liberties.length > 1;
    },
    7: captures(1),
    // The middle of a room of three: the owner has two eyes there, the other side leaves one.
    8: (_, size, point) => point === at("B5", size),
    9: (_, size, point) => point === at("B5", size),
    10: () => false,
  };
  PUZZLES.forEach((puzzle, index) => {
    const size = puzzle.rows.length;
    const stones = parseBoard(puzzle.rows);
    const found = stones.flatMap((_, point) =>
      solves[index + 1]?.(stones, size, point, puzzle.color) ? [point] : [],
    );
    expect(found, `puzzle ${index + 1}`).toEqual(puzzle.answers.map((name) => at(name, size)));
  });
});
