/** What one chose the last time. */

import { AiLevel, Color } from "../api/enums";
import type { Kind } from "./rules_choice";

const KEY = "nigiri.choices";

export interface Choices {
  rated: boolean;
  fillIn: boolean;
  level: AiLevel;
  color: Color;
  preset: string;
  size: number;
  handicap: number;
  /** What one plays with strangers. */
  meeting: Kind;
  /** What one plays with a friend, and one's own colour in it. */
  friendly: Kind;
  friendlyColor: Color;
}

const usual: Choices = {
  rated: false,
  fillIn: true,
  level: AiLevel.EASY,
  color: Color.BLACK,
  preset: "quick",
  size: 9,
  handicap: 0,
  meeting: { preset: "quick", size: 9, handicap: 0, clock: "perMove" },
  friendly: { preset: "quick", size: 9, handicap: 0, clock: "perMove" },
  friendlyColor: Color.UNSPECIFIED,
};

export function keptChoice(): Choices {
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return usual;
  }
}

/** Changes some, and gives all. */
export function keepChoice(change: Partial<Choices>): Choices {
  const next = { ...keptChoice(), ...change };
  localStorage.setItem(KEY, JSON.stringify(next));
  return next;
}

const SEEN = "nigiri.matched";

/** The game of the last match that this browser has seen. */
export function seenGame(): string {
  return localStorage.getItem(SEEN) ?? "";
}

export function keepSeenGame(id: string): void {
  localStorage.setItem(SEEN, id);
}
