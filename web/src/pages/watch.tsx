/** Games that are played now. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { games } from "../api/clients";
import { session } from "../api/session";
import { moment } from "../api/times";
import type { GameSummary } from "../gen/nigiri/game/v1/game_pb";
import { dateText, t } from "../i18n/text";
import { errorText, PageTitle, Problem } from "../ui/parts";
import { GameItem } from "./game_item";

/** How often the list is read again, in milliseconds. */
const AGAIN = 8_000;

export default function Watch() {
  const found = useSignal<GameSummary[] | null>(null);
  const problem = useSignal("");
  const known = session.value !== null;
  useEffect(() => {
    if (!known) return;
    const look = async () => {
      if (document.visibilityState === "hidden") return;
      try {
        found.value = (await games.listLiveGames({ pageSize: 100 })).games;
        problem.value = "";
      } catch (error) {
        problem.value = errorText(error);
      }
    };
    void look();
    const timer = setInterval(look, AGAIN);
    return () => clearInterval(timer);
  }, [known, found, problem]);
  return (
    <div class="narrow">
      <PageTitle title={t("menu.watch")}>{t("watch.title")}</PageTitle>
      <Problem text={problem.value} />
      {!known && <p>{t("watch.signIn")}</p>}
      {known && found.value === null && <p class="loading">{t("loading")}</p>}
      {found.value?.length === 0 && <p class="quiet">{t("watch.none")}</p>}
      <ul class="game-list">
        {found.value?.map((game) => (
          <GameItem key={game.gameId} game={game} aside={began(game)} />
        ))}
      </ul>
    </div>
  );
}

function began(game: GameSummary): string {
  return game.createTime ? t("watch.began", { time: dateText(moment(game.createTime)) }) : "";
}
