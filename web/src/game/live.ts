/** A game that is followed, and what one does in it. */

import { batch, computed, type Signal, signal } from "@preact/signals";
import { games, repeat } from "../api/clients";
import { Follower, type Heard } from "../api/follow";
import { type Refusal, refusal } from "../api/refusal";
import { ServerClock } from "../api/server_clock";
import { randomId, session } from "../api/session";
import { moment } from "../api/times";
import type { Color, GameEvent, Proposal } from "../gen/nigiri/game/v1/game_pb";
import type { PreviewScoreResponse, WatchResponse } from "../gen/nigiri/game/v1/game_service_pb";
import { play as place, type Stone, type Stones } from "../go/board";
import { pointName } from "../go/points";
import { boardOf, colorOf, fold, fromSnapshot, type GameView, mayMove, stoneAt } from "./view";

/** A move that has been sent, and not been told back. */
export interface Pending {
  ply: number;
  /** Null for a pass. */
  point: number | null;
}

/** An entry with what was before it, for those who say aloud what happened. */
export interface Happening {
  events: GameEvent[];
  before: GameView;
  after: GameView;
}

export class LiveGame {
  readonly view = signal<GameView | null>(null);
  readonly pending = signal<Pending | null>(null);
  /** The last command that was refused, until the next one. */
  readonly refused = signal<Refusal | null>(null);
  /** What the score would be, and for which ply. */
  readonly preview = signal<PreviewScoreResponse | null>(null);
  readonly clock = new ServerClock(() => performance.now());
  readonly me: Signal<Color | undefined> = computed(() =>
    this.view.value ? colorOf(this.view.value, session.value?.id) : undefined,
  );
  /** The board with the stone that has been sent on it. */
  readonly shown: Signal<Stones | null> = computed(() => this.#shown());
  readonly #follower: Follower<WatchResponse>;
  /** Whether entries are missing, so that the next stream has to begin with a snapshot. */
  #anew = false;
  /** What proves how slow the network is, so that a move that is late by no more than that counts. */
  #delayProof: Uint8Array = new Uint8Array();

  constructor(
    readonly id: string,
    /** The key of a private game, for who does not play in it; else empty. */
    readonly watchKey: string,
    private readonly told: (happening: Happening) => void,
  ) {
    this.#follower = new Follower<WatchResponse>({
      open: (signal) => games.watch(this.#request(), { signal }),
      hear: (message, sent) => this.#hear(message, sent),
    });
  }

  get link() {
    return this.#follower.link;
  }

  start(): void {
    void this.#follower.run();
  }

  stop(): void {
    this.#follower.stop();
  }

  retry(): void {
    this.#follower.retry();
  }

