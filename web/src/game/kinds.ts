/** What is played, in words: presets, boards, clocks. */

import { length as span } from "../api/times";
import type { GameSettings } from "../gen/nigiri/game/v1/game_pb";
import { type Key, number, t } from "../i18n/text";
import type { TimeInit } from "./settings";

const PRESETS: Record<string, Key> = {
  quick: "preset.quick",
  territory: "preset.territory",
  weiqi: "preset.weiqi",
  igo: "preset.igo",
};

/** The name of a preset; that of a ruleset as other servers write it. */
export function presetText(preset: string): string {
  const key = PRESETS[preset];
  return key
    ? t(key)
    : preset
        .split("-")
        .map((word) => word[0]?.toUpperCase() + word.slice(1))
        .join(" ");
}

/** A board's size in words. */
export function sizeText(size: number): string {
  return `${size}×${size}`;
}

/** How time is measured, in words. */
export function timeText(settings: GameSettings): string {
  return controlText(settings.timeControl);
}

/** A time control in words. */
export function controlText(time: TimeInit | undefined): string {
  const control = time?.control;
  const minutes = (time: Parameters<typeof span>[0]) => number(span(time) / 60_000);
  const secs = (time: Parameters<typeof span>[0]) => number(span(time) / 1000);
  switch (control?.case) {
    case "perMove":
      return t("time.perMove", { seconds: secs(control.value.time) });
    case "absolute":
      return t("time.absolute", { minutes: minutes(control.value.time) });
    case "fischer":
      return t("time.fischer", {
        minutes: minutes(control.value.time),
        seconds: secs(control.value.increment),
      });
    case "byoyomi": {
      const { time, period, periods = 0 } = control.value;
      return t("time.byoyomi", { minutes: minutes(time), periods, seconds: secs(period) });
    }
    case "canadian": {
      const { time, period, stones = 0 } = control.value;
      return t("time.canadian", { minutes: minutes(time), stones, seconds: secs(period) });
    }
    default:
      return t("time.none");
  }
}
