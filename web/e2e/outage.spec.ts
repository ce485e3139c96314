import { cell, click, expect, myTurn, startAgainstAi, test } from "./world";

/** The server is killed under the page and comes back: the bar says so, a stone that was sent meanwhile is played once, and the game goes on. */
test("a killed server loses nothing", async ({ person, server }) => {
  const { page } = await person();
  await startAgainstAi(page, "Patient");
  await myTurn(page);
  await click(page, "E5");
  await expect(page.locator(".move-name")).toContainText("2 · White");
  await myTurn(page);
  await server.down();
  await expect(page.locator(".link-bar")).toContainText("The connection is lost");
  await click(page, "G7");
  await expect(cell(page, "G7")).toHaveAttribute("aria-label", /black stone/);
  await server.up();
  await page.getByRole("button", { name: "Try now" }).click();
  await expect(page.locator(".link-bar")).toHaveCount(0);
  await expect(page.locator(".move-name")).toContainText("4 · White", { timeout: 60_000 });
  await expect(cell(page, "E5")).toHaveAttribute("aria-label", /black stone/);
  await expect(page.locator('[data-stone="black"]:not(.leaving)')).toHaveCount(2);
});

/** A server that is asked to end says so, and the page finds the next one by itself. */
test("a server that goes away is followed", async ({ person, server }) => {
  const { page } = await person();
  await startAgainstAi(page, "Follower");
  await myTurn(page);
  await server.down("SIGTERM");
  await expect(page.locator(".link-bar")).toBeVisible();
  await server.up();
  await expect(page.locator(".link-bar")).toHaveCount(0, { timeout: 40_000 });
  await click(page, "C3");
  await expect(page.locator(".move-name")).toContainText("2 · White");
});
