import { board, cell, chooseRules, click, expect, myTurn, nameOneself, pass, test } from "./world";

/**
 * The players agree on the score under territory rules: the proposal shows who owns what, a chain is marked dead and alive again, a
 * dispute goes on with the game, and the next two passes end it.
 */
test("dead stones are marked, disputed, and counted", async ({ person }) => {
  const { page } = await person();
  await nameOneself(page, "Judge");
  await chooseRules(page, "Play the AI", "igo", 9);
  await page.getByRole("radio", { name: "White" }).check();
  await page.getByRole("button", { name: "Start the game" }).click();
  await expect(board(page)).toBeVisible();
  await pass(page);
  const panel = page.getByRole("region", { name: "Is this the score?" });
  await expect(panel.getByRole("row", { name: /^Territory/ })).toContainText("80");
  await expect(panel.getByText("Accepted by Black")).toBeVisible();

  const stone = page.locator('[role="gridcell"][aria-label*="black stone"]');
  const point = ((await stone.getAttribute("aria-label")) ?? "").split(",")[0] ?? "";
  await click(page, point);
  await expect(page.locator(".stone.dead")).toHaveCount(1);
  await expect(panel.getByRole("row", { name: /^Total/ })).not.toContainText("80");
  await click(page, point);
  await expect(page.locator(".stone.dead")).toHaveCount(0);
  await expect(panel.getByRole("row", { name: /^Territory/ })).toContainText("80");

  await panel.getByRole("button", { name: "Play on" }).click();
  await expect(panel).toHaveCount(0);
  await myTurn(page);
  // Who passed first moves; the next two passes are the last ones.
  await pass(page);
  await expect(page.getByRole("heading", { name: /Black wins by/ })).toBeVisible();
  await expect(page.getByText("You have lost.")).toBeVisible();

  // The record is a file, and the game is in the player's history.
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "SGF" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/\.sgf$/);
  await page.locator(".my-name").click();
  await expect(page.getByRole("link", { name: /Black wins by/ })).toBeVisible();
  await page.getByRole("link", { name: /Black wins by/ }).click();
  await page.getByRole("button", { name: "To the beginning" }).click();
  await expect(cell(page, point)).toHaveAttribute("aria-label", `${point}, empty`);
});
