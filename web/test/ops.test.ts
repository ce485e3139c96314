import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { seconds } from "../src/api/times";
import { GameEventSchema } from "../src/gen/nigiri/game/v1/game_pb";
import { GetOverviewResponseSchema } from "../src/gen/nigiri/operator/v1/operator_service_pb";
import { alarming, alertsOf } from "../src/ops/alerts";
import { trendPath } from "../src/ops/trend";
import { eventText, spanText } from "../src/ops/words";

/** What operators are told is worth a look is what the alerts of the monitoring are about, and nothing else is. */
test("operators are told what needs a look", () => {
  const at = (second: number) => ({ seconds: BigInt(1_800_000_000 + second), nanos: 0 });
  const well = create(GetOverviewResponseSchema, {
    readyBots: 3,
    oldestTicket: seconds(599),
    groups: [{ topic: "finished", group: "rating", lag: 1000n, deadLetters: 0 }],
    replicas: [
      { service: "game", host: "a", seenTime: at(0) },
      { service: "game", host: "b", seenTime: at(19) },
    ],
  });
  expect(alertsOf(well)).toEqual([]);
  const ill = create(GetOverviewResponseSchema, {
    readyBots: 0,
    matchmakingPaused: true,
    oldestTicket: seconds(601),
    groups: [{ topic: "finished", group: "rating", lag: 1001n, deadLetters: 2 }],
    replicas: [
      { service: "game", host: "a", seenTime: at(0) },
      { service: "game", host: "b", seenTime: at(21), draining: true },
    ],
    faults: ["games: away"],
  });
  expect(alertsOf(ill)).toEqual([
    "games: away",
    "No AI is ready: nobody fills in.",
    "No matches are made: matchmaking is paused.",
    "Somebody has waited for 10 min 1 s for an opponent.",
    "rating is 1,001 messages behind on finished.",
    "2 messages of finished have failed for good at rating.",
    "game on a was last heard of 21 s ago.",
    "game on b is going away.",
  ]);
  expect(["bots", "oldest", "lag", "letters", "games"].map((name) => alarming(name, 0))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

/** Lengths of time are told in their two largest parts. */
test("operators read lengths of time", () => {
  expect([0, 999, 61_000, 3_600_000, 90_061_000, -5].map(spanText)).toEqual([
    "0 s",
    "0 s",
    "1 min 1 s",
    "1 h",
    "1 d 1 h",
    "0 s",
  ]);
});

/** A trend fills its box from the least value to the greatest, and one that does not change lies at its foot. */
test("a trend is drawn within its box", () => {
  expect(trendPath([0, 5, 10], 100, 28)).toBe("M0.0 26.0L50.0 14.0L100.0 2.0");
  expect(trendPath([7, 7], 100, 28)).toBe("M0.0 26.0L100.0 26.0");
});

/** Entries of a record are told by the API's own names. */
test("operators read what happened", () => {
  const text = (event: Parameters<typeof create<typeof GameEventSchema>>[1]) =>
    eventText(create(GameEventSchema, event));
  expect(text({ event: { case: "movePlayed", value: { color: 1, point: "D5", captured: ["C5"] } } })).toEqual(
    {
      name: "MovePlayed",
      detail: "Black D5 ×1",
    },
  );
  expect(text({ event: { case: "adjudicated", value: { reason: "so" } } })).toEqual({
    name: "Adjudicated",
    detail: '{"reason":"so"}',
  });
  expect(text({}).name).toBe("?");
});
