/** Lengths of time, entries and outcomes as operators read them. */

import { toJson } from "@bufbuild/protobuf";
import { refusal } from "../api/refusal";
import { colorText } from "../game/words";
import { type GameEvent, GameEventSchema } from "../gen/nigiri/game/v1/game_pb";
import { ActOutcome } from "../gen/nigiri/operator/v1/operator_service_pb";
import { en } from "../i18n/ops/en";
import { type OpsKey, o } from "../i18n/ops/text";
import { refusalText } from "../ui/parts";

const STEPS: readonly [key: OpsKey, length: number][] = [
  ["span.days", 86_400_000],
  ["span.hours", 3_600_000],
  ["span.minutes", 60_000],
];

/** A length of time in its two largest parts: `2 h 5 min`. */
export function spanText(milliseconds: number): string {
  let rest = Math.max(0, milliseconds);
  const parts: string[] = [];
  for (const [key, length] of STEPS) {
    const n = Math.floor(rest / length);
    rest -= n * length;
    if (n > 0 || parts.length > 0) parts.push(n > 0 ? o(key, { n }) : "");
    if (parts.length === 2) break;
  }
  if (parts.length < 2) {
    const n = Math.floor(rest / 1000);
    parts.push(n > 0 || parts.length === 0 ? o("span.seconds", { n }) : "");
  }
  return parts.filter(Boolean).join(" ");
}

/** How long ago a moment was. */
export function agoText(moment: number): string {
  return o("ago", { time: spanText(Date.now() - moment) });
}

/** What happened, by the API's own name for it, with what belongs to it. */
export function eventText({ event }: GameEvent): { name: string; detail: string } {
  if (event.case === undefined) return { name: "?", detail: "" };
  const name = event.case.replace(/^./, (letter) => letter.toUpperCase());
  if (event.case === "movePlayed") {
    const { color, point, captured } = event.value;
    return {
      name,
      detail: `${colorText(color)} ${point}${captured.length > 0 ? ` ×${captured.length}` : ""}`,
    };
  }
  // The rest of its settings stand beside the board.
  if (event.case === "created") return { name, detail: event.value.settings?.preset ?? "" };
  if (event.case === "passed") return { name, detail: colorText(event.value.color) };
  if (event.case === "finished" && event.value.result) return { name, detail: event.value.result.text };
  const json = toJson(GameEventSchema, { $typeName: "nigiri.game.v1.GameEvent", event }) as Record<
    string,
    unknown
  >;
  return { name, detail: JSON.stringify(json[event.case]) };
}

/** What a failed call means to an operator. */
export function whyText(error: unknown): string {
  const why = refusal(error);
  const key = `why.${why.reason}`;
  return Object.hasOwn(en, key) ? o(key as OpsKey) : refusalText(why);
}

/** What came of an act. */
export function outcomeText(outcome: ActOutcome): string {
  if (outcome === ActOutcome.DONE) return o("outcome.done");
  return o(outcome === ActOutcome.FAILED ? "outcome.failed" : "outcome.begun");
}
