/** Follows what operators tell all players. One tab of a browser does it for all of them: a stream takes one of the browser's few connections. */

import { createClient } from "@connectrpc/connect";
import { OperatorService, type WatchNoticeResponse } from "../gen/nigiri/operator/v1/operator_service_pb";
import { transport } from "./clients";
import { Follower } from "./follow";
import { moment } from "./times";

/** Nothing is said while the notice does not change; so a stream is opened anew now and then, in milliseconds. */
const SILENCE = 600_000;

/** A notice, as it stands. */
export interface Notice {
  /** Empty for none. */
  text: string;
  /** Until when, in milliseconds since 1970; absent until it is taken back. */
  until?: number;
}

/** Follows the notice until the signal says so, as soon as no other tab does. */
export async function followNotice(heard: (notice: Notice) => void, gone: AbortSignal): Promise<void> {
  const operators = createClient(OperatorService, transport);
  const follower = new Follower<WatchNoticeResponse>({
    silence: SILENCE,
    open: (signal) => operators.watchNotice({}, { signal }),
    hear: ({ text, endTime }) => {
      heard({ text, until: endTime && moment(endTime) });
      return "more";
    },
  });
  gone.addEventListener("abort", () => follower.stop());
  const follow = () => (gone.aborted ? Promise.resolve() : follower.run());
  if (!navigator.locks) return follow();
  // Going away while another tab follows is no failure.
  await navigator.locks.request("nigiri.notice", { signal: gone }, follow).catch(() => undefined);
}
