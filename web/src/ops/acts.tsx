/** The audit log, and what the rules against abuse have found. */

import { useSignal } from "@preact/signals";
import { ratings } from "../api/clients";
import { moment } from "../api/times";
import { o } from "../i18n/ops/text";
import { dateText, t } from "../i18n/text";
import { go } from "../ui/router";
import { DeedButton } from "./deed";
import { Acts, GameLink, PlayerLink, Seen, Table } from "./parts";
import { tower, useLook } from "./tower";

const STEP = 50;
/** The most lines that a page may have. */
const MOST = 200;

/** The audit log, the newest act first; `on` is what the acts are on, empty for all. */
export function AuditLog({ on }: { on: string }) {
  const count = useSignal(STEP);
  const target = useSignal(on);
  const wanted = { target: on, pageSize: count.value };
  const look = useLook(JSON.stringify(wanted), (how) => tower.listActs(wanted, how));
  const filter = (event: Event) => {
    event.preventDefault();
    go(target.value.trim() ? `/ops/acts?on=${encodeURIComponent(target.value.trim())}` : "/ops/acts");
  };
  return (
    <>
      <form class="filters" onSubmit={filter}>
        <label class="field">
          <span>{o("acts.filter")}</span>
          <input
            type="text"
            value={target.value}
            onInput={(event) => (target.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit">{o("acts.filterGo")}</button>
      </form>
      <Seen look={look}>
        {({ acts, nextPageToken }) => (
          <>
            <Acts acts={acts} />
            {nextPageToken && count.value < MOST && (
              <button type="button" onClick={() => (count.value = Math.min(MOST, count.value + STEP))}>
                {t("more")}
              </button>
            )}
          </>
        )}
      </Seen>
    </>
  );
}

/** What the rules against abuse have found and nobody has resolved. */
export function Flags() {
  const look = useLook("flags", (how) => ratings.listFlags({ pageSize: 100 }, how), 5_000);
  const heads = [o("acts.when"), o("flags.about"), o("flags.what"), o("games.game"), ""];
  return (
    <Seen look={look}>
      {({ flags }) => (
        <Table label={o("tab.flags")} heads={heads} empty={flags.length === 0}>
          {flags.map(({ flagId, playerId, otherId, gameId, detail, raiseTime }) => (
            <tr key={flagId}>
              <td>{raiseTime && dateText(moment(raiseTime))}</td>
              <td>
                <PlayerLink id={playerId} /> – <PlayerLink id={otherId} />
              </td>
              <td class="text">{detail}</td>
              <td>
                <GameLink id={gameId} />
              </td>
              <td>
                <DeedButton
                  act="resolve"
                  perform={(note) => ratings.resolveFlag({ flagId, note })}
                  onDone={look.again}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Seen>
  );
}
