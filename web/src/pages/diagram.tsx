/** A position in a lesson; its moves can be shown and taken back. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { IllegalReason } from "../api/enums";
import { Board } from "../board/Board";
import { owners, parseBoard, replay } from "../go/board";
import { parsePoint } from "../go/points";
import { lesson } from "../i18n/lessons/text";
import type { Diagram } from "../lessons/diagrams";

export function DiagramBoard({ diagram, label }: { diagram: Diagram; label: string }) {
  const played = useSignal(false);
  const size = diagram.rows.length;
  const before = useMemo(() => parseBoard(diagram.rows), [diagram]);
  const after = useMemo(() => {
    const at = (name: string) => parsePoint(name, size) ?? 0;
    return (diagram.moves ?? []).reduce(
      (board, { point, color }) => replay(board, size, at(point), color).stones,
      before,
    );
  }, [diagram, size, before]);
  const at = (name: string) => parsePoint(name, size) ?? 0;
  const stones = played.value ? after : before;
  const owner = useMemo(() => (diagram.counted ? owners(before, size) : undefined), [diagram, before, size]);
  const labels = new Map(Object.entries(diagram.labels ?? {}).map(([name, text]) => [at(name), text]));
  const ko = played.value ? diagram.ko : undefined;
  return (
    <div>
      <Board
        size={size}
        stones={stones}
        label={label}
        small
        labels={ko ? new Map() : labels}
        owner={owner}
        turn={ko?.color}
        illegal={ko && new Map([[at(ko.point), IllegalReason.KO]])}
      />
      {diagram.moves && (
        <button
          type="button"
          class="show-move"
          aria-pressed={played.value}
          onClick={() => (played.value = !played.value)}
        >
          {lesson(played.value ? "rules.back" : "rules.show")}
        </button>
      )}
    </div>
  );
}
