/** Messages that are loaded with the pages that need them, a language at a time. */

import { signal } from "@preact/signals";
import { format, type Language, language, type Message, type Values } from "./text";

type Catalogue<Key extends string> = Record<Key, Message>;
type Loader<Key extends string> = () => Promise<{ default: Catalogue<Key> }>;

/** Gives a message in the language of the page; in English until that is there. */
export function later<Key extends string>(
  en: Catalogue<Key>,
  loaders: Record<Exclude<Language, "en">, Loader<Key>>,
): (key: Key, values?: Values) => string {
  const loaded = signal<Partial<Record<Language, Catalogue<Key>>>>({ en });
  return (key, values = {}) => {
    const tag = language.value;
    const messages = loaded.value[tag];
    if (!messages && tag !== "en") {
      void loaders[tag]().then((module) => {
        loaded.value = { ...loaded.value, [tag]: module.default };
      });
    }
    return format((messages ?? en)[key], values, tag);
  };
}
