import { expect, test } from "vitest";
import { en } from "../src/i18n/en";
import hi from "../src/i18n/hi";
import id from "../src/i18n/id";
import ja from "../src/i18n/ja";
import ko from "../src/i18n/ko";
import { en as opsEn } from "../src/i18n/ops/en";
import opsHi from "../src/i18n/ops/hi";
import opsId from "../src/i18n/ops/id";
import opsJa from "../src/i18n/ops/ja";
import opsKo from "../src/i18n/ops/ko";
import opsZh from "../src/i18n/ops/zh";
import { format, isLanguage, LANGUAGES, type Message, number, pickLanguage } from "../src/i18n/text";
import zh from "../src/i18n/zh";

/** The players' messages and the operators', in all languages, English first. */
const sets: Record<string, Message>[][] = [
  [en, id, hi, zh, ja, ko],
  [opsEn, opsId, opsHi, opsZh, opsJa, opsKo],
];

/** Each catalogue with its language and with the English one. */
const all = sets.flatMap((set) =>
  Object.keys(LANGUAGES).map((tag, index) => ({ tag, catalogue: set[index] ?? {}, original: set[0] ?? {} })),
);

/** The forms of a message, and the places in it. */
const forms = (message: Message) => (typeof message === "string" ? [message] : Object.values(message));
const places = (message: Message) => new Set(forms(message).flatMap((text) => text.match(/\{\w+\}/g) ?? []));

/** Every message is there in every language, says something, and has the places that the English one has. */
test("no message is missing in any language", () => {
  expect(all).toHaveLength(2 * Object.keys(LANGUAGES).length);
  for (const { tag, catalogue, original } of all) {
    expect(Object.keys(original).length).toBeGreaterThan(100);
    expect(Object.keys(catalogue).toSorted(), tag).toEqual(Object.keys(original).toSorted());
    const wrong = Object.entries(catalogue).filter(([key, message]) => {
      const [wanted, had] = [places(original[key] ?? ""), places(message)];
      const empty = forms(message).some((text) => text.trim() === "");
      // A form for one may do without its number.
      return empty || wanted.size !== had.size || [...wanted].some((place) => !had.has(place));
    });
    expect(wrong, tag).toEqual([]);
  }
});

/** A message with a number has a form for each category that the language has. */
test("plurals have all the forms of their language", () => {
  for (const { tag, catalogue } of all) {
    for (const [key, message] of Object.entries(catalogue)) {
      if (typeof message === "string") continue;
      const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
      const missing = categories.filter((category) => !(message[category] ?? message.other));
      expect(missing, `${tag} ${key}`).toEqual([]);
      expect(message.other, `${tag} ${key}`).toBeTruthy();
    }
  }
});

/** Nothing but names, and words that are the same everywhere, was left in English. */
test("the catalogues are translated", () => {
  const same = ["program", "say.move", "moves.move", "score.komi", "komiOf", "preset.weiqi", "preset.igo"];
  for (const { tag, catalogue, original } of all) {
    if (tag === "en") continue;
    const left = Object.keys(catalogue).filter(
      (key) => JSON.stringify(catalogue[key]) === JSON.stringify(original[key]) && !same.includes(key),
    );
    const names = left.filter((key) => !/^(score\.handicap|time\.|game\.id|acts\.who)/.test(key));
    expect(names, tag).toEqual([]);
  }
});

/** Small whole numbers are written without asking the browser how; it would write them so in every language. */
test("numbers are written as the language writes them", () => {
  for (const tag of Object.keys(LANGUAGES)) {
    for (const value of [0, 1, 9, 10, 361, 999, 1000, 12345, -1, 6.5, 0.25]) {
      expect(format("{value}", { value }, tag), tag).toBe(new Intl.NumberFormat(tag).format(value));
    }
  }
  expect([number(7), number(6.55), number(1234.5, 0)]).toEqual(["7", "6.6", "1,235"]);
});

test("places are filled as the language writes numbers", () => {
  expect(format("{a} and {b}", { a: 1234.5, b: "x" }, "en")).toBe("1,234.5 and x");
  expect(format({ one: "{n} stone", other: "{n} stones" }, { n: 1 }, "en")).toBe("1 stone");
  expect(format({ one: "{n} stone", other: "{n} stones" }, { n: 2 }, "en")).toBe("2 stones");
  expect(format({ other: "{n} 子" }, { n: 1 }, "zh")).toBe("1 子");
  expect(format("{missing}", {}, "en")).toBe("{missing}");
});

test("the page speaks the first language that we have", () => {
  expect(pickLanguage(["fr-FR", "zh-TW", "en"])).toBe("zh");
  expect(pickLanguage(["fr"])).toBe("en");
  expect(isLanguage("toString")).toBe(false);
});
