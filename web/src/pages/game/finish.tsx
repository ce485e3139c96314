/** The end of a game: result, score, rating, and what comes next. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { pause } from "../../api/backoff";
import { games, ratings, repeat } from "../../api/clients";
import type { LiveGame } from "../../game/live";
import { type GameView, seatOf } from "../../game/view";
import { resultText } from "../../game/words";
import { Color, EndReason } from "../../gen/nigiri/game/v1/game_pb";
import { type GetGameRatingResponse, RatingVerdict } from "../../gen/nigiri/rating/v1/rating_service_pb";
import { number, t } from "../../i18n/text";
import { errorText, Icon, Problem } from "../../ui/parts";
import { Link } from "../../ui/router";
import { Score } from "./score";

export function Finish({ game, view }: { game: LiveGame; view: GameView }) {
  const { result, verdict } = view;
  const me = game.me.value;
  if (!result) return null;
  const won = me !== undefined && result.winner === me;
  return (
    <section class={`finish ${won ? "won" : ""}`} aria-label={t("finish.title")}>
      <h2>{resultText(result)}</h2>
      {me !== undefined && result.winner !== Color.UNSPECIFIED && (
        <p class="outcome">{t(won ? "finish.won" : "finish.lost")}</p>
      )}
      {RULED.includes(result.reason) && <Ruling game={game} />}
      {verdict && <Score verdict={verdict} />}
      {view.settings.rated && <Change view={view} />}
      <div class="row">
        {me !== undefined && <Rematch game={game} view={view} />}
        <SaveButton view={view} />
        {me !== undefined && (
          <Link class="button" to="/">
            {t("finish.home")}
          </Link>
        )}
      </div>
    </section>
  );
}

/** Ends that somebody has decided who does not play, and said why. */
const RULED = [EndReason.ADJUDICATION, EndReason.UNRATED_ADJUDICATION, EndReason.VOID];

/** Why the game was decided, as the record has it. */
function Ruling({ game }: { game: LiveGame }) {
  const reason = useSignal("");
  useEffect(() => {
    let wanted = true;
    const { id: gameId, watchKey } = game;
    repeat(
      () => games.getGame({ gameId, watchKey }),
      (attempt) => wanted && attempt < 8,
    ).then(
      ({ record }) => {
        for (const { event } of record?.entries.flatMap((entry) => entry.events) ?? []) {
          if (event.case === "adjudicated") reason.value = event.value.reason;
        }
      },
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [game, reason]);
  return reason.value ? <p class="word">{t("end.reason", { reason: reason.value })}</p> : null;
}

function Rematch({ game, view }: { game: LiveGame; view: GameView }) {
  const me = game.me.value;
  const asked = me !== undefined && view.state.rematchRequestedBy.includes(me);
  const wanted = view.state.rematchRequestedBy.some((color) => color !== me);
  return (
    <button type="button" class="main" disabled={asked} onClick={() => void game.rematch()}>
      <Icon name="again" /> {t(asked ? "finish.asked" : wanted ? "finish.wanted" : "finish.rematch")}
    </button>
  );
}

/** What the game changed, as soon as it has counted. */
function Change({ view }: { view: GameView }) {
  const found = useSignal<GetGameRatingResponse | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    void (async () => {
      for (let attempt = 0; attempt < 20 && !gone.signal.aborted; attempt++) {
        try {
          found.value = await ratings.getGameRating({ gameId: view.id }, { signal: gone.signal });
          return;
        } catch {
          // It has not counted yet.
          await pause(Math.min(5000, 500 * (attempt + 1)), gone.signal);
        }
      }
    })();
    return () => gone.abort();
  }, [view.id, found]);
  const answer = found.value;
  if (!answer) return <p class="quiet">{t("finish.counting")}</p>;
  if (answer.verdict !== RatingVerdict.COUNTED) return <p class="quiet">{t("finish.notCounted")}</p>;
  return (
    <dl class="facts">
      {answer.changes.map((change, index) => {
        const seat = seatOf(view, index === 0 ? Color.BLACK : Color.WHITE);
        const [before, after] = [change.beforeMicros, change.afterMicros].map(
          (micros) => Number(micros) / 1e6,
        );
        const gain = (after ?? 0) - (before ?? 0);
        return (
          <div key={change.playerId}>
            <dt>{seat?.name}</dt>
            <dd>
              {number(after ?? 0, 0)} <span class={gain < 0 ? "loss" : "gain"}>{signed(gain)}</span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function signed(gain: number): string {
  return `${gain < 0 ? "−" : "+"}${number(Math.abs(gain))}`;
}

/** Saves the game as a file. */
export function SaveButton({ view }: { view: GameView }) {
  const problem = useSignal("");
  const save = async () => {
    try {
      const { sgf } = await games.exportSgf({ gameId: view.id });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
      link.download = `${view.seats.map((seat) => seat.name).join("-")}.sgf`;
      link.click();
      URL.revokeObjectURL(link.href);
      problem.value = "";
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  return (
    <>
      <button type="button" onClick={save}>
        <Icon name="save" /> SGF
      </button>
      <Problem text={problem.value} />
    </>
  );
}
