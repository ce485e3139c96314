/** Who one is, in all tabs of this browser. How one signs in is in `doors.ts`, which is loaded when it is needed. */

import { signal } from "@preact/signals";

const KEY = "nigiri.session";

/** A signed-in player, as it is kept. */
export interface Session {
  id: string;
  name: string;
  guest: boolean;
  access: string;
  /** When the access token expires, by this machine's clock, in milliseconds. */
  until: number;
  /** When it was had. */
  since: number;
  refresh: string;
}

/** Who one is; null before the first sign-in. */
export const session = signal<Session | null>(read());

/** Why the last session ended, in the API's terms; empty while nothing was lost. */
export const sessionLost = signal("");

/** What is kept, by whichever tab. */
export function read(): Session | null {
  try {
    const text = globalThis.localStorage?.getItem(KEY);
    return text ? (JSON.parse(text) as Session) : null;
  } catch {
    return null;
  }
}

/** Keeps who one is, or that one is nobody. */
export function keep(next: Session | null): void {
  session.value = next;
  if (next) localStorage.setItem(KEY, JSON.stringify(next));
  else localStorage.removeItem(KEY);
}

globalThis.addEventListener?.("storage", (event) => {
  if (event.key === KEY || event.key === null) session.value = read();
});

/** A random UUID (version 4), also where the page was not loaded by TLS. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Forgets who one is, here. */
export function forget(): void {
  keep(null);
}

/** Another name for the same player. */
export function renamed(name: string): void {
  if (session.value) keep({ ...session.value, name });
}
