/** A small game that plays itself beside the first page. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Board } from "../board/Board";
import { add, begin, colorOfMove } from "../game/timeline";
import { parsePoint } from "../go/points";
import { t } from "../i18n/text";

/** A game of our own AI against itself. */
const MOVES =
  "E5 C3 C4 D3 D4 E3 G3 F4 F5 G4 H4 G5 G6 H5 H6 H3 G2 J4 F3 E4 H2 B4 B5 B3 D7 J6 J7 J5 H7 F2 E2 D2 F1 A5 B6 A6 A7";

const PAUSE = 1400;

export function Showcase() {
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
    if (still) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") at.value = at.value >= count + 3 ? 0 : at.value + 1;
    }, PAUSE);
    return () => clearInterval(timer);
  }, [still, count, at]);
  const shown = Math.min(at.value, count);
  return (
    <div class="showcase">
      <Board
        size={9}
        stones={timeline.boards[shown] ?? []}
        last={timeline.moves[shown - 1]?.point ?? null}
        label={t("home.showcase")}
        small
      />
    </div>
  );
}
