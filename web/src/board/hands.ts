/** Mouse, finger and keyboard on a board. */

import { useRef, useState } from "preact/hooks";
import { IllegalReason } from "../api/enums";
import { EMPTY } from "../go/board";
import { preferences } from "../ui/prefs";
import type { BoardProps } from "./Board";
import { type Drawing, pointUnder, step } from "./geometry";

/** What the hands do, as the board shows it. */
export interface Hands {
  /** The point that is aimed at. */
  aimed: number | null;
  /** Where the keyboard is. */
  cursor: number;
  focused: boolean;
  /** Whether the keyboard was used last. */
  keyed: boolean;
  /** Whether what is aimed at may be played. */
  allowed: boolean;
  /** Whether lines show what is aimed at. */
  guided: boolean;
  handlers: object;
}

export function useHands(props: BoardProps, on: Drawing): Hands {
  const { size, stones, turn, illegal } = props;
  const [aimed, setAimed] = useState<number | null>(null);
  const [cursor, setCursor] = useState(Math.floor((size * size) / 2));
  const [focused, setFocused] = useState(false);
  const [keyed, setKeyed] = useState(false);
  const finger = useRef(false);
  const free = aimed !== null && stones[aimed] === EMPTY && !illegal?.has(aimed);
  const act = (point: number) => {
    setAimed(null);
    actOn(props, point);
  };
  const tap = (event: MouseEvent) => {
    const point = under(event, on);
    if (point === null) return;
    setKeyed(false);
    setCursor(point);
    const aimFirst = preferences.value.aim ?? (finger.current && size > 9);
    if (turn && aimFirst && aimed !== point) setAimed(point);
    else act(point);
  };
  const move = (event: PointerEvent) => {
    finger.current = event.pointerType === "touch";
    if (!finger.current && !preferences.value.aim) setAimed(turn ? under(event, on) : null);
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = step(event.key, cursor, size);
    if (next !== null) {
      setKeyed(true);
      setCursor(next);
    } else if (event.key === "Enter" || event.key === " ") act(cursor);
    else if (event.key === "Escape") setAimed(null);
    else return;
    event.preventDefault();
  };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      finger.current = event.pointerType === "touch";
    },
    onPointerMove: move,
    onPointerLeave: () => !finger.current && !preferences.value.aim && setAimed(null),
    onClick: tap,
    onKeyDown: key,
    onFocus: (event: FocusEvent) => {
      setFocused(true);
      setKeyed((event.currentTarget as Element).matches(":focus-visible"));
    },
    onBlur: () => setFocused(false),
  };
  const guided = size > 9 && (finger.current || Boolean(preferences.value.aim));
  const allowed = aimed === null || !turn || free;
  return { aimed: turn ? aimed : null, cursor, focused, keyed, allowed, guided, handlers };
}

/** The point that is under the pointer. */
function under(event: MouseEvent, on: Drawing): number | null {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  return pointUnder(on, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
}

/** Plays on a point, or says why it may not be played; picks it when nothing can be placed now. */
function actOn({ stones, turn, illegal, onPlay, onForbidden, onPick }: BoardProps, point: number): void {
  if (!turn || !onPlay) {
    onPick?.(point);
    return;
  }
  const reason = stones[point] === EMPTY ? illegal?.get(point) : IllegalReason.OCCUPIED;
  if (reason === undefined) onPlay(point);
  else onForbidden?.(point, reason);
}
