/** What an operator does: a button, a question with a reason, and what came of it. */

import { type Signal, signal, useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { seconds } from "../api/times";
import { type OpsKey, o } from "../i18n/ops/text";
import { t } from "../i18n/text";
import { announce } from "../ui/announce";
import { Dialog, focusHeading, Problem } from "../ui/parts";
import { address } from "../ui/router";
import { whyText } from "./words";

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
  fields?: () => ComponentChildren;
  perform: (reason: string) => Promise<unknown>;
  onDone?: () => void;
}

/**
 * The question that is open. It does not belong to its button: what the button stands in may go away while somebody writes, a game that ends
 * or a letter that another operator deals with, and what was written has to stay.
 */
const asked = signal<DeedProps | null>(null);

export function DeedButton(deed: DeedProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () => () => {
      if (document.activeElement === button.current) focusHeading();
    },
    [],
  );
  return (
    <button
      ref={button}
      type="button"
      class={deed.careful ? "careful" : undefined}
      onClick={() => {
        asked.value = deed;
      }}
    >
      {o(`do.${deed.act}`)}
    </button>
  );
}

/** The open question, once in the page. Who goes to another part of it has answered with no. */
export function OpenQuestion() {
  const place = address.value;
  useEffect(
    () => () => {
      asked.value = null;
    },
    [place],
  );
  return asked.value && <Question {...asked.value} onClose={() => (asked.value = null)} />;
}

function Question({
  act,
  about = {},
  careful,
  fields,
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
      problem.value = whyText(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="deed" onSubmit={go}>
        <p>{o(`do.${act}Text`, about)}</p>
        {fields?.()}
        <Words label={o("do.reason")} value={reason} most={LONGEST} hint={o("do.reasonHint")} />
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

interface WordsProps {
  label: string;
  value: Signal<string>;
  /** The most characters. */
  most: number;
  /** How many rows it has, where it may be longer than a line. */
  rows?: number;
  hint?: string;
}

/** Words that have to be there; blanks are none. */
export function Words({ label, value, most, rows, hint }: WordsProps) {
  const box = useRef<HTMLInputElement | HTMLTextAreaElement>(null);
  const text = value.value;
  useLayoutEffect(() => {
    box.current?.setCustomValidity(text.trim() ? "" : o("do.words"));
  }, [text]);
  const shared = {
    required: true,
    maxLength: most,
    value: text,
    onInput: (event: { currentTarget: { value: string } }) => {
      value.value = event.currentTarget.value;
    },
  };
  return (
    <label class="field">
      <span>{label}</span>
      {rows ? (
        <textarea ref={box as RefObject<HTMLTextAreaElement>} rows={rows} {...shared} />
      ) : (
        <input ref={box as RefObject<HTMLInputElement>} type="text" {...shared} />
      )}
      {hint && <small class="quiet">{hint}</small>}
    </label>
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
  value: Signal<number>;
  endless: "for.ever" | "for.open";
}

/** For how long something holds. */
export function Term({ value, endless }: TermProps) {
  return (
    <label class="field">
      <span>{o("do.for")}</span>
      <select
        value={value.value}
        onChange={(event) => {
          value.value = Number(event.currentTarget.value);
        }}
      >
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

/** A term as a request has it: none for no end. */
export function termOf(value: Signal<number>): ReturnType<typeof seconds> | undefined {
  return value.value > 0 ? seconds(value.value) : undefined;
}
