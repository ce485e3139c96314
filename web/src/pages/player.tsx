/** A player: ratings with their graph, and the games. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { account, games, ratings } from "../api/clients";
import { session } from "../api/session";
import { moment } from "../api/times";
import { sizeText } from "../game/kinds";
import { resultText } from "../game/words";
import { Color, type GameSummary } from "../gen/nigiri/game/v1/game_pb";
import {
  GameScore,
  type GetStatisticsResponse,
  type Rating,
  type RatingPoint,
} from "../gen/nigiri/rating/v1/rating_service_pb";
import { type Player, PlayerKind } from "../gen/nigiri/session/v1/session_service_pb";
import { dateText, number, t } from "../i18n/text";
import { errorText, PageTitle, Problem } from "../ui/parts";
import { BlockButton } from "./blocks";
import { GameItem } from "./game_item";
import { Graph } from "./graph";

export default function PlayerPage({ rest }: { rest: string }) {
  const player = useSignal<Player | null>(null);
  const problem = useSignal("");
  const known = session.value !== null;
  useEffect(() => {
    if (!known) return;
    account.getPlayer({ playerId: rest }).then(
      (answer) => {
        player.value = answer.player ?? null;
      },
      (error) => {
        problem.value = errorText(error);
      },
    );
  }, [rest, known]);
  const found = player.value;
  return (
    <div class="narrow">
      <PageTitle title={found?.name ?? t("player.title")}>
        {found?.name ?? t("player.title")}
        {found && <span class="tag">{kindText(found.kind)}</span>}
      </PageTitle>
      <Problem text={problem.value} />
      {!known && <p>{t("watch.signIn")}</p>}
      {found?.createTime && (
        <p class="quiet">{t("player.since", { time: dateText(moment(found.createTime)) })}</p>
      )}
      {found && found.id !== session.value?.id && <BlockButton id={found.id} />}
      {found && <Ratings id={found.id} />}
      {found && <History id={found.id} />}
    </div>
  );
}

function kindText(kind: PlayerKind): string {
  return kind === PlayerKind.BOT ? t("program") : kind === PlayerKind.GUEST ? t("guest") : t("player.title");
}

function Ratings({ id }: { id: string }) {
  const found = useSignal<Rating[] | null>(null);
  useEffect(() => {
    ratings.listPlayerRatings({ playerId: id }).then(
      (answer) => {
        found.value = answer.ratings;
      },
      () => undefined,
    );
  }, [id]);
  return (
    <section aria-labelledby="ratings">
      <h2 id="ratings">{t("player.ratings")}</h2>
      {found.value?.length === 0 && <p class="quiet">{t("player.noRatings")}</p>}
      {found.value?.map((rating) => (
        <Pool key={`${rating.boardSize}${rating.bots}`} rating={rating} />
      ))}
    </section>
  );
}

function Pool({ rating }: { rating: Rating }) {
  const points = useSignal<RatingPoint[]>([]);
  const statistics = useSignal<GetStatisticsResponse | null>(null);
  const { playerId, boardSize, bots } = rating;
  useEffect(() => {
    const request = { playerId, boardSize, bots };
    ratings.listRatingPoints({ ...request, pageSize: 500 }).then(
      (answer) => {
        points.value = answer.points.toReversed();
      },
      () => undefined,
    );
    ratings.getStatistics(request).then(
      (answer) => {
        statistics.value = answer;
      },
      () => undefined,
    );
  }, [playerId, boardSize, bots]);
  const count = (score: GameScore) =>
    number(
      (statistics.value?.cells ?? []).reduce(
        (sum, cell) => sum + (cell.score === score ? Number(cell.games) : 0),
        0,
      ),
    );
  return (
    <div class="pool">
      <h3>
        {sizeText(boardSize)}: {number(rating.points)}
        {rating.provisional && <span class="tag">{t("player.provisional")}</span>}
      </h3>
      {statistics.value && (
        <p class="quiet">
          {t("player.wins", {
            wins: count(GameScore.WIN),
            losses: count(GameScore.LOSS),
            draws: count(GameScore.DRAW),
          })}
        </p>
      )}
      <Graph points={points.value} size={boardSize} />
    </div>
  );
}

function History({ id }: { id: string }) {
  const page = useSignal<{ games: GameSummary[]; next: string } | null>(null);
  const problem = useSignal("");
  const load = async (pageToken: string) => {
    try {
      const answer = await games.listGames({ playerId: id, pageSize: 25, pageToken });
      const before = pageToken && page.value ? page.value.games : [];
      page.value = { games: [...before, ...answer.games], next: answer.nextPageToken };
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  useEffect(() => {
    void load("");
  }, [id]);
  return (
    <section aria-labelledby="games">
      <h2 id="games">{t("player.games")}</h2>
      <Problem text={problem.value} />
      {page.value?.games.length === 0 && <p class="quiet">{t("player.noGames")}</p>}
      <ul class="game-list">
        {page.value?.games.map((game) => (
          <GameItem key={game.gameId} game={game} aside={asideText(game)} outcome={outcomeText(game, id)} />
        ))}
      </ul>
      {page.value?.next && (
        <button type="button" onClick={() => void load(page.value?.next ?? "")}>
          {t("more")}
        </button>
      )}
    </section>
  );
}

function asideText(game: GameSummary): string {
  const when = game.finishTime ? dateText(moment(game.finishTime)) : "";
  return [t("player.moves", { n: game.moves }), when].filter(Boolean).join(" · ");
}

/** The result, marked with whether the player won it. */
function outcomeText(game: GameSummary, id: string): string {
  if (!game.result) return "";
  const own = game.seats.find((seat) => seat.playerId === id)?.color;
  const sign = game.result.winner === Color.UNSPECIFIED ? "=" : game.result.winner === own ? "✓" : "✗";
  return `${sign} ${resultText(game.result)}`;
}
