/** A running clock. It looks at the time by itself, and touches the page only when what it shows changes. */

import { useEffect, useRef } from "preact/hooks";
import type { ServerClock } from "../api/server_clock";
import { clockText, type Face, face, passedThreshold } from "../game/clock";
import { bankOf, creditOf, deadlineOf, type GameView } from "../game/view";
import type { Color } from "../gen/nigiri/game/v1/game_pb";
import { number, t } from "../i18n/text";

interface ClockProps {
  view: GameView;
  color: Color;
  clock: ServerClock;
  /** Told when little time is left, once a threshold: in milliseconds. */
  onLow?: (left: number) => void;
}

/** What is beside the time: periods or stones left. */
function besideText(view: GameView, shown: Face): string {
  if (view.control.kind === "byoyomi") return t("clock.periods", { n: shown.count });
  if (view.control.kind === "canadian") return t("clock.stones", { n: shown.count });
  return "";
}

export function GameClock({ view, color, clock, onLow }: ClockProps) {
  const time = useRef<HTMLSpanElement>(null);
  const beside = useRef<HTMLSpanElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const deadline = deadlineOf(view, color);
  const running = deadline !== undefined;
  useEffect(() => {
    let timer = 0;
    let before = Number.NEGATIVE_INFINITY;
    const look = () => {
      const shown = face(view.control, bankOf(view, color), deadline, clock.read(), creditOf(view));
      if (!shown) return;
      put(time.current, clockText(shown.left));
      put(beside.current, besideText(view, shown));
      const low = running && shown.total <= 10_000;
      box.current?.classList.toggle("low", low);
      const passed = running ? passedThreshold(before, shown.total) : null;
      if (passed !== null) onLow?.(passed);
      before = shown.total;
      // Just after the next change of what is shown.
      const step = shown.left < 10_000 ? 100 : 1000;
      if (running && shown.total > 0) timer = window.setTimeout(look, (shown.left % step) + 5);
    };
    look();
    return () => clearTimeout(timer);
  }, [view, color, clock, deadline, running, onLow]);
  if (view.control.kind === "none") return null;
  const error = Number.isFinite(clock.error) ? t("clock.error", { ms: number(clock.error, 0) }) : "";
  return (
    <div ref={box} class={`clock ${running ? "running" : ""}`} role="timer" aria-live="off" title={error}>
      <span ref={time} class="time" />
      <span ref={beside} class="beside" />
    </div>
  );
}

function put(into: HTMLElement | null, text: string): void {
  if (into && into.textContent !== text) into.textContent = text;
}

interface CountdownProps {
  until: number;
  now: () => number;
}

/** From here on minutes are easier to read than seconds, in milliseconds. */
const LONG = 120_000;

/** Time until a moment: whole seconds, or as a clock shows it where it is long. */
export function Countdown({ until, now }: CountdownProps) {
  const text = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let timer = 0;
    const look = () => {
      const left = Math.max(0, until - now());
      put(text.current, left < LONG ? t("seconds", { n: Math.ceil(left / 1000) }) : clockText(left));
      if (left > 0) timer = window.setTimeout(look, (left % 1000) + 5);
    };
    look();
    return () => clearTimeout(timer);
  }, [until, now]);
  return <span ref={text} class="countdown" />;
}
