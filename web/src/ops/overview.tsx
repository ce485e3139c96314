/** The whole system: numbers and their trends, what needs a look, the switches, the processes. */

import { useSignal } from "@preact/signals";
import { moment, length as span } from "../api/times";
import type { GetOverviewResponse, Replica } from "../gen/nigiri/operator/v1/operator_service_pb";
import { o } from "../i18n/ops/text";
import { number } from "../i18n/text";
import { alarming, alertsOf } from "./alerts";
import { DeedButton, Term, termOf, Words } from "./deed";
import { Seen, Table } from "./parts";
import { type Look, tower } from "./tower";
import { Gauge, remember } from "./trend";
import { agoText, spanText } from "./words";

/** The most characters of a notice. */
const LONGEST_NOTICE = 500;

export function Overview({ look }: { look: Look<GetOverviewResponse> }) {
  return (
    <Seen look={look}>
      {(seen) => (
        <>
          <Alerts seen={seen} />
          <Gauges seen={seen} at={look.at} />
          <div class="switches">
            <Matchmaking paused={seen.matchmakingPaused} onDone={look.again} />
            <Notice text={seen.notice} onDone={look.again} />
          </div>
          <Replicas replicas={seen.replicas} onDone={look.again} />
        </>
      )}
    </Seen>
  );
}

function Alerts({ seen }: { seen: GetOverviewResponse }) {
  const alerts = alertsOf(seen);
  if (alerts.length === 0) return <p class="well">{o("alert.none")}</p>;
  return (
    <section class="alerts" aria-labelledby="alerts">
      <h2 id="alerts">{o("alert.title")}</h2>
      <ul>
        {alerts.map((alert) => (
          <li key={alert}>{alert}</li>
        ))}
      </ul>
    </section>
  );
}

function Gauges({ seen, at }: { seen: GetOverviewResponse; at: number }) {
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const numbers = {
    games: Number(seen.liveGames),
    tickets: seen.openTickets,
    oldest: span(seen.oldestTicket),
    bots: seen.readyBots,
    streams: sum(seen.replicas.map(({ streams }) => streams)),
    lag: sum(seen.groups.map(({ lag }) => Number(lag))),
    letters: sum(seen.groups.map(({ deadLetters }) => deadLetters)),
  };
  const names = Object.keys(numbers) as (keyof typeof numbers)[];
  const last = useSignal(0);
  if (last.peek() !== at) {
    last.value = at;
    for (const name of names) remember(name, numbers[name]);
  }
  return (
    <dl class="gauges">
      {names.map((name) => (
        <Gauge
          key={name}
          of={name}
          name={o(`gauge.${name}`)}
          value={numbers[name]}
          show={name === "oldest" ? waitText : undefined}
          alarm={alarming(name, numbers[name])}
        />
      ))}
    </dl>
  );
}

function waitText(oldest: number): string {
  return oldest > 0 ? spanText(oldest) : "–";
}

interface SwitchProps {
  onDone: () => void;
}

function Matchmaking({ paused, onDone }: SwitchProps & { paused: boolean }) {
  return (
    <section class="card" aria-labelledby="matching">
      <h2 id="matching">{o("matching.title")}</h2>
      <p>{o(paused ? "matching.off" : "matching.on")}</p>
      <DeedButton
        act={paused ? "resume" : "pause"}
        careful={!paused}
        perform={(reason) => tower.pauseMatchmaking({ paused: !paused, reason })}
        onDone={onDone}
      />
    </section>
  );
}

function Notice({ text, onDone }: SwitchProps & { text: string }) {
  const next = useSignal("");
  const term = useSignal(3600);
  return (
    <section class="card" aria-labelledby="notice">
      <h2 id="notice">{o("notice.title")}</h2>
      {text ? <blockquote>{text}</blockquote> : <p>{o("notice.none")}</p>}
      <div class="row">
        <DeedButton
          act="notice"
          perform={(reason) => tower.setNotice({ text: next.value.trim(), duration: termOf(term), reason })}
          onDone={onDone}
          fields={() => (
            <>
              <Words label={o("do.text")} value={next} most={LONGEST_NOTICE} rows={3} />
              <Term value={term} endless="for.open" />
            </>
          )}
        />
        {text && (
          <DeedButton
            act="noticeBack"
            perform={(reason) => tower.setNotice({ text: "", reason })}
            onDone={onDone}
          />
        )}
      </div>
    </section>
  );
}

function Replicas({ replicas, onDone }: SwitchProps & { replicas: readonly Replica[] }) {
  const heads = [
    o("replicas.service"),
    o("replicas.host"),
    o("replicas.version"),
    o("replicas.up"),
    o("replicas.seen"),
    o("replicas.streams"),
    "",
  ];
  return (
    <div>
      <h2>{o("replicas.title")}</h2>
      <Table label={o("replicas.title")} heads={heads} empty={replicas.length === 0}>
        {replicas.map((replica) => (
          <tr key={replica.replicaId}>
            <td>
              {replica.service}{" "}
              <span class="tag">{o(replica.draining ? "replicas.draining" : "replicas.serving")}</span>
            </td>
            <td>{replica.host}</td>
            <td>{replica.version}</td>
            <td>
              {replica.startTime && o("forTime", { time: spanText(Date.now() - moment(replica.startTime)) })}
            </td>
            <td>{replica.seenTime && agoText(moment(replica.seenTime))}</td>
            <td>{number(replica.streams)}</td>
            <td>
              {!replica.draining && (
                <DeedButton
                  act="drain"
                  careful
                  about={{ service: replica.service, host: replica.host }}
                  perform={(reason) => tower.drainReplica({ replicaId: replica.replicaId, reason })}
                  onDone={onDone}
                />
              )}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
