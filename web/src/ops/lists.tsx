/** Games that are played, and players who wait. */

import { useSignal } from "@preact/signals";
import { moment } from "../api/times";
import { presetText, sizeText } from "../game/kinds";
import { OFFERS } from "../game/settings";
import type { MatchSettings } from "../gen/nigiri/matchmaking/v1/matchmaking_service_pb";
import type { OpenTicket } from "../gen/nigiri/matchmaking/v1/queue_service_pb";
import { o } from "../i18n/ops/text";
import { number, t } from "../i18n/text";
import { DeedButton } from "./deed";
import { Filter, Games, PlayerLink, Seen, Table } from "./parts";
import { tower, useLook } from "./tower";
import { spanText } from "./words";

/** So many games are shown at once. */
const MOST = 200;

const PRESETS = () => Object.fromEntries(OFFERS.map(({ preset }) => [preset, presetText(preset)]));

export function LiveGames() {
  const preset = useSignal("");
  const size = useSignal("");
  const rated = useSignal("");
  const wanted = {
    preset: preset.value,
    boardSize: Number(size.value),
    rated: rated.value === "" ? undefined : rated.value === "yes",
    pageSize: MOST,
  };
  const look = useLook(JSON.stringify(wanted), (how) => tower.listLiveGames(wanted, how));
  return (
    <>
      <div class="filters">
        <Filter label={o("games.preset")} value={preset} options={PRESETS()} />
        <Filter
          label={o("games.size")}
          value={size}
          options={Object.fromEntries([9, 13, 19].map((each) => [String(each), sizeText(each)]))}
        />
        <Filter label={o("games.rated")} value={rated} options={{ yes: t("rated"), no: t("unrated") }} />
      </div>
      <Seen look={look}>
        {({ games, nextPageToken }) => (
          <>
            <Games label={o("tab.games")} games={games} />
            <p class="quiet">
              {o("games.count", { n: games.length })}
              {nextPageToken && " …"}
            </p>
          </>
        )}
      </Seen>
    </>
  );
}

export function Queue() {
  const preset = useSignal("");
  const wanted = { preset: preset.value, limit: MOST };
  const look = useLook(JSON.stringify(wanted), (how) => tower.listTickets(wanted, how));
  return (
    <>
      <div class="filters">
        <Filter label={o("games.preset")} value={preset} options={PRESETS()} />
      </div>
      <Seen look={look}>
        {({ tickets, total }) => (
          <>
            <Tickets tickets={tickets} onDone={look.again} />
            <p class="quiet">{o("queue.count", { n: total })}</p>
          </>
        )}
      </Seen>
    </>
  );
}

export function Tickets({ tickets, onDone }: { tickets: readonly OpenTicket[]; onDone: () => void }) {
  const heads = [o("queue.player"), o("queue.accepts"), o("queue.rating"), o("queue.waits"), ""];
  return (
    <Table label={o("tab.queue")} heads={heads} empty={tickets.length === 0}>
      {tickets.map((ticket) => (
        <tr key={ticket.ticketId}>
          <td>
            {ticket.player && <PlayerLink id={ticket.player.playerId}>{ticket.player.name}</PlayerLink>}
            {ticket.player?.guest && <span class="tag">{t("guest")}</span>}
          </td>
          <td>
            {ticket.accepts.map(acceptText).join(", ")}
            <span class="tag">{t(ticket.rated ? "rated" : "unrated")}</span>
            {ticket.allowAi && <span class="tag">{o("queue.ai")}</span>}
          </td>
          <td>{number(ticket.rating)}</td>
          <td>
            {ticket.openTime && spanText(Date.now() - moment(ticket.openTime))}
            {!ticket.followed && <span class="tag">{o("queue.unfollowed")}</span>}
          </td>
          <td>
            <DeedButton
              act="kick"
              careful
              perform={(reason) => tower.kickPlayer({ playerId: ticket.player?.playerId, reason })}
              onDone={onDone}
            />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function acceptText({ preset, boardSizes }: MatchSettings): string {
  return [presetText(preset), boardSizes.map(sizeText).join("/")].filter(Boolean).join(" ");
}
