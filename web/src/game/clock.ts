/** What a clock shows. All times in milliseconds; moments are of the server's clock. */

/** What a player had when the running turn began. */
export interface Bank {
  main: number;
  period: number;
  count: number;
}

/** How time is measured. */
export type Control =
  | { kind: "none" }
  | { kind: "perMove"; time: number }
  | { kind: "absolute" | "fischer" }
  | { kind: "byoyomi"; period: number }
  | { kind: "canadian"; period: number };

/** What a clock shows. */
export interface Face {
  /** What is left of what runs now: main time, a period, or a move's time. */
  left: number;
  /** Whether main time is used up. */
  overtime: boolean;
  /** Byo-yomi: periods left, the running one included. Canadian: stones still to be played. Else 0. */
  count: number;
  /** What is left until the game is lost: all periods together. */
  total: number;
}

/** All that a player has before losing on time. */
function total(control: Control, bank: Bank | undefined): number {
  switch (control.kind) {
    case "none":
      return Number.POSITIVE_INFINITY;
    case "perMove":
      return control.time;
    case "byoyomi":
      return (bank?.main ?? 0) + (bank?.period || control.period) * (bank?.count ?? 0);
    case "canadian":
      return (bank?.main ?? 0) + (bank?.period || control.period);
    default:
      return bank?.main ?? 0;
  }
}

/**
 * What the clock of a player shows. `deadline` is the moment at which the player to move loses on time, absent for who is not to
 * move; it already holds `credit`, what was given in this turn: time that the server lost, and what an operator gave. Null without a clock.
 */
export function face(
  control: Control,
  bank: Bank | undefined,
  deadline: number | undefined,
  now: number,
  credit = 0,
): Face | null {
  if (control.kind === "none") return null;
  const all = total(control, bank);
  const rest = deadline === undefined ? all : Math.min(all + credit, Math.max(0, deadline - now));
  if (control.kind === "byoyomi") return periods(bank, bank?.period || control.period, rest);
  if (control.kind === "canadian") {
    const period = bank?.period || control.period;
    const main = rest - period;
    const overtime = main <= 0;
    return { left: overtime ? rest : main, overtime, count: bank?.count ?? 0, total: rest };
  }
  return { left: rest, overtime: false, count: 0, total: rest };
}

function periods(bank: Bank | undefined, period: number, rest: number): Face {
  const count = bank?.count ?? 0;
  const main = rest - period * count;
  if (main > 0) return { left: main, overtime: false, count, total: rest };
  const begun = Math.max(1, Math.ceil(rest / period));
  return { left: rest - (begun - 1) * period, overtime: true, count: Math.min(count, begun), total: rest };
}

/** A time as clocks show it: `1:02:03`, `4:05`, and tenths in the last ten seconds: `9.4`. Never less than what is left. */
export function clockText(left: number): string {
  if (left < 10_000) return (Math.ceil(Math.max(0, left) / 100) / 10).toFixed(1);
  const seconds = Math.ceil(left / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Moments before the end of a player's time at which it is said aloud, in milliseconds. */
export const THRESHOLDS = [60_000, 30_000, 10_000, 5_000] as const;

/** The threshold that has been passed between two looks at the same clock, the lowest one; null for none. */
export function passedThreshold(before: number, after: number): number | null {
  const passed = THRESHOLDS.filter((threshold) => before > threshold && after <= threshold);
  return passed.length > 0 ? Math.min(...passed) : null;
}
