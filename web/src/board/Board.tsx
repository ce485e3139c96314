/** A Go board: drawn, played on by mouse, finger and keyboard, and read aloud. */

import { memo } from "preact/compat";
import { useId, useMemo, useRef } from "preact/hooks";
import { IllegalReason } from "../api/enums";
import { BLACK, EMPTY, type Stone, type Stones, WHITE } from "../go/board";
import { pointName } from "../go/points";
import { type Key, t } from "../i18n/text";
import { preferences } from "../ui/prefs";
import { CELL, type Drawing, drawing, place } from "./geometry";
import { useHands } from "./hands";
import { CursorMark, Ground, Guides, KoMark, Label, LastMark, OwnerMark, StoneShape } from "./Layers";

export interface BoardProps {
  size: number;
  stones: Stones;
  /** What the board is called when it is read aloud. */
  label: string;
  /** The point of the last move; null for none. */
  last?: number | null;
  /** A stone that the server has not confirmed yet. */
  pending?: number | null;
  /** The colour that may be placed now; none when nothing can be. */
  turn?: Stone;
  /** Empty points that may not be played now, and why. */
  illegal?: ReadonlyMap<number, IllegalReason>;
  onPlay?: (point: number) => void;
  /** Told of a click on a point that may not be played. */
  onForbidden?: (point: number, reason: IllegalReason) => void;
  /** Told of a click on a stone while nothing can be placed: to mark chains. */
  onPick?: (point: number) => void;
  /** Who owns each point, when the board is counted. */
  owner?: readonly Stone[];
  dead?: ReadonlySet<number>;
  /** Letters and signs on points. */
  labels?: ReadonlyMap<number, string>;
  /** Without coordinates, whatever is preferred: for small diagrams. */
  small?: boolean;
}

const FORBIDDEN: Record<IllegalReason, Key> = {
  [IllegalReason.UNSPECIFIED]: "board.illegal",
  [IllegalReason.OCCUPIED]: "board.occupied",
  [IllegalReason.SUICIDE]: "board.suicide",
  [IllegalReason.KO]: "board.ko",
  [IllegalReason.SUPERKO]: "board.superko",
};

/** Why a point may not be played, in words. */
export function forbiddenText(reason: IllegalReason): string {
  return t(FORBIDDEN[reason]);
}

export function Board(props: BoardProps) {
  const { size, stones, label, small = false } = props;
  const coordinates = preferences.value.coordinates && !small;
  const on = useMemo(() => drawing(size, coordinates), [size, coordinates]);
  const id = useId();
  const hands = useHands(props, on);
  const active = hands.focused ? `${id}-${hands.cursor}` : undefined;
  const acts = Boolean(props.onPlay ?? props.onPick);
  return (
    <div
      class={`board ${small ? "small" : ""} ${hands.allowed ? "" : "forbidden"}`}
      role={acts ? "grid" : "img"}
      aria-label={label}
      aria-activedescendant={acts ? active : undefined}
      aria-readonly={acts ? !props.turn : undefined}
      tabIndex={acts ? 0 : undefined}
      data-size={size}
      {...(acts ? hands.handlers : {})}
    >
      <svg viewBox={`0 0 ${on.side} ${on.side}`} role="presentation" focusable="false">
        <Ground on={on} coordinates={coordinates} />
        <Pieces {...props} on={on} />
        {hands.aimed !== null && hands.guided && <Guides on={on} point={hands.aimed} />}
        {hands.aimed !== null && hands.allowed && props.turn && (
          <StoneShape on={on} point={hands.aimed} color={props.turn} look="ghost" />
        )}
        {hands.focused && hands.keyed && <CursorMark on={on} point={hands.cursor} />}
        {acts && <Cells id={id} on={on} stones={stones} last={props.last} illegal={props.illegal} />}
      </svg>
    </div>
  );
}

/** Stones and marks. Stones that have just left the board fade; the drawing remembers them until the next change. */
function Pieces(props: BoardProps & { on: Drawing }) {
  const { on, stones, last = null, pending = null, owner, dead, labels, illegal } = props;
  const before = useRef<{ stones: Stones; old: Stones }>({ stones, old: stones });
  if (before.current.stones !== stones) before.current = { stones, old: before.current.stones };
  const { old } = before.current;
  const look = (point: number) => {
    if (dead?.has(point)) return "dead";
    if (point === pending) return "pending";
    return old[point] === EMPTY && old !== stones ? "new" : "";
  };
  const ko = [...(illegal ?? [])].filter(
    ([, why]) => why === IllegalReason.KO || why === IllegalReason.SUPERKO,
  );
  return (
    <g aria-hidden="true">
      {old.length === stones.length &&
        old.map((stone, point) =>
          stone !== EMPTY && stones[point] === EMPTY ? (
            <StoneShape key={`gone${point}`} on={on} point={point} color={stone} look="leaving" />
          ) : null,
        )}
      {stones.map((stone, point) =>
        stone === EMPTY ? null : (
          <StoneShape key={point} on={on} point={point} color={stone} look={look(point)} />
        ),
      )}
      {props.turn !== undefined && ko.map(([point]) => <KoMark key={`ko${point}`} on={on} point={point} />)}
      {owner?.map((color, point) =>
        color !== EMPTY && (stones[point] === EMPTY || dead?.has(point)) ? (
          <OwnerMark key={`own${point}`} on={on} point={point} color={color} />
        ) : null,
      )}
      {last !== null && stones[last] ? <LastMark on={on} point={last} color={stones[last]} /> : null}
      {[...(labels ?? [])].map(([point, text]) => (
        <Label key={`label${point}`} on={on} point={point} text={text} stone={stones[point] ?? EMPTY} />
      ))}
    </g>
  );
}

interface CellsProps {
  id: string;
  on: Drawing;
  stones: Stones;
  last: number | null | undefined;
  illegal: ReadonlyMap<number, IllegalReason> | undefined;
}

/** The points as a grid, for those who hear the board. */
const Cells = memo(({ id, on, stones, last, illegal }: CellsProps) => {
  const rows = Array.from({ length: on.size }, (_, row) => row);
  return (
    <g class="cells">
      {rows.map((row) => (
        <g key={row} role="row">
          {rows.map((column) => {
            const point = row * on.size + column;
            const { x, y } = place(on, point);
            return (
              <rect
                key={point}
                id={`${id}-${point}`}
                role="gridcell"
                aria-label={cellText(on.size, stones, point, last, illegal)}
                x={x - CELL / 2}
                y={y - CELL / 2}
                width={CELL}
                height={CELL}
              />
            );
          })}
        </g>
      ))}
    </g>
  );
});

function cellText(
  size: number,
  stones: Stones,
  point: number,
  last: number | null | undefined,
  illegal: ReadonlyMap<number, IllegalReason> | undefined,
): string {
  const name = pointName(point, size);
  const stone = stones[point];
  const what = stone === BLACK ? t("board.black") : stone === WHITE ? t("board.white") : t("board.empty");
  const reason = illegal?.get(point);
  const more = point === last ? `, ${t("board.last")}` : reason ? `, ${forbiddenText(reason)}` : "";
  return `${name}, ${what}${more}`;
}
