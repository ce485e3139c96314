// What the three programs share: somebody who is signed in, calls that are sent again, and streams that resume.

import { randomUUID } from "node:crypto";

import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type CallOptions, type Client, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-node";

import type { GameSnapshot, GameUpdate } from "../gen/nigiri/game/v1/game_pb.js";
import { GameService } from "../gen/nigiri/game/v1/game_service_pb.js";
import { ChallengeService } from "../gen/nigiri/matchmaking/v1/challenge_service_pb.js";
import { MatchmakingService } from "../gen/nigiri/matchmaking/v1/matchmaking_service_pb.js";
import { type Player, SessionService, type Tokens } from "../gen/nigiri/session/v1/session_service_pb.js";
import { reason, Retry } from "./retry.js";

/** How long one attempt of a call may take. */
const ATTEMPT: CallOptions = { timeoutMs: 5_000 };

type Sessions = Client<typeof SessionService>;
type SignedIn = { player?: Player; tokens?: Tokens };

function transport(server: string, ...interceptors: Interceptor[]) {
  return createGrpcWebTransport({ baseUrl: server, httpVersion: "2", pingIntervalMs: 10_000, interceptors });
}

/** Somebody who is signed in: the clients' calls carry the token. */
export class Session {
  player!: Player;
  private tokens!: Tokens;
  private renewing?: Promise<void>;

  readonly games: Client<typeof GameService>;
  readonly matchmaking: Client<typeof MatchmakingService>;
  readonly challenges: Client<typeof ChallengeService>;
  readonly sessions: Sessions;
  /** Signing in and refreshing need no token. */
  private readonly bare: Sessions;

  private constructor(
    server: string,
    private readonly signIn: (sessions: Sessions) => Promise<SignedIn>,
    /** Whether to sign in anew when the refresh token is not good any more. */
    private readonly again: boolean,
  ) {
    const withToken = transport(server, (next) => async (request) => {
      request.header.set("authorization", `Bearer ${await this.token()}`);
      return next(request);
    });
    this.games = createClient(GameService, withToken);
    this.matchmaking = createClient(MatchmakingService, withToken);
    this.challenges = createClient(ChallengeService, withToken);
    this.sessions = createClient(SessionService, withToken);
    this.bare = createClient(SessionService, transport(server));
  }

  static guest(server: string, nickname: string): Promise<Session> {
    const requestId = randomUUID();
    return new Session(server, (sessions) => sessions.signInAsGuest({ nickname, requestId }, ATTEMPT), false).begin();
  }

  static bot(server: string, name: string, secret: string): Promise<Session> {
    return new Session(server, (sessions) => sessions.signInBot({ name, secret }, ATTEMPT), true).begin();
  }

  private async begin(): Promise<this> {
    this.keep(await this.call(() => this.signIn(this.bare)));
    return this;
  }

  private keep({ player, tokens }: SignedIn) {
    if (!player || !tokens) throw new Error("a sign-in without player or tokens");
    [this.player, this.tokens] = [player, tokens];
  }

  /** The token that goes with a call: a new one if the old one has less than a minute left. */
  private async token(): Promise<string> {
    const expires = this.tokens.accessExpireTime;
    if (expires && timestampMs(expires) - Date.now() < 60_000) await this.renewed();
    return this.tokens.accessToken;
  }

  /** One renewal for all calls that wait for it: a refresh token is good once. */
  private renewed(): Promise<void> {
    this.renewing ??= this.renew().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  private async renew() {
    const { refreshToken } = this.tokens;
    try {
      this.keep(await this.call(() => this.bare.refreshSession({ refreshToken }, ATTEMPT)));
    } catch (error) {
      if (!this.again) throw error;
      this.keep(await this.call(() => this.signIn(this.bare)));
    }
  }

  /** Calls until there is an answer. The request must be the same at each attempt, with its command id: then it takes effect once. */
  async call<T>(once: (options: CallOptions) => Promise<T>): Promise<T> {
    const retry = new Retry();
    for (let renewed = false; ; ) {
      try {
        return await once(ATTEMPT);
      } catch (error) {
        if (reason(error) === "TOKEN_EXPIRED" && !renewed) {
          await this.renewed();
          renewed = true;
        } else {
          await retry.after(error);
        }
      }
    }
  }

  /** Snapshots and updates of a game, in order and without a gap, whatever breaks. After a take-back it begins with a snapshot. */
  async *watch(gameId: string): AsyncGenerator<GameSnapshot | GameUpdate> {
    let last: bigint | undefined;
    const retry = new Retry();
    for (;;) {
      try {
        for await (const { message } of this.games.watch({ gameId, afterSequence: last })) {
          retry.succeeded();
          if (message.case === "ended") return;
          if (message.case === "draining") break;
          if (message.case !== "snapshot" && message.case !== "update") continue;
          last = message.value.sequence;
          if (message.case === "update" && message.value.events.some(({ event }) => event.case === "takenBack")) {
            last = undefined;
            break;
          }
          yield message.value;
        }
      } catch (error) {
        await retry.after(error);
      }
    }
  }
}
