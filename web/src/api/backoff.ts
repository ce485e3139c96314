/** Waits between attempts: they double, and jitter keeps many pages from coming back in the same instant. */

const FIRST = 400;
const MOST = 15_000;

/** How long to wait before attempt `attempt` (0 for the first repetition), in milliseconds; `random` is from 0 to 1. */
export function backoff(attempt: number, random: number = Math.random()): number {
  const whole = Math.min(MOST, FIRST * 2 ** Math.min(attempt, 20));
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** Waits; ends early when the signal says so. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
