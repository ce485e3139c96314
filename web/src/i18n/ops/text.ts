/** The messages of the operators' page, loaded with it. */

import { signal } from "@preact/signals";
import { format, type Language, language, type Message, type Values } from "../text";
import { en } from "./en";

export type OpsKey = keyof typeof en;
export type OpsCatalogue = Record<OpsKey, Message>;

const loaders: Record<Exclude<Language, "en">, () => Promise<{ default: OpsCatalogue }>> = {
  id: () => import("./id"),
  hi: () => import("./hi"),
  zh: () => import("./zh"),
  ja: () => import("./ja"),
  ko: () => import("./ko"),
};

const loaded = signal<Partial<Record<Language, OpsCatalogue>>>({ en });

/** A message of the operators' page in the language of the page; in English until that is there. */
export function o(key: OpsKey, values: Values = {}): string {
  const tag = language.value;
  const messages = loaded.value[tag];
  if (!messages && tag !== "en") {
    void loaders[tag]().then((module) => {
      loaded.value = { ...loaded.value, [tag]: module.default };
    });
  }
  return format((messages ?? en)[key], values, tag);
}
