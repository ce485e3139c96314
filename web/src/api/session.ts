/** Who one is, in all tabs of this browser: tokens are kept, and refreshed by one tab at a time. */

import { createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { signal } from "@preact/signals";
import {
  type Player,
  PlayerKind,
  SessionService,
  type Tokens,
} from "../gen/nigiri/session/v1/session_service_pb";
import { refusal } from "./refusal";

const KEY = "nigiri.session";
/** An access token is replaced this long before it expires, in milliseconds. */
const EARLY = 30_000;

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

/** Calls that need no token. */
export const doors = createClient(
  SessionService,
  createGrpcWebTransport({ baseUrl: globalThis.location?.origin ?? "" }),
);

function read(): Session | null {
  try {
    const text = globalThis.localStorage?.getItem(KEY);
    return text ? (JSON.parse(text) as Session) : null;
  } catch {
    return null;
  }
}

function keep(next: Session | null): void {
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

/** Keeps what a sign-in or a refresh gave. */
export function adopt(player: Player | undefined, tokens: Tokens | undefined): Session {
  if (!player || !tokens) throw new Error("the answer has no player");
  const now = Date.now();
  const expires = Number(tokens.accessExpireTime?.seconds ?? 0n) * 1000;
  const next: Session = {
    id: player.id,
    name: player.name,
    guest: player.kind === PlayerKind.GUEST,
    access: tokens.accessToken,
    until: expires,
    since: now,
    refresh: tokens.refreshToken,
  };
  keep(next);
  sessionLost.value = "";
  return next;
}

/** Becomes a guest. The id is the same at each attempt of one sign-in, so that a lost answer leaves no second guest. */
export async function signInAsGuest(nickname: string, requestId: string): Promise<Session> {
  const answer = await doors.signInAsGuest({ nickname, requestId });
  return adopt(answer.player, answer.tokens);
}

/** Forgets who one is, here. */
export function forget(): void {
  keep(null);
}

/** Another name for the same player. */
export function renamed(name: string): void {
  if (session.value) keep({ ...session.value, name });
}

let refreshing: Promise<string> | null = null;

/** A token for a call; a new one when the old one is about to expire, or `stale` is what was refused. Empty for nobody. */
export async function accessToken(stale = ""): Promise<string> {
  const now = session.value;
  if (!now) return "";
  const old = now.until - Date.now() < EARLY && Date.now() - now.since > EARLY;
  if (now.access !== stale && !old) return now.access;
  refreshing ??= alone(() => renew(now.access)).finally(() => {
    refreshing = null;
  });
  return refreshing;
}

/** Runs in one tab at a time, where the browser can tell. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks ? await navigator.locks.request("nigiri.refresh", work) : await work();
}

async function renew(used: string): Promise<string> {
  const kept = read();
  if (!kept) {
    session.value = null;
    return "";
  }
  if (kept.access !== used) {
    // Another tab was first.
    session.value = kept;
    return kept.access;
  }
  try {
    const answer = await doors.refreshSession({ refreshToken: kept.refresh });
    return adopt(answer.player, answer.tokens).access;
  } catch (error) {
    const why = refusal(error);
    if (["REFRESH_TOKEN_INVALID", "REFRESH_TOKEN_REUSED", "SESSION_ENDED"].includes(why.reason)) {
      keep(null);
      sessionLost.value = why.reason;
    }
    throw error;
  }
}
