/** What this browser's person likes. Kept here, not at the server. */

import { effect, signal } from "@preact/signals";
import { isLanguage, type Language, pickLanguage, speak } from "../i18n/text";

const KEY = "nigiri.preferences";

/** Light, dark, with strong contrast, or as the machine has it. */
export type Theme = "auto" | "light" | "dark" | "contrast";

export interface Preferences {
  language: Language | null;
  theme: Theme;
  sound: boolean;
  haptic: boolean;
  coordinates: boolean;
  /** Whether a stone is aimed first and placed by a second tap; null for: by touch, on boards larger than 9x9. */
  aim: boolean | null;
}

const usual: Preferences = {
  language: null,
  theme: "auto",
  sound: true,
  haptic: true,
  coordinates: true,
  aim: null,
};

function read(): Preferences {
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return usual;
  }
}

export const preferences = signal<Preferences>(read());

/** Changes some of them. */
export function prefer(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change };
  localStorage.setItem(KEY, JSON.stringify(preferences.value));
}

/** Puts language and theme into effect, now and at each change. The language of an address (`?lang=`) goes first. */
export async function obeyPreferences(): Promise<void> {
  const asked = new URLSearchParams(location.search).get("lang");
  if (isLanguage(asked)) prefer({ language: asked });
  addEventListener("storage", (event) => {
    if (event.key === KEY) preferences.value = read();
  });
  effect(() => {
    const { theme } = preferences.value;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  });
  await speak(preferences.value.language ?? pickLanguage(navigator.languages)).catch(() => speak("en"));
}
