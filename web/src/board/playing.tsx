/** A small game that plays itself. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { add, begin, colorOfMove } from "../game/timeline";
import { parsePoint } from "../go/points";
import { t } from "../i18n/text";
import { Board } from "./Board";

/** A game of our own AI against itself. */
const MOVES =
  "E7 E5 F6 D4 F5 F4 G4 C8 D6 G3 F3 E4 C4 G5 H4 C5 D5 D3 C3 F2 D2 E3 E2 C2 B2 C1 B1 D1 E1 F3 H3 H2 H5 G6 G7 E6 H6 D7 C6 B5 G2 G1 F1 G2 J2 B6 H1";

const PAUSE = 1400;

/** The game, which goes on while it is seen. */
export function Playing({ on }: { on: boolean }) {
  const start = useMemo(() => ({ size: 9, handicap: 0, free: false }), []);
  const timeline = useMemo(
    () =>
      MOVES.split(" ").reduce(
        (line, name, index) => add(line, colorOfMove(start, index), parsePoint(name, start.size)),
        begin(start),
      ),
    [start],
  );
  const count = timeline.moves.length;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const at = useSignal(still ? count : 6);
  useEffect(() => {
    if (still || !on) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") at.value = at.value >= count + 3 ? 0 : at.value + 1;
    }, PAUSE);
    return () => clearInterval(timer);
  }, [still, on, count, at]);
  const shown = Math.min(at.value, count);
  return (
    <Board
      size={9}
      stones={timeline.boards[shown] ?? []}
      last={timeline.moves[shown - 1]?.point ?? null}
      label={t("home.showcase")}
      small
    />
  );
}
