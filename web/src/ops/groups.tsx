/** Consumer groups: what they have not dealt with yet, and what failed for good. */

import { useSignal } from "@preact/signals";
import type { GetOverviewResponse } from "../gen/nigiri/operator/v1/operator_service_pb";
import { o } from "../i18n/ops/text";
import { number, t } from "../i18n/text";
import { DeedButton } from "./deed";
import { Seen, Table } from "./parts";
import { type Look, tower, useLook } from "./tower";

interface Which {
  topic: string;
  group: string;
}

export function Groups({ look }: { look: Look<GetOverviewResponse> }) {
  const open = useSignal<Which | null>(null);
  const heads = [o("groups.topic"), o("groups.group"), o("groups.lag"), o("groups.letters"), ""];
  return (
    <>
      <Seen look={look}>
        {({ groups }) => (
          <Table label={o("tab.groups")} heads={heads} empty={groups.length === 0}>
            {groups.map(({ topic, group, lag, deadLetters }) => (
              <tr key={`${topic} ${group}`}>
                <td>{topic}</td>
                <td>{group}</td>
                <td>{number(Number(lag))}</td>
                <td class={deadLetters > 0 ? "loss" : undefined}>{number(deadLetters)}</td>
                <td>
                  {deadLetters > 0 && (
                    <button type="button" onClick={() => (open.value = { topic, group })}>
                      {o("groups.show")}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Seen>
      {open.value && <Letters which={open.value} onDone={look.again} onClose={() => (open.value = null)} />}
    </>
  );
}

function Letters({ which, onDone, onClose }: { which: Which; onDone: () => void; onClose: () => void }) {
  const look = useLook(`${which.topic} ${which.group}`, (how) => tower.listDeadLetters(which, how), 5_000);
  const done = () => {
    look.again();
    onDone();
  };
  return (
    <section class="stack" aria-labelledby="letters">
      <div class="row">
        <h2 id="letters">{o("letters.title", { ...which })}</h2>
        <button type="button" onClick={onClose}>
          {t("close")}
        </button>
      </div>
      <Seen look={look}>
        {({ letters }) => (
          <Table
            label={o("groups.letters")}
            heads={[o("letters.error"), o("letters.message"), ""]}
            empty={letters.length === 0}
          >
            {letters.map(({ letterId, error, summary }) => (
              <tr key={letterId}>
                <td class="text">{error}</td>
                <td>
                  <code class="summary">{summary}</code>
                </td>
                <td>
                  <div class="row">
                    <DeedButton
                      act="replay"
                      perform={(reason) => tower.replayDeadLetter({ ...which, letterId, reason })}
                      onDone={done}
                    />
                    <DeedButton
                      act="discard"
                      careful
                      perform={(reason) => tower.discardDeadLetter({ ...which, letterId, reason })}
                      onDone={done}
                    />
                  </div>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Seen>
    </section>
  );
}
