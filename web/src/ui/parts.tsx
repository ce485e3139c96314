/** Small parts that many pages use. */

import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { type Refusal, refusal } from "../api/refusal";
import { BLACK, type Stone } from "../go/board";
import { en } from "../i18n/en";
import { dateText, type Key, t } from "../i18n/text";

/** The heading of a page. It takes the focus when the page is gone to, so that readers and the keyboard begin there. */
export function PageTitle({ children, title }: { children: ComponentChildren; title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Nigiri`;
  }, [title]);
  useEffect(() => {
    if (document.documentElement.dataset.visited) heading.current?.focus({ preventScroll: true });
    document.documentElement.dataset.visited = "yes";
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** A stone as a sign beside a name. */
export function StoneSign({ color }: { color: Stone }) {
  const paint = color === BLACK ? "black" : "white";
  return (
    <svg
      class="stone-sign"
      viewBox="0 0 20 20"
      role="img"
      aria-label={t(color === BLACK ? "black" : "white")}
    >
      <circle cx="10" cy="10" r="8.6" class={`body ${paint}`} />
    </svg>
  );
}

interface ChoiceProps<V extends string | number> {
  legend: string;
  value: V;
  options: readonly { value: V; text: string; hint?: string }[];
  onChange: (value: V) => void;
}

/** One of several: radio buttons that look like a row of buttons. */
export function Choice<V extends string | number>({ legend, value, options, onChange }: ChoiceProps<V>) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      <div class="row">
        {options.map((option) => (
          <label key={option.value} class={option.value === value ? "chosen" : ""} title={option.hint}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SwitchProps {
  text: string;
  on: boolean;
  onChange: (on: boolean) => void;
}

/** A thing that is on or off. */
export function Switch({ text, on, onChange }: SwitchProps) {
  return (
    <label class="switch">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span class="knob" aria-hidden="true" />
      <span>{text}</span>
    </label>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A question over the page. Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const from = document.activeElement;
    const dialog = box.current;
    dialog?.showModal();
    return () => {
      // Nothing else takes the focus while it is open.
      dialog?.close();
      if (from instanceof HTMLElement && from.isConnected) from.focus();
      else focusHeading();
    };
  }, []);
  return (
    <dialog ref={box} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** Puts the focus on the heading of the page: for when what had it goes away. */
export function focusHeading(): void {
  document.querySelector("h1")?.focus({ preventScroll: true });
}

/** What a failed call means, in the language of the page where we have words for it. */
export function refusalText(why: Refusal): string {
  const key = `why.${why.reason}`;
  const { reason, until_millis: until } = why.metadata;
  if (why.reason === "BANNED" && reason) {
    return until ? t("ban.until", { time: dateText(Number(until)), reason }) : t("ban.ever", { reason });
  }
  if (Object.hasOwn(en, key)) return t(key as Key);
  if (why.reason === "") return t("why.offline");
  return why.violations.length > 0 ? why.violations.join(" ") : why.message;
}

/** What any error means. */
export function errorText(error: unknown): string {
  return refusalText(refusal(error));
}

/** An error that is said aloud. */
export function Problem({ text }: { text: string }) {
  return text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : (
    <Fragment />
  );
}

/** A small picture in a button; the button has the words. */
const ICONS = {
  first: "M5 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  next: "M8 5l9 7-9 7z",
  last: "M19 5v14M5 5l9 7-9 7z",
  flag: "M6 21V4h11l-2 4 2 4H6",
  undo: "M9 5L4 10l5 5M4 10h11a5 5 0 0 1 0 10h-3",
  pass: "M5 12h14M13 6l6 6-6 6",
  scales: "M12 4v16M6 20h12M4 8h16M4 8l-2 6h6zM20 8l-2 6h6z",
  hand: "M7 13l4-4 3 3 5-5M4 18h16",
  save: "M12 4v10M8 10l4 4 4-4M5 19h14",
  again: "M4 12a8 8 0 1 0 3-6M7 2v5h5",
  link: "M10 14a4 4 0 0 0 6 0l4-4a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-4 4a4 4 0 0 0 6 6l1-1",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  share: "M12 15V3M8 7l4-4 4 4M6 11H5v10h14V11h-1",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
} as const;

export function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={ICONS[name]} />
    </svg>
  );
}
