/** A rating over one's games, as a line. */

import { sizeText } from "../game/kinds";
import type { RatingPoint } from "../gen/nigiri/rating/v1/rating_service_pb";
import { number, t } from "../i18n/text";

const WIDE = 640;
const HIGH = 200;
const LEFT = 46;
const EDGE = 14;

/** Round numbers between which the values lie, with those in between. */
export function scale(low: number, high: number): number[] {
  const steps = [10, 20, 50, 100, 200, 500];
  const step = steps.find((each) => (high - low) / each <= 4) ?? 1000;
  const first = Math.floor(low / step) * step;
  const last = Math.max(first + step, Math.ceil(high / step) * step);
  return Array.from({ length: Math.round((last - first) / step) + 1 }, (_, index) => first + index * step);
}

export function Graph({ points, size }: { points: readonly RatingPoint[]; size: number }) {
  if (points.length < 2) return null;
  const first = points[0] as RatingPoint;
  const values = [Number(first.beforeMicros), ...points.map((point) => Number(point.afterMicros))].map(
    (micros) => micros / 1e6,
  );
  const lines = scale(Math.min(...values), Math.max(...values));
  const [low = 0, high = 1] = [lines[0], lines[lines.length - 1]];
  const x = (index: number) => LEFT + (index / (values.length - 1)) * (WIDE - LEFT - EDGE);
  const y = (value: number) => HIGH - EDGE - ((value - low) / (high - low)) * (HIGH - 2 * EDGE);
  const path = values
    .map((value, index) => `${index ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`)
    .join("");
  const last = values[values.length - 1] ?? 0;
  const text = t("player.graph", {
    size: sizeText(size),
    n: points.length,
    from: Math.round(values[0] ?? 0),
    to: Math.round(last),
    most: Math.round(Math.max(...values)),
  });
  return (
    <svg class="graph" viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={text}>
      {lines.map((line) => (
        <g key={line}>
          <path class="grid" d={`M${LEFT} ${y(line)}H${WIDE - EDGE}`} />
          <text x={LEFT - 8} y={y(line) + 4} text-anchor="end">
            {number(line)}
          </text>
        </g>
      ))}
      <path class="path" d={path} />
      <circle class="now" cx={x(values.length - 1)} cy={y(last)} r={4.5} />
    </svg>
  );
}
