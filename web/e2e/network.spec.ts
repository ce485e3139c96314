/** What happens between the page and the server: networks that change, lids that close, clocks that have to agree. */

import { createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import type { Page } from "@playwright/test";
import { GameService } from "../src/gen/nigiri/game/v1/game_service_pb";
import { cell, click, expect, meet, myTurn, play, startAgainstAi, test } from "./world";

/** A phone that changes networks: the bar says so, a stone that is placed meanwhile stays, and is played once. */
test("a network that goes and comes loses nothing", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  const [black, white] = await meet(one.page, two.page, "Roamer");
  await play(black, "E5");
  await white.context().setOffline(true);
  await click(white, "C3");
  await expect(cell(white, "C3")).toHaveAttribute("aria-label", /white stone/);
  await expect(white.locator(".link-bar")).toBeVisible();
  await expect(cell(black, "C3")).toHaveAttribute("aria-label", "C3, empty");
  await white.context().setOffline(false);
  await expect(white.locator(".link-bar")).toHaveCount(0);
  await expect(cell(black, "C3")).toHaveAttribute("aria-label", /white stone, last move/);
  await play(black, "G7");
  for (const page of [black, white]) {
    await expect(page.locator('[data-stone="white"]:not(.leaving)')).toHaveCount(1);
    await expect(page.locator('[data-stone="black"]:not(.leaving)')).toHaveCount(2);
  }
});

/** Reads when the player to move loses on time, from the server itself. */
async function deadlineOf(page: Page): Promise<number> {
  const { origin, pathname } = new URL(page.url());
  const token = await page.evaluate(() => JSON.parse(localStorage.getItem("nigiri.session") ?? "{}").access);
  const games = createClient(GameService, createGrpcWebTransport({ baseUrl: origin }));
  const gone = new AbortController();
  const stream = games.watch(
    { gameId: pathname.split("/")[2] },
    { headers: { authorization: `Bearer ${token}` }, signal: gone.signal },
  );
  try {
    for await (const { message } of stream) {
      if (message.case !== "snapshot") continue;
      const deadline = message.value.state?.deadline;
      if (!deadline) break;
      return Number(deadline.seconds) * 1000 + deadline.nanos / 1e6;
    }
    throw new Error("no clock runs");
  } finally {
    gone.abort();
  }
}

/** By how much the running clock of a page is wrong, in milliseconds: the worst of some changes of what it shows. Machine and server have one clock here. */
async function wrongBy(page: Page): Promise<number> {
  const deadline = await deadlineOf(page);
  return page.evaluate(async (until) => {
    const time = document.querySelector(".clock.running .time");
    if (!time) throw new Error("no clock runs");
    const errors: number[] = [];
    await new Promise<void>((resolve) => {
      new MutationObserver((_, observer) => {
        const [minutes = 0, seconds = 0] = (time.textContent ?? "").split(":").map(Number);
        // It shows a second when no more than that is left.
        errors.push(Math.abs(until - Date.now() - (minutes * 60 + seconds) * 1000));
        if (errors.length < 4) return;
        observer.disconnect();
        resolve();
      }).observe(time, { childList: true, characterData: true, subtree: true });
    });
    return Math.max(...errors);
  }, deadline);
}

/** The clock that is shown agrees with the server's to 100 ms; also after the lid was closed while the opponent moved. */
test("clocks agree with the server", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  const [black, white] = await meet(one.page, two.page, "Clock");
  await play(black, "E5");
  for (const page of [black, white]) expect(await wrongBy(page)).toBeLessThan(100);

  const lid = await black.context().newCDPSession(black);
  await lid.send("Page.setWebLifecycleState", { state: "frozen" });
  await play(white, "C3");
  await white.waitForTimeout(3000);
  await lid.send("Page.setWebLifecycleState", { state: "active" });
  await expect(cell(black, "C3")).toHaveAttribute("aria-label", /white stone, last move/);
  await myTurn(black);
  const wrong = await wrongBy(black);
  console.log(`after a closed lid the clock is wrong by ${wrong.toFixed(0)} ms`);
  expect(wrong).toBeLessThan(100);
  await play(black, "G7");
  await expect(cell(white, "G7")).toHaveAttribute("aria-label", /black stone, last move/);
});

/** A page that slept for an hour, with a dead stream and an old token, shows the game as it stands. */
test("a page that slept goes on", async ({ person }) => {
  const { page } = await person();
  await page.clock.install();
  await page.goto("/");
  await startAgainstAi(page, "Sleeper");
  await myTurn(page);
  await click(page, "E5");
  await expect(page.locator(".move-name")).toContainText("2 · White");
  await page.context().setOffline(true);
  await page.clock.fastForward("01:00:00");
  await expect(page.locator(".link-bar")).toBeVisible();
  await page.context().setOffline(false);
  await page.clock.runFor(20_000);
  await expect(page.locator(".link-bar")).toHaveCount(0);
  await myTurn(page);
  await click(page, "C3");
  await expect(page.locator(".move-name")).toContainText("4 · White");
});
