/** What can be played: presets, boards, clocks. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { Pace } from "../api/enums";
import { seconds } from "../api/times";
import type { GameSettingsSchema, TimeControlSchema } from "../gen/nigiri/game/v1/game_pb";

/** Settings of a game, as a request has them. */
export type SettingsInit = MessageInitShape<typeof GameSettingsSchema>;
/** A time control, as a request has it. */
export type TimeInit = MessageInitShape<typeof TimeControlSchema>;

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

/** Those that strangers meet by. */
export const MEETINGS: readonly Offer[] = OFFERS.slice(0, 4);

/** What is offered under a preset's name. */
export function offerOf(preset: string): Offer {
  return OFFERS.find((offer) => offer.preset === preset) ?? (OFFERS[0] as Offer);
}

/** The move limit that a preset has on a board. */
export function moveLimit(preset: string, size: number): number {
  if (preset === "quick" || preset === "territory" || size <= 9) return 300;
  return size <= 13 ? 600 : 1200;
}

/** How time is measured. */
export type Clock = "none" | "perMove" | "fischer" | "byoyomi";

const CONTROLS: Record<Clock, NonNullable<TimeInit["control"]>> = {
  none: { case: "none", value: {} },
  perMove: { case: "perMove", value: { time: seconds(30) } },
  fischer: {
    case: "fischer",
    value: { time: seconds(300), increment: seconds(10), cap: seconds(600) },
  },
  byoyomi: { case: "byoyomi", value: { time: seconds(600), period: seconds(30), periods: 5 } },
};

/** The clocks as the API has them for strangers. */
export const PACES: Record<Exclude<Clock, "none">, Pace> = {
  perMove: Pace.PER_MOVE,
  fischer: Pace.FISCHER,
  byoyomi: Pace.BYOYOMI,
};

/** The clocks by which strangers play a preset, the usual one first. */
export function clocksOf(preset: string): (keyof typeof PACES)[] {
  if (preset === "quick" || preset === "territory") return ["perMove"];
  return preset === "igo" ? ["byoyomi", "fischer", "perMove"] : ["perMove", "fischer", "byoyomi"];
}

/** A clock in full. */
export function timeControlOf(clock: Clock): TimeInit {
  return { control: CONTROLS[clock] };
}

/** What is chosen for a game. */
export interface Wanted {
  preset: string;
  size: number;
  handicap: number;
  clock?: Clock;
  rated?: boolean;
  /** Makes the game a private one: see `watch_key` of the API. */
  watchKey?: string;
}

/** The settings of a game: unrated and without a clock unless something else is wanted. With a handicap, White has half a point. */
export function settingsOf({
  preset,
  size,
  handicap,
  clock = "none",
  rated = false,
  watchKey,
}: Wanted): SettingsInit {
  return {
    preset,
    boardSize: size,
    komi: handicap > 0 ? 0.5 : offerOf(preset).komi,
    timeControl: timeControlOf(clock),
    rated,
    moveLimit: moveLimit(preset, size),
    options: { handicap },
    watchKey,
  };
}
