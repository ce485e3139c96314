/** Typed clients of the services, with the caller's token. */

import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { GameService } from "../gen/nigiri/game/v1/game_service_pb";
import { MatchmakingService } from "../gen/nigiri/matchmaking/v1/matchmaking_service_pb";
import { RatingService } from "../gen/nigiri/rating/v1/rating_service_pb";
import { SessionService } from "../gen/nigiri/session/v1/session_service_pb";
import { backoff, pause } from "./backoff";
import { accessToken } from "./doors";
import { isTransient, needsToken, refusal } from "./refusal";

/** Shows the token, and once more a new one when the server does not take it. */
const withToken: Interceptor = (next) => async (request) => {
  const token = await accessToken();
  if (!token) throw new ConnectError("nobody is signed in", Code.Unauthenticated);
  request.header.set("authorization", `Bearer ${token}`);
  try {
    return await next(request);
  } catch (error) {
    if (request.stream || !needsToken(refusal(error))) throw error;
    request.header.set("authorization", `Bearer ${await accessToken(token)}`);
    return next(request);
  }
};

export const transport = createGrpcWebTransport({
  baseUrl: globalThis.location?.origin ?? "",
  interceptors: [withToken],
});

export const games = createClient(GameService, transport);
export const matchmaking = createClient(MatchmakingService, transport);
export const ratings = createClient(RatingService, transport);
export const account = createClient(SessionService, transport);

/** Waits, but no longer than until the network is back. */
async function untilOnline(milliseconds: number): Promise<void> {
  const back = new AbortController();
  const stop = () => back.abort();
  addEventListener("online", stop);
  await pause(milliseconds, back.signal);
  removeEventListener("online", stop);
}

/** Repeats a call that may be sent again as it is, until it is answered; `goOn` says whether that still makes sense. */
export async function repeat<T>(call: () => Promise<T>, goOn: (attempt: number) => boolean): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(refusal(error)) || !goOn(attempt)) throw error;
      await untilOnline(backoff(attempt));
    }
  }
}
