/** Small parts of the operators' page. */

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { moment } from "../api/times";
import { presetText, sizeText } from "../game/kinds";
import type { GameSummary, Seat } from "../gen/nigiri/game/v1/game_pb";
import { type Act, ActOutcome } from "../gen/nigiri/operator/v1/operator_service_pb";
import { o } from "../i18n/ops/text";
import { dateText, t } from "../i18n/text";
import { Problem, refusalText, StoneSign } from "../ui/parts";
import { Link } from "../ui/router";
import type { Look } from "./tower";
import { agoText, outcomeText } from "./words";

/** What the last look saw, once there is something; and a word when it is not up to date. */
export function Seen<T>({ look, children }: { look: Look<T>; children: (value: T) => ComponentChildren }) {
  const why = look.why ? refusalText(look.why) : "";
  return (
    <>
      <Problem text={why && o("look.stale", { why })} />
      {look.value === null ? !why && <p class="loading">{t("loading")}</p> : children(look.value)}
    </>
  );
}

interface TableProps {
  /** What the table is about, for those who hear it. */
  label: string;
  heads: readonly string[];
  empty?: boolean;
  children: ComponentChildren;
}

/** A table that scrolls by itself where it is too wide. */
export function Table({ label, heads, empty = false, children }: TableProps) {
  if (empty) return <p class="quiet">{o("look.none")}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by the keyboard.
    <section class="wide" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) =>
              head ? (
                <th key={head} scope="col">
                  {head}
                </th>
              ) : (
                <td key={head} />
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** An id, short; the whole one when it is pointed at. */
export function Id({ id }: { id: string }) {
  return (
    <code class="id" title={id}>
      {id.slice(0, 8)}
    </code>
  );
}

export function GameLink({ id }: { id: string }) {
  return (
    <Link to={`/ops/game?id=${id}`}>
      <Id id={id} />
    </Link>
  );
}

export function PlayerLink({ id, children }: { id: string; children?: ComponentChildren }) {
  return <Link to={`/ops/player?id=${id}`}>{children ?? <Id id={id} />}</Link>;
}

/** Both players, each a link. */
export function Pair({ seats }: { seats: readonly Seat[] }) {
  return (
    <span class="pair">
      {seats.map((seat) => (
        <span key={seat.playerId} class="seat">
          <StoneSign color={seat.color as 1 | 2} /> <PlayerLink id={seat.playerId}>{seat.name}</PlayerLink>
          {seat.bot && <span class="tag">{t("program")}</span>}
        </span>
      ))}
    </span>
  );
}

/** Games as lines of a table. */
export function Games({ label, games }: { label: string; games: readonly GameSummary[] }) {
  const heads = [o("games.game"), o("games.players"), o("games.preset"), o("games.since")];
  return (
    <Table label={label} heads={heads} empty={games.length === 0}>
      {games.map(({ gameId, seats, settings, createTime, result }) => (
        <tr key={gameId}>
          <td>
            <GameLink id={gameId} />
          </td>
          <td>
            <Pair seats={seats} />
          </td>
          <td>
            {settings && `${presetText(settings.preset)} · ${sizeText(settings.boardSize)}`}
            {settings?.rated && <span class="tag">{t("rated")}</span>}
            {result && <span class="tag">{result.text}</span>}
          </td>
          <td>{createTime && agoText(moment(createTime))}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Acts as lines of a table. */
export function Acts({ acts, on = true }: { acts: readonly Act[]; on?: boolean }) {
  const heads = [
    o("acts.when"),
    o("acts.who"),
    o("acts.act"),
    ...(on ? [o("acts.on")] : []),
    o("acts.why"),
    o("acts.outcome"),
  ];
  return (
    <Table label={o("tab.acts")} heads={heads} empty={acts.length === 0}>
      {acts.map((act) => (
        <tr key={act.actId}>
          <td>{act.beginTime && dateText(moment(act.beginTime))}</td>
          <td>
            <PlayerLink id={act.operatorId}>{act.operatorName}</PlayerLink>
          </td>
          <td class="text">
            {act.act}
            {act.detail && <small class="quiet"> {act.detail}</small>}
          </td>
          {on && (
            <td>
              {act.target && (
                <Link to={`/ops/acts?on=${encodeURIComponent(act.target)}`}>{shortTarget(act.target)}</Link>
              )}
            </td>
          )}
          <td class="text">{act.reason}</td>
          <td class={act.outcome === ActOutcome.FAILED ? "text loss" : undefined}>
            {outcomeText(act.outcome)}
            {act.error && <small> {act.error}</small>}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function shortTarget(target: string): string {
  return /^[0-9a-f-]{36}$/.test(target) ? target.slice(0, 8) : target;
}

/** One of several, or all of them. */
export function Filter({
  label,
  value,
  options,
}: {
  label: string;
  value: Signal<string>;
  options: Record<string, string>;
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value.value} onChange={(event) => (value.value = event.currentTarget.value)}>
        <option value="">{o("games.all")}</option>
        {Object.entries(options).map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
