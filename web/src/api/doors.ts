/** Signing in, and tokens: kept for all tabs of this browser, and refreshed by one tab at a time. */

import { createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { type Player, SessionService, type Tokens } from "../gen/nigiri/session/v1/session_service_pb";
import "./details";
import { PlayerKind } from "./enums";
import { refusal } from "./refusal";
import { keep, read, type Session, session, sessionLost } from "./session";

/** An access token is replaced this long before it expires, in milliseconds. */
const EARLY = 30_000;

/** Calls that need no token. */
export const doors = createClient(
  SessionService,
  createGrpcWebTransport({ baseUrl: globalThis.location?.origin ?? "" }),
);

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
  const taken = () => {
    session.value = read();
    return session.value?.access ?? "";
  };
  const kept = read();
  // Another tab was first, or nobody is signed in any more.
  if (kept?.access !== used) return taken();
  // Signing in and out wait for nobody: what another tab has kept meanwhile counts, and not what becomes of the session that it has left.
  const left = () => read()?.refresh !== kept.refresh;
  try {
    const answer = await doors.refreshSession({ refreshToken: kept.refresh });
    return left() ? taken() : adopt(answer.player, answer.tokens).access;
  } catch (error) {
    if (left()) return taken();
    const why = refusal(error);
    if (["REFRESH_TOKEN_INVALID", "REFRESH_TOKEN_REUSED", "SESSION_ENDED"].includes(why.reason)) {
      keep(null);
      sessionLost.value = why.reason;
    }
    throw error;
  }
}