  /** Plays a stone, or passes. The stone is shown at once, and taken back if the server says no. */
  async move(point: number | null): Promise<boolean> {
    const view = this.view.value;
    if (!view || !mayMove(view, this.me.value) || this.pending.value) return false;
    const ply = view.state.ply;
    const commandId = randomId();
    const gameId = this.id;
    this.pending.value = { ply, point };
    const name = point === null ? "" : pointName(point, view.settings.boardSize);
    const send = async () =>
      point === null
        ? games.pass({ gameId, ply, commandId, delayProof: this.#delayProof })
        : games.playMove({ gameId, ply, commandId, point: name, delayProof: this.#delayProof });
    const done = await this.#send(send, () => this.view.value?.state.ply === ply);
    if (!done && this.pending.value?.ply === ply) this.pending.value = null;
    return done;
  }

  resign(): Promise<boolean> {
    const commandId = randomId();
    return this.#send(() => games.resign({ gameId: this.id, commandId }));
  }

  offerDraw(): Promise<boolean> {
    const commandId = randomId();
    const ply = this.view.value?.state.ply ?? 0;
    return this.#send(() => games.offerDraw({ gameId: this.id, ply, commandId }));
  }

  requestTakeback(): Promise<boolean> {
    const commandId = randomId();
    const ply = this.view.value?.state.ply ?? 0;
    return this.#send(() => games.requestTakeback({ gameId: this.id, ply, commandId }));
  }

  answer({ proposalId, version }: Proposal, accept: boolean): Promise<boolean> {
    const commandId = randomId();
    return this.#send(() =>
      games.answerProposal({ gameId: this.id, proposalId, version, accept, commandId }),
    );
  }

  acceptScore(version: number): Promise<boolean> {
    const commandId = randomId();
    return this.#send(() => games.acceptScore({ gameId: this.id, version, commandId }));
  }

  disputeScore(version: number): Promise<boolean> {
    const commandId = randomId();
    return this.#send(() => games.disputeScore({ gameId: this.id, version, commandId }));
  }

  /** Says that the chain of a stone is dead, or alive. */
  markChain(version: number, point: number, dead: boolean): Promise<boolean> {
    const view = this.view.value;
    if (!view || stoneAt(view, point) === 0) return Promise.resolve(false);
    const commandId = randomId();
    const name = pointName(point, view.settings.boardSize);
    return this.#send(() => games.markChain({ gameId: this.id, version, point: name, dead, commandId }));
  }

  /** Says that one goes away for good. */
  leave(): Promise<boolean> {
    const commandId = randomId();
    return this.#send(
      () => games.leave({ gameId: this.id, commandId }),
      () => false,
    );
  }

  rematch(): Promise<boolean> {
    const commandId = randomId();
    return this.#send(() => games.requestRematch({ gameId: this.id, commandId }));
  }

  /** Asks what the score would be if the game ended now. */
  async askPreview(): Promise<void> {
    try {
      this.preview.value = await games.previewScore({ gameId: this.id, watchKey: this.watchKey });
    } catch (error) {
      this.refused.value = refusal(error);
    }
  }

  #request() {
    const afterSequence = this.#anew ? undefined : this.view.value?.sequence;
    return { gameId: this.id, watchKey: this.watchKey, afterSequence };
  }

  #hear({ message }: WatchResponse, sent: number | undefined): Heard {
    switch (message.case) {
      case "snapshot": {
        const time = message.value.serverTime;
        if (time) this.clock.hear(moment(time), sent);
        const view = fromSnapshot(message.value);
        if (view) this.#show(view);
        this.#anew = false;
        return "more";
      }
      case "update": {
        const time = message.value.serverTime;
        if (time) this.clock.hear(moment(time), sent);
        return this.#take(message.value);
      }
      case "heartbeat":
        if (message.value.serverTime) this.clock.hear(moment(message.value.serverTime), sent);
        return "more";
      case "ping":
        void this.#answerPing(message.value.token);
        return "more";
      case "draining":
        return "again";
      case "ended":
        return "end";
      default:
        return "more";
    }
  }

  /** At once and only once: what is tried again would measure the pause as well. */
  async #answerPing(token: Uint8Array): Promise<void> {
    try {
      this.#delayProof = (await games.answerPing({ gameId: this.id, token })).proof;
    } catch {
      // The next ping comes with a turn.
    }
  }

  #take(update: Extract<WatchResponse["message"], { case: "update" }>["value"]): Heard {
    const before = this.view.value;
    const after = before && fold(before, update);
    if (!after) {
      this.#anew = true;
      return "again";
    }
    if (after === before) return "more";
    this.#show(after);
    this.told({ events: update.events, before, after });
    return "more";
  }

  #show(view: GameView): void {
    batch(() => {
      this.view.value = view;
      const { value: pending } = this.pending;
      if (pending && (view.state.ply !== pending.ply || view.result)) this.pending.value = null;
      const { value: preview } = this.preview;
      if (preview && preview.ply !== view.state.ply) this.preview.value = null;
    });
  }

  #shown(): Stones | null {
    const view = this.view.value;
    if (!view) return null;
    const board = boardOf(view);
    const pending = this.pending.value;
    if (pending?.point == null || pending.ply !== view.state.ply) return board;
    return place(board, view.settings.boardSize, pending.point, view.state.turn as Stone)?.stones ?? board;
  }

  /** Sends a command until it is answered. Whether it was done. */
  async #send(call: () => Promise<unknown>, stillNow: () => boolean = () => true): Promise<boolean> {
    this.refused.value = null;
    try {
      await repeat(call, (attempt) => attempt < 12 && stillNow());
      return true;
    } catch (error) {
      const why = refusal(error);
      // The move is on the board: an earlier attempt came through and its answer was lost.
      if (why.reason === "STALE_PLY" || !stillNow()) return false;
      this.refused.value = why;
      return false;
    }
  }
}
