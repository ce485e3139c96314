/** What the opponent proposes, and what one has proposed oneself. */

import type { LiveGame } from "../../game/live";
import type { GameView } from "../../game/view";
import { colorText } from "../../game/words";
import { type Proposal, ProposalKind } from "../../gen/nigiri/game/v1/game_pb";
import { t } from "../../i18n/text";

export function ProposalPanel({ game, view }: { game: LiveGame; view: GameView }) {
  if (view.result) return null;
  return (
    <>
      {view.state.proposals.map((proposal) => (
        <One key={proposal.proposalId} game={game} proposal={proposal} />
      ))}
    </>
  );
}

function One({ game, proposal }: { game: LiveGame; proposal: Proposal }) {
  const me = game.me.value;
  const draw = proposal.kind === ProposalKind.DRAW;
  if (proposal.color === me)
    return <p class="notice">{t(draw ? "proposal.myDraw" : "proposal.myTakeback")}</p>;
  const values = { color: colorText(proposal.color), n: proposal.moves };
  return (
    <div class="notice ask">
      <p>{t(draw ? "proposal.draw" : "proposal.takeback", values)}</p>
      {me !== undefined && (
        <div class="row">
          <button type="button" class="main" onClick={() => void game.answer(proposal, true)}>
            {t("accept")}
          </button>
          <button type="button" onClick={() => void game.answer(proposal, false)}>
            {t("decline")}
          </button>
        </div>
      )}
    </div>
  );
}
