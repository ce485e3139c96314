// What went wrong, and whether to try again.

import { setTimeout as sleep } from "node:timers/promises";

import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";

import { ErrorInfoSchema, RetryInfoSchema } from "../gen/google/rpc/error_details_pb.js";

/** For how long something is tried again, in milliseconds. */
const PATIENCE = 60_000;

/** Why the server said no, by the table of docs/errors.md; empty for what was not its own word. */
export function reason(error: unknown): string {
  const info = ConnectError.from(error).findDetails(ErrorInfoSchema)[0];
  return info?.domain === "nigiri" ? info.reason : "";
}

/** Waits that double, with jitter, until patience ends or somebody said a final no. */
export class Retry {
  private wait = 50;
  private since = 0;

  succeeded() {
    [this.wait, this.since] = [50, 0];
  }

  async after(cause: unknown) {
    const error = ConnectError.from(cause);
    const name = reason(error);
    const transient = error.code === Code.Unavailable || name === "RATE_LIMITED" || name === "TOKEN_EXPIRED";
    const final = (name !== "" && !transient) || error.code === Code.Unimplemented;
    this.since ||= Date.now();
    if (final || Date.now() - this.since > PATIENCE) throw error;
    const wish = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
    await sleep(Math.max(wish ? durationMs(wish) : 0, this.wait * (0.5 + Math.random() / 2)));
    this.wait = Math.min(2 * this.wait, 2_000);
  }
}
