/** A server stream that is kept up: it reconnects by itself, and says what is going on. */

import { signal } from "@preact/signals";
import { backoff, pause } from "./backoff";
import { accessToken } from "./doors";
import { isNotYet, isTransient, needsToken, type Refusal, refusal } from "./refusal";
import { session } from "./session";

/** The server says something every 15 s on most streams; silence for longer than this is a dead connection, in milliseconds. */
const SILENCE = 25_000;
const LOOK = 2_500;
/** A game whose id was told a moment ago may not have been made: it is asked for again so many times. */
const PATIENCE = 3;

/** What is going on with a stream. */
export type Link =
  | { state: "connecting" }
  | { state: "live" }
  /** Attempt `attempt` failed; the next one comes at `next`, by the page's steady clock. */
  | { state: "waiting"; attempt: number; next: number }
  /** The server said that it goes away; another one is asked. */
  | { state: "moving" }
  | { state: "ended" }
  | { state: "refused"; why: Refusal };

/** What a message means for the stream. */
export type Heard = "more" | "again" | "end";

/** A stream to follow. */
export interface Source<M> {
  /** How long silence is no sign of a dead connection, in milliseconds, where the server does not speak every 15 s. */
  silence?: number;
  /** Opens it. Called again after each break, so it should ask for what comes after the last message. */
  open(signal: AbortSignal): AsyncIterable<M>;
  /** Takes a message; `sent` is when the call went out, by the page's steady clock, if this is the first message. */
  hear(message: M, sent: number | undefined): Heard;
}

export class Follower<M> {
  readonly link = signal<Link>({ state: "connecting" });
  #stopped = new AbortController();
  #attempt: AbortController | null = null;
  #wait: AbortController | null = null;
  #heard = 0;
  #failures = 0;

  constructor(private readonly source: Source<M>) {}

  /** Follows until the end, a refusal, or `stop`. */
  async run(): Promise<void> {
    const watch = setInterval(() => this.#look(), LOOK);
    const wake = () => this.#wake();
    const seen = () => document.visibilityState === "visible" && this.#wake();
    // Without a network no stream lives on, whatever the browser still believes of it.
    const lost = () => this.#attempt?.abort();
    addEventListener("online", wake);
    addEventListener("offline", lost);
    document.addEventListener("visibilitychange", seen);
    try {
      while (!this.#stopped.signal.aborted && (await this.#once()));
    } finally {
      clearInterval(watch);
      removeEventListener("online", wake);
      removeEventListener("offline", lost);
      document.removeEventListener("visibilitychange", seen);
    }
  }

  /** Ends it. */
  stop(): void {
    this.#stopped.abort();
    this.#attempt?.abort();
    this.#wait?.abort();
  }

  /** Tries again now instead of later. */
  retry(): void {
    this.#wait?.abort();
  }

  /** Gives up the stream and opens it anew. */
  reopen(): void {
    this.#attempt?.abort();
  }

  /** One connection, to its end. Whether there should be another one. */
  async #once(): Promise<boolean> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    const sent = performance.now();
    this.#heard = sent;
    let first: number | undefined = sent;
    try {
      for await (const message of this.source.open(attempt.signal)) {
        this.#heard = performance.now();
        this.#failures = 0;
        if (this.link.value.state !== "live") this.link.value = { state: "live" };
        const then = this.source.hear(message, first);
        first = undefined;
        if (then === "end") return this.#end();
        if (then === "again") {
          this.link.value = { state: "moving" };
          attempt.abort();
          return true;
        }
      }
      return await this.#later();
    } catch (error) {
      return await this.#failed(error);
    }
  }

  #end(): false {
    this.link.value = { state: "ended" };
    this.#attempt?.abort();
    return false;
  }

  async #failed(error: unknown): Promise<boolean> {
    if (this.#stopped.signal.aborted) return false;
    const why = refusal(error);
    if (needsToken(why) && this.#failures < 3) {
      await accessToken(session.value?.access).catch(() => "");
    } else if (!isTransient(why) && !(isNotYet(why) && this.#failures < PATIENCE)) {
      this.link.value = { state: "refused", why };
      return false;
    }
    return this.#later();
  }

  async #later(): Promise<boolean> {
    if (this.#stopped.signal.aborted) return false;
    const wait = backoff(this.#failures);
    this.#failures += 1;
    this.link.value = { state: "waiting", attempt: this.#failures, next: performance.now() + wait };
    this.#wait = new AbortController();
    await pause(wait, this.#wait.signal);
    return !this.#stopped.signal.aborted;
  }

  /** A stream that is silent for too long is dead, even if the browser does not know. */
  #look(): void {
    const live = this.link.value.state === "live" || this.link.value.state === "connecting";
    if (live && performance.now() - this.#heard > (this.source.silence ?? SILENCE)) this.#attempt?.abort();
  }

  /** The machine is back: nothing is to be waited for, and a stream that slept is not to be trusted. */
  #wake(): void {
    this.#wait?.abort();
    this.#look();
  }
}
