import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import "../src/api/details";
import { backoff } from "../src/api/backoff";
import { isTransient, needsToken, refusal } from "../src/api/refusal";

/** A google.rpc.ErrorInfo as the server sends it. */
function errorInfo(reason: string, metadata: Record<string, string>): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(reason);
  writer.tag(2, WireType.LengthDelimited).string("nigiri");
  for (const [key, value] of Object.entries(metadata)) {
    writer.tag(3, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key).tag(2, WireType.LengthDelimited).string(value).join();
  }
  return writer.finish();
}

function failure(code: Code, reason: string, metadata: Record<string, string> = {}): ConnectError {
  const error = new ConnectError("words", code);
  error.details.push({ type: "google.rpc.ErrorInfo", value: errorInfo(reason, metadata) });
  return error;
}

/** The reason of the table of errors is found, with its metadata, and says what may be tried again. */
test("a refusal is read from its details", () => {
  const busy = refusal(failure(Code.FailedPrecondition, "ALREADY_PLAYING", { game_id: "7", x: "y" }));
  expect(busy).toMatchObject({
    reason: "ALREADY_PLAYING",
    metadata: { game_id: "7", x: "y" },
    message: "words",
  });
  expect(isTransient(busy)).toBe(false);
  expect(isTransient(refusal(failure(Code.Unavailable, "DRAINING")))).toBe(true);
  expect(isTransient(refusal(new TypeError("Failed to fetch")))).toBe(true);
  expect(isTransient(refusal(failure(Code.Unimplemented, "SOMETHING")))).toBe(false);
  expect(needsToken(refusal(failure(Code.Unauthenticated, "TOKEN_EXPIRED")))).toBe(true);
  expect(needsToken(refusal(failure(Code.Unauthenticated, "SESSION_ENDED")))).toBe(true);
  expect(needsToken(refusal(failure(Code.Unauthenticated, "REFRESH_TOKEN_INVALID")))).toBe(false);
});

/** Waits double up to a bound, and never are as long for everybody. */
test("waits grow, with jitter", () => {
  expect([0, 1, 2].map((attempt) => backoff(attempt, 1))).toEqual([400, 800, 1600]);
  expect(backoff(50, 1)).toBe(15_000);
  expect(backoff(50, 0)).toBe(7_500);
});
