/** Why a call failed, in the API's own terms: see `docs/errors.md`. */

import type { ConnectError } from "@connectrpc/connect";
import { Code } from "./enums";

/** A failed call. */
export interface Refusal {
  code: Code;
  /** The reason of the table of errors, for example `KO`; empty when nobody of ours answered. */
  reason: string;
  metadata: Record<string, string>;
  /** Why, in the server's words. */
  message: string;
  /** What is wrong with the request, one a field. */
  violations: string[];
}

/** Reads what a failed call carries; there is none before the first page calls anybody. */
let readDetails: (failed: ConnectError, into: Refusal) => void = () => undefined;

/** Says how details are read: whoever makes calls has it loaded, the first page has not. */
export function detailsAreReadBy(read: typeof readDetails): void {
  readDetails = read;
}

/** Reads a failure of any kind. */
export function refusal(error: unknown): Refusal {
  const found: Refusal = {
    code: Code.Unknown,
    reason: "",
    metadata: {},
    message: String(error),
    violations: [],
  };
  if (!(error instanceof Error) || !("rawMessage" in error)) return found;
  // Every failed call is one of these; its class is not loaded with the first page.
  const failed = error as ConnectError;
  found.code = failed.code;
  found.message = failed.rawMessage;
  readDetails(failed, found);
  return found;
}

/** Bounds that waiting does not move. */
const BOUNDS = ["MESSAGE_TOO_LARGE", "TOO_MANY_CHALLENGES", "TOO_MANY_BLOCKS"];

/** Whether the same call may go through later: nobody answered, or who answered is busy or going away. */
export function isTransient(failed: Refusal): boolean {
  const passing: Code[] = [
    Code.Unavailable,
    Code.DeadlineExceeded,
    Code.Unknown,
    Code.Internal,
    Code.Canceled,
  ];
  if (failed.code === Code.ResourceExhausted) return !BOUNDS.includes(failed.reason);
  // Whoever answers without a reason of ours stands in between: a proxy, or a server that is starting.
  return passing.includes(failed.code) || (failed.reason === "" && failed.code === Code.Unimplemented);
}

/** Whether what is asked for may be on its way: the game of a rematch is made after both have been told of it. */
export function isNotYet(failed: Refusal): boolean {
  return failed.reason === "GAME_NOT_FOUND";
}

/** Whether another access token may help, or asking for one tells that the session is over. */
export function needsToken(failed: Refusal): boolean {
  const { code, reason } = failed;
  return code === Code.Unauthenticated && (reason.startsWith("TOKEN_") || reason === "SESSION_ENDED");
}
