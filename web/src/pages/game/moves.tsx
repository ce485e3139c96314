/** The way through a game's moves. */

import type { GameView } from "../../game/view";
import { colorText } from "../../game/words";
import { pointName } from "../../go/points";
import { t } from "../../i18n/text";
import { Icon } from "../../ui/parts";

interface MovesProps {
  view: GameView;
  /** The move after which the board is shown; null for as it stands. */
  at: number | null;
  onChange: (at: number | null) => void;
}

export function Moves({ view, at, onChange }: MovesProps) {
  const count = view.timeline.moves.length;
  const shown = at ?? count;
  if (count === 0) return null;
  const to = (move: number) => onChange(move >= count ? null : Math.max(0, move));
  return (
    <nav class="moves" aria-label={t("moves.title")}>
      <div class="row">
        <button type="button" aria-label={t("moves.first")} disabled={shown === 0} onClick={() => to(0)}>
          <Icon name="first" />
        </button>
        <button
          type="button"
          aria-label={t("moves.back")}
          disabled={shown === 0}
          onClick={() => to(shown - 1)}
        >
          <Icon name="back" />
        </button>
        <output class="move-name">{moveText(view, shown)}</output>
        <button
          type="button"
          aria-label={t("moves.next")}
          disabled={at === null}
          onClick={() => to(shown + 1)}
        >
          <Icon name="next" />
        </button>
        <button type="button" aria-label={t("moves.last")} disabled={at === null} onClick={() => to(count)}>
          <Icon name="last" />
        </button>
      </div>
      <input
        type="range"
        aria-label={t("moves.slider")}
        aria-valuetext={moveText(view, shown)}
        min={0}
        max={count}
        value={shown}
        onInput={(event) => to(Number(event.currentTarget.value))}
      />
    </nav>
  );
}

function moveText(view: GameView, shown: number): string {
  const move = view.timeline.moves[shown - 1];
  if (!move) return t("moves.begin");
  const where = move.point === null ? t("pass") : pointName(move.point, view.settings.boardSize);
  return t("moves.move", { n: shown, color: colorText(move.color), point: where });
}
