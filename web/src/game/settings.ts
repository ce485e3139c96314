/** What can be played against a program. */

import { create } from "@bufbuild/protobuf";
import {
  GameOptionsSchema,
  type GameSettings,
  GameSettingsSchema,
  NoClockSchema,
  TimeControlSchema,
} from "../gen/nigiri/game/v1/game_pb";

/** A preset as the page offers it. */
export interface Offer {
  preset: string;
  /** Boards, the usual one first. */
  sizes: readonly number[];
  komi: number;
  handicap: boolean;
}

/** The presets, those that the product has its own names for first. */
export const OFFERS: readonly Offer[] = [
  { preset: "quick", sizes: [9], komi: 7, handicap: false },
  { preset: "territory", sizes: [9], komi: 6.5, handicap: false },
  { preset: "weiqi", sizes: [9, 13, 19], komi: 7.5, handicap: false },
  { preset: "igo", sizes: [19, 9, 13], komi: 6.5, handicap: true },
  { preset: "chinese", sizes: [19, 9, 13], komi: 7.5, handicap: true },
  { preset: "japanese", sizes: [19, 9, 13], komi: 6.5, handicap: true },
  { preset: "korean", sizes: [19, 9, 13], komi: 6.5, handicap: true },
  { preset: "aga", sizes: [19, 9, 13], komi: 7.5, handicap: true },
  { preset: "new-zealand", sizes: [19, 9, 13], komi: 7, handicap: true },
  { preset: "tromp-taylor", sizes: [19, 9, 13], komi: 7.5, handicap: true },
];

/** What is offered under a preset's name. */
export function offerOf(preset: string): Offer {
  return OFFERS.find((offer) => offer.preset === preset) ?? (OFFERS[0] as Offer);
}

/** The move limit that a preset has on a board. */
export function moveLimit(preset: string, size: number): number {
  if (preset === "quick" || preset === "territory" || size <= 9) return 300;
  return size <= 13 ? 600 : 1200;
}

/** What is chosen for a game against a program. */
export interface Wanted {
  preset: string;
  size: number;
  handicap: number;
}

/** The settings of an unrated game without a clock. With a handicap, White has half a point. */
export function settingsOf({ preset, size, handicap }: Wanted): GameSettings {
  return create(GameSettingsSchema, {
    preset,
    boardSize: size,
    komi: handicap > 0 ? 0.5 : offerOf(preset).komi,
    timeControl: create(TimeControlSchema, { control: { case: "none", value: create(NoClockSchema) } }),
    rated: false,
    moveLimit: moveLimit(preset, size),
    options: create(GameOptionsSchema, { handicap }),
  });
}
