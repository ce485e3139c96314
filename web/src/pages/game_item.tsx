/** A game in a list. */

import { presetText, sizeText, timeText } from "../game/kinds";
import type { GameSummary } from "../gen/nigiri/game/v1/game_pb";
import { t } from "../i18n/text";
import { StoneSign } from "../ui/parts";
import { Link } from "../ui/router";

export function GameItem({ game, aside, outcome }: { game: GameSummary; aside?: string; outcome?: string }) {
  const { settings } = game;
  return (
    <li>
      <Link to={`/game/${game.gameId}`}>
        <span class="pair">
          {game.seats.map((seat, index) => (
            <span key={seat.playerId}>
              {index > 0 && " – "}
              <StoneSign color={seat.color as 1 | 2} /> {seat.name}
              {seat.bot && <span class="tag">{t("program")}</span>}
            </span>
          ))}
        </span>
        {outcome && <span class="outcome">{outcome}</span>}
        <span class="what">
          {settings &&
            [
              presetText(settings.preset),
              sizeText(settings.boardSize),
              timeText(settings),
              t(settings.rated ? "rated" : "unrated"),
              aside,
            ]
              .filter(Boolean)
              .join(" · ")}
        </span>
      </Link>
    </li>
  );
}
