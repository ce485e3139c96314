import { describe, expect, test } from "vitest";
import { ServerClock } from "../src/api/server_clock";
import { clockText, face, passedThreshold } from "../src/game/clock";

const now = 1_000_000;

describe("a clock", () => {
  test("shows what is left until the deadline", () => {
    const move = { kind: "perMove", time: 30_000 } as const;
    expect(face(move, undefined, now + 12_300, now)?.left).toBe(12_300);
    expect(face(move, undefined, undefined, now)?.left).toBe(30_000);
    expect(face(move, undefined, now - 5, now)?.left).toBe(0);
    expect(face({ kind: "none" }, undefined, undefined, now)).toBeNull();
  });

  /** What is given in a turn is shown on top of what the turn has; without it a deadline that is further away is not believed. */
  test("shows time that was given", () => {
    const move = { kind: "perMove", time: 30_000 } as const;
    expect(face(move, undefined, now + 30_080, now)?.left).toBe(30_000);
    expect(face(move, undefined, now + 85_000, now, 60_000)?.left).toBe(85_000);
    const control = { kind: "byoyomi", period: 30_000 } as const;
    const bank = { main: 0, period: 30_000, count: 2 };
    expect(face(control, bank, now + 100_000, now, 60_000)).toMatchObject({ left: 40_000, count: 2 });
    expect(face(control, bank, now + 45_000, now, 60_000)).toMatchObject({ left: 15_000, overtime: true });
  });

  /** Main time first, then period after period; the deadline is the end of the last one. */
  test("goes through the periods of byo-yomi", () => {
    const control = { kind: "byoyomi", period: 30_000 } as const;
    const bank = { main: 10_000, period: 30_000, count: 3 };
    const at = (used: number) => face(control, bank, now + 100_000 - used, now);
    expect(at(0)).toEqual({ left: 10_000, overtime: false, count: 3, total: 100_000 });
    expect(at(9_999)?.left).toBe(1);
    expect(at(10_000)).toMatchObject({ left: 30_000, overtime: true, count: 3 });
    expect(at(45_000)).toMatchObject({ left: 25_000, overtime: true, count: 2 });
    expect(at(99_000)).toMatchObject({ left: 1_000, overtime: true, count: 1 });
    expect(face(control, bank, undefined, now)).toMatchObject({ left: 10_000, count: 3 });
  });

  test("shows the running period of Canadian time", () => {
    const control = { kind: "canadian", period: 60_000 } as const;
    expect(face(control, { main: 5_000, period: 60_000, count: 10 }, now + 64_000, now)).toMatchObject({
      left: 4_000,
      overtime: false,
    });
    expect(face(control, { main: 0, period: 20_000, count: 4 }, now + 7_000, now)).toMatchObject({
      left: 7_000,
      overtime: true,
      count: 4,
    });
  });

  /** The text never says less than there is, and has tenths where they matter. */
  test("is written as clocks are", () => {
    expect(clockText(0)).toBe("0.0");
    expect(clockText(901)).toBe("1.0");
    expect(clockText(9_999)).toBe("10.0");
    expect(clockText(10_001)).toBe("0:11");
    expect(clockText(60_000)).toBe("1:00");
    expect(clockText(3_600_000)).toBe("1:00:00");
  });

  test("tells each threshold once", () => {
    expect(passedThreshold(61_000, 60_000)).toBe(60_000);
    expect(passedThreshold(60_000, 59_000)).toBeNull();
    expect(passedThreshold(31_000, 4_000)).toBe(5_000);
    expect(passedThreshold(Number.NEGATIVE_INFINITY, 4_000)).toBeNull();
  });
});

describe("the server's clock", () => {
  /** A machine whose steady clock is behind the server's by `behind`, and a network that takes its time. */
  function world(behind: number) {
    let here = 0;
    const clock = new ServerClock(() => here);
    return {
      clock,
      /** A call that takes so long there, and so long back. */
      call(there: number, back: number) {
        const sent = here;
        here += there;
        const server = here + behind;
        here += back;
        clock.hear(server, sent);
      },
      /** A message of a stream that took so long. */
      message(back: number) {
        const server = here + behind;
        here += back;
        clock.hear(server);
      },
      wait(time: number) {
        here += time;
      },
      wrong: () => Math.abs(clock.read() - (here + behind)),
    };
  }

  /** It is never wrong by more than it says, however unlike the ways there and back are. */
  test("is never wrong by more than it says", () => {
    const one = world(123_456);
    one.call(900, 30);
    expect(one.wrong()).toBeLessThanOrEqual(one.clock.error);
    for (const back of [400, 20, 2_000, 5]) {
      one.wait(15_000);
      one.message(back);
      expect(one.wrong()).toBeLessThanOrEqual(one.clock.error);
    }
    one.call(10, 10);
    expect(one.clock.error).toBeLessThanOrEqual(11);
    expect(one.wrong()).toBeLessThanOrEqual(one.clock.error);
  });

  /** After a sleep, in which the steady clock stood still, it begins anew instead of believing what was. */
  test("begins anew after a sleep", () => {
    let here = 0;
    const clock = new ServerClock(() => here);
    clock.hear(50_000, 0);
    here = 100;
    clock.hear(3_650_100, 90);
    expect(Math.abs(clock.read() - 3_650_100)).toBeLessThanOrEqual(10);
  });

  test("without a message is this machine's", () => {
    const clock = new ServerClock(() => 0);
    expect(clock.known).toBe(false);
    expect(Math.abs(clock.read() - Date.now())).toBeLessThan(1_000);
  });
});
