/**
 * The server's clock, as far as one can know it from here: each message says the server's now, and it was sent before it came and,
 * where it answers a call, after the call went out. Every message narrows the interval in which the difference lies.
 */

/** How fast two clocks may drift apart: 100 millionths, more than any that works. */
const DRIFT = 1e-4;

export class ServerClock {
  #low = Number.NEGATIVE_INFINITY;
  #high = Number.POSITIVE_INFINITY;
  #at = 0;

  /** `now` is the page's own steady clock, in milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Takes a message that came just now; `sent` is when the call went out that it answers, if it answers one. */
  hear(serverTime: number, sent?: number): void {
    const received = this.now();
    const drift = Math.max(0, received - this.#at) * DRIFT;
    this.#at = received;
    const low = Math.max(this.#low - drift, serverTime - received);
    const high = Math.min(
      this.#high + drift,
      sent === undefined ? Number.POSITIVE_INFINITY : serverTime - sent,
    );
    // One of the clocks was set, or this machine slept: what was known is void.
    if (low > high) {
      this.#low = serverTime - received;
      this.#high = sent === undefined ? Number.POSITIVE_INFINITY : serverTime - sent;
    } else {
      this.#low = low;
      this.#high = high;
    }
  }

  /** Forgets what was known: after a sleep the page's steady clock may have stood still. */
  forget(): void {
    this.#low = Number.NEGATIVE_INFINITY;
    this.#high = Number.POSITIVE_INFINITY;
  }

  /** Whether anything is known. */
  get known(): boolean {
    return Number.isFinite(this.#low);
  }

  /** By how much `read` may be wrong, in milliseconds either way. */
  get error(): number {
    return this.known && Number.isFinite(this.#high)
      ? (this.#high - this.#low) / 2
      : Number.POSITIVE_INFINITY;
  }

  /** The server's now, in milliseconds since 1970. */
  read(): number {
    if (!this.known) return Date.now();
    const difference = Number.isFinite(this.#high) ? (this.#low + this.#high) / 2 : this.#low;
    return this.now() + difference;
  }
}
