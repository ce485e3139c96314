/** The operators' page. */

import type { Page } from "@playwright/test";
import { act, ask, confirm, idOf, operator } from "./office";
import { Server } from "./server";
import { board, click, expect, myTurn, newName, picture, startAgainstAi, test, violations } from "./world";

/**
 * Who is named an operator sees the whole system live, finds a game and its players, acts on both with a reason that the player reads, tells
 * everybody something, stops matchmaking, and finds all of it in the audit log.
 */
test("an operator watches and steers", { tag: "@picture" }, async ({ browser }) => {
  const server = await Server.start();
  try {
    const [boss, player] = [await browser.newPage({ locale: "en" }), await browser.newPage({ locale: "en" })];
    await operator(boss, server);
    await player.goto(server.url);
    await startAgainstAi(player, "Subject");
    await myTurn(player);
    const name = (await player.locator(".my-name").textContent()) ?? "";

    // One game: found in the list, watched as it is played.
    await expect(boss.locator(".gauge", { hasText: "Games" }).locator("strong")).toHaveText("1");
    await boss.getByRole("link", { name: "Games" }).click();
    await expect(boss.getByText("1 game is played")).toBeVisible();
    await boss.locator("td a:has(code)").click();
    await expect(boss.locator(".watched .board")).toBeVisible();
    await click(player, "E5");
    await expect(boss.locator('.watched [data-stone="black"]')).toHaveCount(1);
    await expect(boss.locator(".record")).toContainText("MovePlayed Black E5");
    expect(await violations(boss)).toEqual([]);
    await picture(boss, "ops-game");
    await confirm(await ask(boss, "Give time", "a test", () => boss.getByRole("spinbutton").fill("30")));
    await expect(boss.getByRole("dialog").getByRole("alert")).toHaveText("No clock runs in this game now.");
    await boss.keyboard.press("Escape");
    await act(boss, "Abort the game", "The table is wanted for a test");
    await expect(player.getByRole("heading", { level: 2 }).first()).toBeVisible();
    await expect(boss.locator(".record")).toContainText("The table is wanted for a test");

    // One player: found by name, renamed, banned and back again.
    await boss.getByRole("searchbox").fill(name);
    await boss.getByRole("button", { name: "Open" }).click();
    await expect(boss.getByRole("heading", { name })).toBeVisible();
    const other = newName("Renamed");
    await act(boss, "Rename", "a better name", () => boss.getByLabel("New name").fill(other));
    await expect(boss.getByRole("heading", { name: other })).toBeVisible();
    await act(boss, "Ban", "for a moment");
    await expect(boss.getByText(/Banned until .*: for a moment/)).toBeVisible();
    await act(boss, "Lift the ban", "it was a test");
    await expect(boss.getByText(/Banned until/)).toHaveCount(0);
    expect(await violations(boss)).toEqual([]);

    // Everybody: a notice, and matchmaking.
    await boss.getByRole("link", { name: "Overview" }).click();
    await act(boss, "Tell all players", "news", () =>
      boss.getByLabel("Text").fill("The server rests at noon."),
    );
    await player.goto(server.url);
    if (await player.getByLabel("Your name").isVisible()) await startAgainstAi(player, "Again");
    await expect(player.getByText("The server rests at noon.")).toBeVisible();
    expect(await violations(player)).toEqual([]);
    await act(boss, "Take the notice back", "over");
    await expect(player.getByText("The server rests at noon.")).toHaveCount(0);
    await act(boss, "Pause matchmaking", "a look at the queue");
    await expect(boss.getByText("No matches are made: matchmaking is paused.")).toBeVisible();
    await act(boss, "Go on with matchmaking", "it is fine");
    await expect(boss.getByText("All is well.")).toBeVisible();

    await boss.getByRole("link", { name: "Audit log" }).click();
    for (const [deed, reason] of [
      ["AbortGame", "The table is wanted for a test"],
      ["RenamePlayer", "a better name"],
      ["BanPlayer", "for a moment"],
      ["SetNotice", "news"],
      ["PauseMatchmaking", "it is fine"],
    ] as const) {
      await expect(boss.getByRole("row", { name: deed }).filter({ hasText: reason })).toContainText("done");
    }
    await expect(boss.getByRole("row", { name: "GiveTime" })).toContainText("failed");

    // The server goes away under the page, which says so, and comes back.
    await server.down();
    await expect(boss.getByText(/^Not up to date/)).toBeVisible();
    await server.up();
    await expect(boss.getByText(/^Not up to date/)).toHaveCount(0);
  } finally {
    await server.end();
  }
});

/** Every part of the page passes the scan in every colour scheme, and fits a small phone in every language. */
test("every operator can use every part", async ({ browser }) => {
  const server = await Server.start();
  try {
    const page = await browser.newPage({
      locale: "en",
      viewport: { width: 360, height: 740 },
      reducedMotion: "reduce",
    });
    await operator(page, server);
    await startGame(page, server);
    const game = new URL(page.url()).pathname.split("/")[2];
    const parts = ["", "/games", "/queue", "/groups", "/flags", "/acts", `/game?id=${game}`];
    parts.push(`/player?id=${await idOf(page)}`);
    for (const theme of ["light", "dark", "contrast"]) {
      await page.evaluate(
        (value) => localStorage.setItem("nigiri.preferences", JSON.stringify({ theme: value })),
        theme,
      );
      for (const part of parts) {
        await seen(page, `${server.url}/ops${part}`);
        expect(await violations(page), `${theme} ${part}`).toEqual([]);
      }
    }
    for (const language of ["en", "id", "hi", "zh", "ja", "ko"]) {
      await page.goto(`${server.url}/?lang=${language}`);
      for (const part of parts) {
        await seen(page, `${server.url}/ops${part}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide, `${language} ${part}`).toBeLessThanOrEqual(360);
      }
      await picture(page, `ops-phone-${language}`);
    }
  } finally {
    await server.end();
  }
});

async function startGame(page: Page, server: Server): Promise<void> {
  await page.goto(server.url);
  await startAgainstAi(page, "Boss");
  await expect(board(page)).toBeVisible();
}

/** Goes to a part, and waits until it shows something. */
async function seen(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect(page.locator(".tabs")).toBeVisible();
  await expect(page.locator(".loading")).toHaveCount(0);
}
