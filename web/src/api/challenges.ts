/** Games with a friend, and whom one never wants to meet. */

import { createClient } from "@connectrpc/connect";
import {
  BlockService,
  type Challenge,
  ChallengeService,
  ChallengeState,
  type WatchChallengesResponse,
} from "../gen/nigiri/matchmaking/v1/challenge_service_pb";
import { transport } from "./clients";
import { Follower } from "./follow";

export const challenges = createClient(ChallengeService, transport);
export const blocks = createClient(BlockService, transport);

/** Follows one's open challenges, by their codes, until the signal says so. */
export async function followOpen(
  show: (open: ReadonlyMap<string, Challenge>) => void,
  gone: AbortSignal,
): Promise<void> {
  if (gone.aborted) return;
  let open = new Map<string, Challenge>();
  const follower = new Follower<WatchChallengesResponse>({
    open: (signal) => {
      // The stream begins with all that are open: what is not among them is closed.
      open = new Map();
      return challenges.watchChallenges({}, { signal });
    },
    hear: ({ message }) => {
      if (message.case === "draining") return "again";
      if (message.case === "challenge") {
        if (message.value.state === ChallengeState.OPEN) open.set(message.value.code, message.value);
        else open.delete(message.value.code);
      }
      if (message.case !== "quiet") show(new Map(open));
      return "more";
    },
  });
  gone.addEventListener("abort", () => follower.stop());
  await follower.run();
}
