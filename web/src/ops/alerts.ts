/** What needs a look, by the same bounds as the alerts in `deploy/monitoring/alerts.yaml`. */

import { moment, length as span } from "../api/times";
import type { GetOverviewResponse } from "../gen/nigiri/operator/v1/operator_service_pb";
import { o } from "../i18n/ops/text";
import { spanText } from "./words";

/** A wait of an open ticket that is too long, in milliseconds. */
const LONG_WAIT = 600_000;
/** Messages that a group may be behind. */
const LAG = 1000;
/** A process says something every five seconds; one that is so much behind the others is in trouble, in milliseconds. */
const SILENT = 20_000;

/** What needs a look, in words. */
export function alertsOf(seen: GetOverviewResponse): string[] {
  // The server's clock may be another one than ours: whoever spoke last says what time it is.
  const now = Math.max(...seen.replicas.map(({ seenTime }) => (seenTime ? moment(seenTime) : 0)));
  const found = [...seen.faults];
  const oldest = span(seen.oldestTicket);
  if (seen.readyBots === 0) found.push(o("alert.bots"));
  if (seen.matchmakingPaused) found.push(o("alert.paused"));
  if (oldest > LONG_WAIT) found.push(o("alert.queue", { time: spanText(oldest) }));
  for (const { topic, group, lag, deadLetters } of seen.groups) {
    if (lag > LAG) found.push(o("alert.lag", { topic, group, n: Number(lag) }));
    if (deadLetters > 0) found.push(o("alert.letters", { topic, group, n: deadLetters }));
  }
  for (const { service, host, seenTime, draining } of seen.replicas) {
    const silent = seenTime ? now - moment(seenTime) : 0;
    if (draining) found.push(o("alert.draining", { service, host }));
    else if (silent > SILENT) found.push(o("alert.silent", { service, host, time: spanText(silent) }));
  }
  return found;
}

/** Whether a number of the overview is one that needs a look. */
export function alarming(name: string, value: number): boolean {
  switch (name) {
    case "bots":
      return value === 0;
    case "oldest":
      return value > LONG_WAIT;
    case "lag":
      return value > LAG;
    default:
      return name === "letters" && value > 0;
  }
}
