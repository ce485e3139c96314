/** The messages of the lessons, loaded with their pages. */

import { later } from "../later";
import { en } from "./en";

export type LessonKey = keyof typeof en;
export type Lessons = Record<LessonKey, string>;

/** A message of the lessons. */
export const lesson = later<LessonKey>(en, {
  id: () => import("./id"),
  hi: () => import("./hi"),
  zh: () => import("./zh"),
  ja: () => import("./ja"),
  ko: () => import("./ko"),
});
