/** What an operator does: a button, a question with a reason, and what came of it. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type OpsKey, o } from "../i18n/ops/text";
import { t } from "../i18n/text";
import { announce } from "../ui/announce";
import { Dialog, errorText, Problem } from "../ui/parts";

/** The most characters of a reason. */
const LONGEST = 200;

/** The acts that have words: `do.<act>` and `do.<act>Text`. */
export type Deed = {
  [K in OpsKey]: K extends `do.${infer Act}Text` ? Act : never;
}[OpsKey];

interface DeedProps {
  act: Deed;
  /** What the words of the act are about. */
  about?: Record<string, string>;
  /** Whether it cannot be undone, or takes something from somebody. */
  careful?: boolean;
  /** What else has to be said. */
  children?: ComponentChildren;
  perform: (reason: string) => Promise<unknown>;
  onDone?: () => void;
}

export function DeedButton(props: DeedProps) {
  const asking = useSignal(false);
  return (
    <>
      <button
        type="button"
        class={props.careful ? "careful" : undefined}
        onClick={() => {
          asking.value = true;
        }}
      >
        {o(`do.${props.act}`)}
      </button>
      {asking.value && <Question {...props} onClose={() => (asking.value = false)} />}
    </>
  );
}

function Question({
  act,
  about = {},
  careful,
  children,
  perform,
  onDone,
  onClose,
}: DeedProps & { onClose: () => void }) {
  const reason = useSignal("");
  const problem = useSignal("");
  const busy = useSignal(false);
  const title = o(`do.${act}`);
  const go = async (event: Event) => {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    problem.value = "";
    try {
      await perform(reason.value.trim());
      announce(o("do.done", { what: title }));
      onClose();
      onDone?.();
    } catch (error) {
      problem.value = errorText(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="deed" onSubmit={go}>
        <p>{o(`do.${act}Text`, about)}</p>
        {children}
        <label class="field">
          <span>{o("do.reason")}</span>
          <input
            type="text"
            required
            maxLength={LONGEST}
            value={reason.value}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
          <small class="quiet">{o("do.reasonHint")}</small>
        </label>
        <Problem text={problem.value} />
        <div class="row end">
          <button type="button" onClick={onClose}>
            {t("cancel")}
          </button>
          <button type="submit" class={careful ? "main careful" : "main"} disabled={busy.value}>
            {title}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const HOUR = 3600;
const TERMS: readonly { key: OpsKey; seconds: number }[] = [
  { key: "for.hour", seconds: HOUR },
  { key: "for.day", seconds: 24 * HOUR },
  { key: "for.week", seconds: 7 * 24 * HOUR },
  { key: "for.month", seconds: 30 * 24 * HOUR },
];

interface TermProps {
  /** In seconds; 0 for no end. */
  value: number;
  endless: "for.ever" | "for.open";
  onChange: (seconds: number) => void;
}

/** For how long something holds. */
export function Term({ value, endless, onChange }: TermProps) {
  return (
    <label class="field">
      <span>{o("do.for")}</span>
      <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {TERMS.map(({ key, seconds }) => (
          <option key={key} value={seconds}>
            {o(key)}
          </option>
        ))}
        <option value={0}>{o(endless)}</option>
      </select>
    </label>
  );
}
