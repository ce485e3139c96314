/**
 * Values of the API's enums for pages that are there before the API's own code is loaded. Their types hold them to the generated ones:
 * a value that is missing or another one does not compile.
 */

import type * as connect from "@connectrpc/connect";
import type * as game from "../gen/nigiri/game/v1/game_pb";
import type * as matchmaking from "../gen/nigiri/matchmaking/v1/matchmaking_service_pb";
import type * as session from "../gen/nigiri/session/v1/session_service_pb";

/** A generated enum's values, by their names. */
type Values<E> = { readonly [Name in keyof E]: E[Name] };

export const Color: Values<typeof game.Color> = { UNSPECIFIED: 0, BLACK: 1, WHITE: 2 };
export type Color = game.Color;

export const EndReason: Values<typeof game.EndReason> = {
  UNSPECIFIED: 0,
  SCORE: 1,
  RESIGNATION: 2,
  TIME: 3,
  MOVE_LIMIT: 4,
  ABORT: 5,
  REPETITION: 6,
  ABANDONMENT: 7,
  DRAW_AGREED: 8,
  ADJUDICATION: 9,
  UNRATED_ADJUDICATION: 10,
  VOID: 11,
};
export type EndReason = game.EndReason;

export const IllegalReason: Values<typeof game.IllegalReason> = {
  UNSPECIFIED: 0,
  OCCUPIED: 1,
  SUICIDE: 2,
  KO: 3,
  SUPERKO: 4,
};
export type IllegalReason = game.IllegalReason;

export const AiLevel: Values<typeof matchmaking.AiLevel> = { UNSPECIFIED: 0, EASY: 1, NORMAL: 2, HARD: 3 };
export type AiLevel = matchmaking.AiLevel;

export const Pace: Values<typeof matchmaking.Pace> = { UNSPECIFIED: 0, PER_MOVE: 1, FISCHER: 2, BYOYOMI: 3 };
export type Pace = matchmaking.Pace;

export const PlayerKind: Values<typeof session.PlayerKind> = { UNSPECIFIED: 0, GUEST: 1, MEMBER: 2, BOT: 3 };

/** The codes of gRPC that the page tells apart. */
export const Code: Values<
  Pick<
    typeof connect.Code,
    | "Canceled"
    | "Unknown"
    | "DeadlineExceeded"
    | "ResourceExhausted"
    | "Unimplemented"
    | "Internal"
    | "Unavailable"
    | "Unauthenticated"
  >
> = {
  Canceled: 1,
  Unknown: 2,
  DeadlineExceeded: 4,
  ResourceExhausted: 8,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  Unauthenticated: 16,
};
export type Code = connect.Code;
