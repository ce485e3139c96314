/** One player: account, ratings, games, and all that an operator can do. */

import { useSignal } from "@preact/signals";
import { moment } from "../api/times";
import { sizeText } from "../game/kinds";
import type { GetPlayerResponse } from "../gen/nigiri/operator/v1/operator_service_pb";
import type { GetAccountResponse } from "../gen/nigiri/session/v1/accounts_service_pb";
import { PlayerKind } from "../gen/nigiri/session/v1/session_service_pb";
import { o } from "../i18n/ops/text";
import { dateText, number, t } from "../i18n/text";
import { Link } from "../ui/router";
import { DeedButton, Term, termOf, Words } from "./deed";
import { Tickets } from "./lists";
import { Acts, Games, PlayerLink, Seen } from "./parts";
import { type Look, tower, useLook } from "./tower";

export function OnePlayer({ id }: { id: string }) {
  const look = useLook(id, (how) => tower.getPlayer({ playerId: id }, how), 5_000);
  return <Seen look={look}>{(found) => <Found id={id} found={found} look={look} />}</Seen>;
}

interface FoundProps {
  id: string;
  found: GetPlayerResponse;
  look: Look<GetPlayerResponse>;
}

function Found({ id, found, look }: FoundProps) {
  const { account, ratings, liveGames, lastGames, ticket, acts } = found;
  if (!account?.player) return null;
  return (
    <>
      <h2>
        {account.player.name} <span class="tag">{kindText(account.player.kind)}</span>
      </h2>
      <p class="quiet">
        {o("game.id")} <code>{id}</code> · <Link to={`/player/${id}`}>{o("player.profile")}</Link>
        {account.player.createTime &&
          ` · ${t("player.since", { time: dateText(moment(account.player.createTime)) })}`}
      </p>
      <Ban account={account} />
      <PlayerDeeds id={id} account={account} onDone={look.again} />
      {ratings.length > 0 && (
        <p>
          {ratings
            .map(
              ({ boardSize, points, games }) =>
                `${sizeText(boardSize)}: ${number(points)} (${number(games)})`,
            )
            .join(" · ")}
        </p>
      )}
      {ticket && (
        <>
          <h3>{o("player.waits")}</h3>
          <Tickets tickets={[ticket]} onDone={look.again} />
        </>
      )}
      <h3>{o("player.live")}</h3>
      <Games label={o("player.live")} games={liveGames} />
      <h3>{o("player.last")}</h3>
      <Games label={o("player.last")} games={lastGames} />
      <Sessions account={account} />
      <h3>{o("game.acts")}</h3>
      <Acts acts={acts} on={false} />
    </>
  );
}

function kindText(kind: PlayerKind): string {
  return kind === PlayerKind.BOT ? t("program") : t(kind === PlayerKind.GUEST ? "guest" : "player.title");
}

function Ban({ account }: { account: GetAccountResponse }) {
  const { banned, banEndTime, banReason } = account;
  if (!banned) return null;
  const text = banEndTime
    ? o("player.bannedUntil", { time: dateText(moment(banEndTime)), why: banReason })
    : o("player.banned", { why: banReason });
  return <p class="problem">{text}</p>;
}

function Sessions({ account }: { account: GetAccountResponse }) {
  const { sessions, bots } = account;
  return (
    <>
      <h3>{o("player.sessions")}</h3>
      {sessions.length === 0 && <p class="quiet">{o("look.none")}</p>}
      <ul>
        {sessions.map(({ id, createTime, refreshTime }) => (
          <li key={id}>
            {createTime &&
              refreshTime &&
              o("player.session", {
                since: dateText(moment(createTime)),
                used: dateText(moment(refreshTime)),
              })}
          </li>
        ))}
      </ul>
      {bots.length > 0 && (
        <>
          <h3>{o("player.bots")}</h3>
          <ul>
            {bots.map(({ id, name }) => (
              <li key={id}>
                <PlayerLink id={id}>{name}</PlayerLink>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The most characters of a name. */
const LONGEST_NAME = 24;

interface DeedsProps {
  id: string;
  account: GetAccountResponse;
  onDone: () => void;
}

function PlayerDeeds({ id, account, onDone }: DeedsProps) {
  const term = useSignal(24 * 3600);
  const name = useSignal("");
  const playerId = id;
  return (
    <div class="row">
      <DeedButton
        act="rename"
        perform={(reason) => tower.renamePlayer({ playerId, name: name.value.trim(), reason })}
        onDone={onDone}
        fields={() => <Words label={o("do.name")} value={name} most={LONGEST_NAME} />}
      />
      <DeedButton
        act="kick"
        careful
        perform={(reason) => tower.kickPlayer({ playerId, reason })}
        onDone={onDone}
      />
      {account.banned && (
        <DeedButton
          act="unban"
          perform={(reason) => tower.unbanPlayer({ playerId, reason })}
          onDone={onDone}
        />
      )}
      <DeedButton
        act="ban"
        careful
        perform={(reason) => tower.banPlayer({ playerId, duration: termOf(term), reason })}
        onDone={onDone}
        fields={() => <Term value={term} endless="for.ever" />}
      />
    </div>
  );
}
