/** A move by its name: for those who would rather type, or hear the board. */

import { useSignal } from "@preact/signals";
import { forbiddenText } from "../../board/Board";
import type { LiveGame } from "../../game/live";
import { type GameView, illegalOf, mayMove, stoneAt } from "../../game/view";
import { IllegalReason } from "../../gen/nigiri/game/v1/game_pb";
import { parsePoint } from "../../go/points";
import { t } from "../../i18n/text";
import { Problem } from "../../ui/parts";

export function TypedMove({ game, view }: { game: LiveGame; view: GameView }) {
  const text = useSignal("");
  const problem = useSignal("");
  if (view.result || view.state.agreement || game.me.value === undefined) return null;
  const submit = (event: Event) => {
    event.preventDefault();
    const point = parsePoint(text.value, view.settings.boardSize);
    if (point === null) {
      problem.value = t("typed.wrong");
      return;
    }
    const reason = stoneAt(view, point) ? IllegalReason.OCCUPIED : illegalOf(view).get(point);
    if (!mayMove(view, game.me.value)) problem.value = t("why.NOT_YOUR_TURN");
    else if (reason !== undefined) problem.value = forbiddenText(reason);
    else {
      problem.value = "";
      text.value = "";
      void game.move(point);
    }
  };
  return (
    <form class="typed" onSubmit={submit}>
      <label class="field">
        <span>{t("typed.label")}</span>
        <input
          type="text"
          size={4}
          maxLength={4}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          placeholder="D4"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="submit">{t("typed.play")}</button>
      <Problem text={problem.value} />
    </form>
  );
}
