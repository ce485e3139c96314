import { beforeEach, describe, expect, it, vi } from "vitest";

const KEY = "nigiri.session";
const kept = new Map<string, string>();
vi.stubGlobal("localStorage", {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, text: string) => kept.set(key, text),
  removeItem: (key: string) => kept.delete(key),
});

vi.stubGlobal("navigator", {});
// Whatever fails here fails since the session has ended.
vi.mock("../src/api/refusal", async (original) => ({
  ...(await original<typeof import("../src/api/refusal")>()),
  refusal: () => ({ reason: "SESSION_ENDED" }),
}));

const { accessToken, doors } = await import("../src/api/doors");
const { keep, session } = await import("../src/api/session");

function signedIn(id: string) {
  const until = Date.now() + 60_000;
  return {
    id,
    name: id,
    guest: false,
    access: `access of ${id}`,
    until,
    since: 0,
    refresh: `refresh of ${id}`,
  };
}

/** An answer to a refresh that comes after `meanwhile` has happened in another tab. */
function refreshed(meanwhile: () => void, answer: () => unknown) {
  doors.refreshSession = vi.fn(async () => {
    meanwhile();
    return answer();
  }) as unknown as typeof doors.refreshSession;
}

const given = () => ({
  player: { id: "guest", name: "guest" },
  tokens: { accessToken: "fresh", refreshToken: "next" },
});
const ended = () => {
  throw new Error("the session has ended");
};

describe("a refresh, while another tab", () => {
  beforeEach(() => keep(signedIn("guest")));

  it("does nothing, keeps what it is given", async () => {
    refreshed(() => undefined, given);
    expect(await accessToken("access of guest")).toBe("fresh");
    expect(JSON.parse(kept.get(KEY) ?? "{}").refresh).toBe("next");
  });

  it("does nothing, and ends with its session", async () => {
    refreshed(() => undefined, ended);
    await expect(accessToken("access of guest")).rejects.toThrow();
    expect(kept.has(KEY)).toBe(false);
  });

  for (const [what, answer] of [
    ["succeeds", given],
    ["is refused", ended],
  ] as const) {
    it(`signs in, and it ${what}: leaves the new session alone`, async () => {
      const text = JSON.stringify(signedIn("member"));
      refreshed(() => kept.set(KEY, text), answer);
      expect(await accessToken("access of guest")).toBe("access of member");
      expect(kept.get(KEY)).toBe(text);
      expect(session.value?.id).toBe("member");
    });

    it(`signs out, and it ${what}: stays signed out`, async () => {
      refreshed(() => kept.delete(KEY), answer);
      expect(await accessToken("access of guest")).toBe("");
      expect(kept.has(KEY)).toBe(false);
      expect(session.value).toBeNull();
    });
  }
});
