/** A player at the board: name, captures, clock, and whether they are there. */

import { moment } from "../../api/times";
import type { LiveGame } from "../../game/live";
import { type GameView, seatOf } from "../../game/view";
import { capturesOf } from "../../game/words";
import type { Color } from "../../gen/nigiri/game/v1/game_pb";
import { t } from "../../i18n/text";
import { Countdown, GameClock } from "../../ui/game_clock";
import { StoneSign } from "../../ui/parts";
import { Link } from "../../ui/router";

interface PlayerCardProps {
  game: LiveGame;
  view: GameView;
  color: Color;
  onLow?: (left: number) => void;
}

export function PlayerCard({ game, view, color, onLow }: PlayerCardProps) {
  const seat = seatOf(view, color);
  if (!seat) return null;
  const turn = view.state.turn === color && !view.result && !view.state.agreement;
  const mine = game.me.value === color;
  return (
    <section class={`player ${turn ? "to-move" : ""} ${mine ? "own" : "opposite"}`} aria-label={seat.name}>
      <StoneSign color={color as 1 | 2} />
      <div class="who">
        <Link to={`/player/${seat.playerId}`} class="name">
          {seat.name}
        </Link>
        {seat.bot && <span class="tag">{t("program")}</span>}
        {mine && <span class="tag you">{t("you")}</span>}
        <span class="captures">{t("captures", { n: capturesOf(view, color) })}</span>
        <Away game={game} view={view} color={color} />
      </div>
      {!view.result && <GameClock view={view} color={color} clock={game.clock} onLow={onLow} />}
    </section>
  );
}

function Away({ game, view, color }: { game: LiveGame; view: GameView; color: Color }) {
  const absence = view.state.absences.find((one) => one.color === color);
  if (!absence || view.result) return null;
  const until = absence.deadline && moment(absence.deadline);
  return (
    <span class="away">
      {t(absence.left ? "player.left" : "player.away")}{" "}
      {until !== undefined && <Countdown until={until} now={game.clock.read.bind(game.clock)} />}
    </span>
  );
}
