import { board, cell, chooseRules, click, expect, myTurn, startAgainstAi, test } from "./world";

/** Against the AI moves are taken back at once, stone and reply together; a page that is loaded again goes on where it was. */
test("a game against the AI has take-backs, and survives a reload", async ({ person }) => {
  const { page } = await person();
  await startAgainstAi(page, "Learner");
  await myTurn(page);
  await expect(page.getByRole("button", { name: "Take back" })).toBeDisabled();
  await click(page, "E5");
  await expect(cell(page, "E5")).toHaveAttribute("aria-label", /black stone/);
  await expect(page.locator(".move-name")).toContainText("2 · White");
  await page.reload();
  await expect(cell(page, "E5")).toHaveAttribute("aria-label", /black stone/);
  await myTurn(page);
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(cell(page, "E5")).toHaveAttribute("aria-label", "E5, empty");
  await expect(page.locator('[data-stone="white"]:not(.leaving)')).toHaveCount(0);
  await click(page, "C3");
  await expect(page.locator(".move-name")).toContainText("2 · White");

  // Looking back changes nothing, and the way to the present is one step.
  await page.getByRole("button", { name: "To the beginning" }).click();
  await expect(cell(page, "C3")).toHaveAttribute("aria-label", "C3, empty");
  await page.getByRole("button", { name: "To the board as it stands" }).click();
  await expect(cell(page, "C3")).toHaveAttribute("aria-label", /black stone/);

  // From the first page there is a way back to the game.
  await page.goto("/");
  await page.getByRole("link", { name: "Go on" }).first().click();
  await expect(cell(page, "C3")).toHaveAttribute("aria-label", /black stone/);
});

/** With the keyboard alone: to the board, over it, a stone, a point that may not be played, and the end. */
test("a game is played by keyboard alone", async ({ person }) => {
  const { page } = await person();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Tabs until the thing has the focus. */
  const tabTo = async (name: string) => {
    for (let step = 0; step < 60; step++) {
      await press("Tab");
      const focused = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement | null;
        return (
          element?.getAttribute("aria-label") ??
          element?.closest("label")?.textContent ??
          element?.textContent ??
          ""
        );
      });
      if (focused.includes(name)) return;
    }
    throw new Error(`the keyboard does not reach ${name}`);
  };
  await tabTo("Your name");
  await page.keyboard.type(`Keys${Date.now() % 100000}`);
  await tabTo("Start the game");
  await press("Enter");
  await expect(board(page)).toBeVisible();
  await myTurn(page);
  await tabTo("Go board");
  await press("ArrowUp", "ArrowRight", "Enter");
  await expect(cell(page, "F6")).toHaveAttribute("aria-label", /black stone/);
  await expect(page.locator(".move-name")).toContainText("2 · White");
  await myTurn(page);
  await press("Enter");
  await expect(page.getByText("F6: there is a stone")).toBeVisible();
  await press("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown", " ");
  const held = cell(page, "D4");
  await expect(held).not.toHaveAttribute("aria-label", "D4, empty");
  await myTurn(page);
  await tabTo("Resign");
  await press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await tabTo("Resign");
  await press("Enter");
  await expect(page.getByRole("heading", { name: /wins by resignation/ })).toBeVisible();
});

/** A finger places at once on the small board, and aims first on a larger one. */
test("fingers aim on large boards", async ({ person }) => {
  const { page } = await person({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await startAgainstAi(page, "Finger");
  await myTurn(page);
  await click(page, "E5", "tap");
  await expect(cell(page, "E5")).toHaveAttribute("aria-label", /black stone/);
  await page.goto("/");
  await chooseRules(page, "Play the AI", "weiqi", 13);
  await page.getByRole("button", { name: "Start the game" }).click();
  await expect(page.locator('.board[data-size="13"]')).toBeVisible();
  await myTurn(page);
  await click(page, "G7", "tap");
  await expect(page.locator(".guides")).toBeVisible();
  await expect(cell(page, "G7")).toHaveAttribute("aria-label", "G7, empty");
  await click(page, "K10", "tap");
  await click(page, "K10", "tap");
  await expect(cell(page, "K10")).toHaveAttribute("aria-label", /black stone/);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(360);
});
