/** After two passes: the score that both are asked to agree on. */

import { moment } from "../../api/times";
import type { LiveGame } from "../../game/live";
import type { GameView } from "../../game/view";
import { colorText } from "../../game/words";
import { DeadStones } from "../../gen/nigiri/game/v1/game_pb";
import { t } from "../../i18n/text";
import { Countdown } from "../../ui/game_clock";
import { Score } from "./score";

export function AgreementPanel({ game, view }: { game: LiveGame; view: GameView }) {
  const agreement = view.state.agreement;
  const me = game.me.value;
  if (!agreement || view.result) return null;
  const { version, verdict, acceptedBy, deadline } = agreement;
  const accepted = me !== undefined && acceptedBy.includes(me);
  return (
    <section class="agreement" aria-label={t("agree.title")}>
      <h2>{t("agree.title")}</h2>
      <p>{t(marksAllowed(view) && me !== undefined ? "agree.textMark" : "agree.text")}</p>
      {verdict && <Score verdict={verdict} />}
      {acceptedBy.length > 0 && (
        <p class="quiet">{t("agree.accepted", { names: acceptedBy.map(colorText).join(", ") })}</p>
      )}
      {deadline && (
        <p class="quiet">
          {t("agree.until")} <Countdown until={moment(deadline)} now={game.clock.read.bind(game.clock)} />
        </p>
      )}
      {me !== undefined && (
        <div class="row">
          <button
            type="button"
            class="main"
            disabled={accepted}
            onClick={() => void game.acceptScore(version)}
          >
            {t(accepted ? "agree.waiting" : "agree.accept")}
          </button>
          <button type="button" onClick={() => void game.disputeScore(version)}>
            {t("agree.dispute")}
          </button>
        </div>
      )}
    </section>
  );
}

/** Whether players may mark chains: where territory is counted and both have to agree. */
export function marksAllowed(view: GameView): boolean {
  const { preset, options } = view.settings;
  const territory = ["territory", "igo", "japanese", "korean"].includes(preset);
  const way = options?.deadStones ?? DeadStones.UNSPECIFIED;
  const agreed = way === DeadStones.AGREEMENT || (way === DeadStones.UNSPECIFIED && preset !== "territory");
  return territory && agreed;
}
