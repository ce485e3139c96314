/** What is drawn on a board, layer by layer. */

import { memo } from "preact/compat";
import { BLACK, type Stone } from "../go/board";
import { columnName, starPoints } from "../go/points";
import { along, CELL, type Drawing, place } from "./geometry";

/** Lines, star points and coordinates: nothing here changes during a game. */
export const Ground = memo(({ on, coordinates }: { on: Drawing; coordinates: boolean }) => {
  const first = along(on, 0);
  const last = along(on, on.size - 1);
  const lines = Array.from({ length: on.size }, (_, line) => along(on, line));
  const path = lines.map((at) => `M${first} ${at}H${last}M${at} ${first}V${last}`).join("");
  return (
    <g aria-hidden="true">
      <path class="lines" d={path} />
      <rect class="rim" x={first} y={first} width={last - first} height={last - first} />
      {starPoints(on.size).map((point) => {
        const { x, y } = place(on, point);
        return <circle key={point} class="star" cx={x} cy={y} r={on.size > 13 ? 1.05 : 0.95} />;
      })}
      {coordinates && <Coordinates on={on} />}
    </g>
  );
});

function Coordinates({ on }: { on: Drawing }) {
  const near = on.size > 9 ? 4.6 : 3.7;
  const edge = on.side - near;
  const lines = Array.from({ length: on.size }, (_, line) => line);
  return (
    <g class={`coordinates ${on.size > 9 ? "" : "few"}`}>
      {lines.map((line) => (
        <g key={line}>
          <text x={along(on, line)} y={near}>
            {columnName(line)}
          </text>
          <text x={along(on, line)} y={edge}>
            {columnName(line)}
          </text>
          <text x={near} y={along(on, line)}>
            {on.size - line}
          </text>
          <text x={edge} y={along(on, line)}>
            {on.size - line}
          </text>
        </g>
      ))}
    </g>
  );
}

interface StoneProps {
  on: Drawing;
  point: number;
  color: Stone;
  /** How it looks: new, dead, waiting for the server, about to be placed, leaving. */
  look?: string;
}

/** One stone. */
export const StoneShape = memo(({ on, point, color, look = "" }: StoneProps) => {
  const { x, y } = place(on, point);
  const paint = color === BLACK ? "black" : "white";
  return (
    <g class={`stone ${paint} ${look}`} data-stone={paint}>
      <circle class="shadow" cx={x + 0.35} cy={y + 0.75} r={5.1} />
      <circle class="body" cx={x} cy={y} r={4.72} />
    </g>
  );
});

/** The circle of the last move. */
export function LastMark({ on, point, color }: { on: Drawing; point: number; color: Stone }) {
  const { x, y } = place(on, point);
  return <circle class={`last ${color === BLACK ? "on-black" : "on-white"}`} cx={x} cy={y} r={2.5} />;
}

/** The square of a point that ko forbids. */
export function KoMark({ on, point }: { on: Drawing; point: number }) {
  const { x, y } = place(on, point);
  return <rect class="ko" x={x - 2.1} y={y - 2.1} width={4.2} height={4.2} />;
}

/** The small square of who owns an empty point, or a dead stone's place. */
export function OwnerMark({ on, point, color }: { on: Drawing; point: number; color: Stone }) {
  const { x, y } = place(on, point);
  const paint = color === BLACK ? "black" : "white";
  return <rect class={`owner ${paint}`} x={x - 1.7} y={y - 1.7} width={3.4} height={3.4} rx={0.5} />;
}

/** A letter, a number or a sign on a point. */
export function Label({
  on,
  point,
  text,
  stone,
}: {
  on: Drawing;
  point: number;
  text: string;
  stone: Stone;
}) {
  const { x, y } = place(on, point);
  const kind = stone === 0 ? "on-wood" : stone === BLACK ? "on-black" : "on-white";
  return (
    <g class={`label ${kind}`}>
      {stone === 0 && <circle class="label-ground" cx={x} cy={y} r={3.4} />}
      <text x={x} y={y} class={text.length > 2 ? "long" : ""}>
        {text}
      </text>
    </g>
  );
}

/** Lines that show row and column of what is aimed at. */
export function Guides({ on, point }: { on: Drawing; point: number }) {
  const { x, y } = place(on, point);
  const first = along(on, 0) - 4;
  const last = along(on, on.size - 1) + 4;
  return <path class="guides" d={`M${first} ${y}H${last}M${x} ${first}V${last}`} />;
}

/** Where the keyboard is. */
export function CursorMark({ on, point }: { on: Drawing; point: number }) {
  const { x, y } = place(on, point);
  const half = CELL / 2 + 0.3;
  return <rect class="cursor" x={x - half} y={y - half} width={2 * half} height={2 * half} rx={1.6} />;
}
