/** What a player can do besides placing a stone. */

import { useSignal } from "@preact/signals";
import type { LiveGame } from "../../game/live";
import { type GameView, mayMove } from "../../game/view";
import { Color, type Takeback } from "../../gen/nigiri/game/v1/game_pb";
import { t } from "../../i18n/text";
import { Dialog, Icon } from "../../ui/parts";
import { Score } from "./score";

/** Which question is open. */
type Asking = "" | "pass" | "resign" | "count";

export function Actions({ game, view }: { game: LiveGame; view: GameView }) {
  const asking = useSignal<Asking>("");
  const me = game.me.value;
  if (view.result) return null;
  const ask = (what: Asking) => {
    asking.value = what;
    if (what !== "resign") void game.askPreview();
  };
  const close = () => {
    asking.value = "";
  };
  return (
    <div class="actions">
      {me !== undefined && !view.state.agreement && (
        <>
          <button type="button" disabled={!mayMove(view, me)} onClick={() => ask("pass")}>
            <Icon name="pass" /> {t("pass")}
          </button>
          <TakebackButton game={game} view={view} />
          <DrawButton game={game} view={view} />
        </>
      )}
      {!view.state.agreement && (
        <button type="button" onClick={() => ask("count")}>
          <Icon name="scales" /> {t("count")}
        </button>
      )}
      {me !== undefined && (
        <button type="button" class="careful" onClick={() => ask("resign")}>
          <Icon name="flag" /> {t("resign")}
        </button>
      )}
      {asking.value && <Question game={game} view={view} what={asking.value} onClose={close} />}
    </div>
  );
}

function takebackOf(view: GameView, me: Color | undefined): Takeback | undefined {
  if (me === undefined) return undefined;
  return me === Color.BLACK ? view.state.blackTakeback : view.state.whiteTakeback;
}

/** Whether one has made a proposal that is not answered. */
function proposes(view: GameView, me: Color | undefined): boolean {
  return view.state.proposals.some((proposal) => proposal.color === me);
}

function TakebackButton({ game, view }: { game: LiveGame; view: GameView }) {
  const me = game.me.value;
  const takeback = takebackOf(view, me);
  if (!takeback && view.settings.rated) return null;
  const may = takeback && !proposes(view, me);
  return (
    <button type="button" disabled={!may} onClick={() => void game.requestTakeback()}>
      <Icon name="undo" /> {t("takeback")}
    </button>
  );
}

function DrawButton({ game, view }: { game: LiveGame; view: GameView }) {
  const me = game.me.value;
  const { blackDrawOfferFrom, whiteDrawOfferFrom, ply } = view.state;
  const from = me === Color.BLACK ? blackDrawOfferFrom : whiteDrawOfferFrom;
  if (from === undefined) return null;
  return (
    <button type="button" disabled={ply < from || proposes(view, me)} onClick={() => void game.offerDraw()}>
      <Icon name="hand" /> {t("offerDraw")}
    </button>
  );
}

interface QuestionProps {
  game: LiveGame;
  view: GameView;
  what: Exclude<Asking, "">;
  onClose: () => void;
}

function Question({ game, view, what, onClose }: QuestionProps) {
  const preview = game.preview.value;
  const yes = () => {
    onClose();
    if (what === "pass") void game.move(null);
    else void game.resign();
  };
  const title = t(what === "pass" ? "ask.pass" : what === "resign" ? "ask.resign" : "ask.count");
  return (
    <Dialog title={title} onClose={onClose}>
      {what === "resign" ? (
        <p>{t(view.timeline.moves.length < 2 ? "ask.abortText" : "ask.resignText")}</p>
      ) : (
        <div class="preview">
          <p>{t("ask.countText")}</p>
          {preview?.verdict ? (
            <Score verdict={preview.verdict} result={preview.result} />
          ) : (
            <p>{t("ask.counting")}</p>
          )}
        </div>
      )}
      <div class="row end">
        <button type="button" onClick={onClose}>
          {t(what === "count" ? "close" : "cancel")}
        </button>
        {what !== "count" && (
          <button type="button" class={what === "resign" ? "main careful" : "main"} onClick={yes}>
            {t(what)}
          </button>
        )}
      </div>
    </Dialog>
  );
}
