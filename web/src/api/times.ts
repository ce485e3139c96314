/** Moments and lengths of time of the API, in milliseconds. */

import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";

/** A moment, in milliseconds since 1970. */
export function moment(time: Timestamp): number {
  return Number(time.seconds) * 1000 + time.nanos / 1e6;
}

/** A length of time; 0 for none. */
export function length(duration: Partial<Pick<Duration, "seconds" | "nanos">> | undefined): number {
  return duration ? Number(duration.seconds ?? 0n) * 1000 + (duration.nanos ?? 0) / 1e6 : 0;
}

/** A length of time, for the API. */
export function seconds(count: number): { seconds: bigint; nanos: number } {
  return { seconds: BigInt(Math.floor(count)), nanos: 0 };
}
