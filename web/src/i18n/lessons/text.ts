/** The messages of the lessons, loaded with their pages. */

import { signal } from "@preact/signals";
import { format, type Language, language, type Values } from "../text";
import { en } from "./en";

export type LessonKey = keyof typeof en;
export type Lessons = Record<LessonKey, string>;

const loaders: Record<Exclude<Language, "en">, () => Promise<{ default: Lessons }>> = {
  id: () => import("./id"),
  hi: () => import("./hi"),
  zh: () => import("./zh"),
  ja: () => import("./ja"),
  ko: () => import("./ko"),
};

const loaded = signal<Partial<Record<Language, Lessons>>>({ en });

/** A message of the lessons in the language of the page; in English until that is there. */
export function lesson(key: LessonKey, values: Values = {}): string {
  const tag = language.value;
  const messages = loaded.value[tag];
  if (!messages && tag !== "en") {
    void loaders[tag]().then((module) => {
      loaded.value = { ...loaded.value, [tag]: module.default };
    });
  }
  return format((messages ?? en)[key], values, tag);
}
