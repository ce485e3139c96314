/** What a number was over the last minutes, as a small line. It is kept while the page is open. */

import { o } from "../i18n/ops/text";
import { number } from "../i18n/text";

/** So many looks are kept: five minutes of them. */
const KEPT = 150;
const WIDE = 120;
const HIGH = 28;

const kept = new Map<string, number[]>();

/** Keeps what a look saw. */
export function remember(name: string, value: number): void {
  const values = kept.get(name) ?? [];
  values.push(value);
  if (values.length > KEPT) values.shift();
  kept.set(name, values);
}

/** The line of values in a box, as a path. */
export function trendPath(values: readonly number[], wide = WIDE, high = HIGH): string {
  const [low, most] = [Math.min(...values), Math.max(...values)];
  const x = (index: number) => (wide * index) / Math.max(1, values.length - 1);
  const y = (value: number) => (most === low ? high - 2 : 2 + ((high - 4) * (most - value)) / (most - low));
  return values
    .map((value, index) => `${index ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`)
    .join("");
}

interface GaugeProps {
  name: string;
  /** Under which name its values are kept. */
  of: string;
  value: number;
  /** Its values in words, where they are not just numbers. */
  show?: (value: number) => string;
  alarm?: boolean;
}

function count(value: number): string {
  return number(value, 0);
}

/** A number with its name and its trend. */
export function Gauge({ name, of, value, show = count, alarm = false }: GaugeProps) {
  const values = kept.get(of) ?? [];
  const [low, high] = [Math.min(...values, value), Math.max(...values, value)];
  const spoken = o("gauge.trend", { name, low: show(low), high: show(high) });
  return (
    <div class={`gauge ${alarm ? "alarm" : ""}`}>
      <dt>{name}</dt>
      <dd>
        <strong>{show(value)}</strong>
        {values.length > 1 && (
          <svg viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={spoken} preserveAspectRatio="none">
            <path d={trendPath(values)} />
          </svg>
        )}
      </dd>
    </div>
  );
}
