/** Messages in the language that one reads. */

import { signal } from "@preact/signals";
import { en } from "./en";

/** A message with `{name}` places; a plural has one for each category of the language that it needs. */
export type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;

/** The names of all messages. */
export type Key = keyof typeof en;

/** A catalogue: every message, in one language. */
export type Catalogue = Record<Key, Message>;

/** The languages, by their own names. */
export const LANGUAGES = {
  en: "English",
  id: "Bahasa Indonesia",
  hi: "हिन्दी",
  zh: "中文",
  ja: "日本語",
  ko: "한국어",
} as const;

export type Language = keyof typeof LANGUAGES;

const loaders: Record<Exclude<Language, "en">, () => Promise<{ default: Catalogue }>> = {
  id: () => import("./id"),
  hi: () => import("./hi"),
  zh: () => import("./zh"),
  ja: () => import("./ja"),
  ko: () => import("./ko"),
};

/** The language of the page. */
export const language = signal<Language>("en");
const catalogue = signal<Catalogue>(en);

/** Whether we have this language. */
export function isLanguage(text: string | null): text is Language {
  return text !== null && Object.hasOwn(LANGUAGES, text);
}

/** The first of these that we have, else English. */
export function pickLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const short = tag.toLowerCase().split("-")[0] ?? "";
    if (isLanguage(short)) return short;
  }
  return "en";
}

/** Changes the language of the page, once its messages are there. */
export async function speak(next: Language): Promise<void> {
  const messages = next === "en" ? en : (await loaders[next]()).default;
  catalogue.value = messages;
  language.value = next;
  document.documentElement.lang = next;
}

/** How numbers and plurals are written, kept: to make one takes a phone as long as to draw the first page. */
const kept = new Map<string, unknown>();

function keptOf<T>(name: string, make: () => T): T {
  if (!kept.has(name)) kept.set(name, make());
  return kept.get(name) as T;
}

/** A number as a language writes it. Small whole ones are the same in all of ours. */
function numberIn(tag: string, value: number, digits?: number): string {
  if (Number.isInteger(value) && value >= 0 && value < 1000) return String(value);
  const make = () => new Intl.NumberFormat(tag, { maximumFractionDigits: digits });
  return keptOf(`${tag} ${digits}`, make).format(value);
}

/** What goes into the places of a message. */
export type Values = Record<string, string | number>;

/** A message in a language; `n` chooses the plural. Numbers are written as the language writes them. */
export function format(message: Message, values: Values, tag: string): string {
  let text: string;
  if (typeof message === "string") text = message;
  else {
    const rules = keptOf(tag, () => new Intl.PluralRules(tag));
    const category = rules.select(Number(values.n ?? 0));
    text = message[category] ?? message.other ?? "";
  }
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? numberIn(tag, value) : value;
  });
}

/** A message in the language of the page. */
export function t(key: Key, values: Values = {}): string {
  return format(catalogue.value[key], values, language.value);
}

/** A number as the language of the page writes it. */
export function number(value: number, digits = 1): string {
  return numberIn(language.value, value, digits);
}

/** A day and time as the language of the page writes it. */
export function dateText(moment: number): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeStyle: "short" }).format(moment);
}
