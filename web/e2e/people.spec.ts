import { board, cell, expect, nameOneself, pass, picture, play, test } from "./world";

/**
 * Two people who do not know each other meet in two clicks, see each other's stones, captures and clocks, look at the score before they
 * pass, have it counted, and play again with the colours swapped.
 */
test("two strangers meet and play to the end", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  for (const { page } of [one, two]) {
    await nameOneself(page, "Guest");
    await page.getByRole("checkbox", { name: /An AI may fill in/ }).uncheck();
    await page.getByRole("button", { name: "Find an opponent" }).click();
  }
  for (const { page } of [one, two]) await expect(board(page)).toBeVisible();
  const first = one.page.getByText("Your turn.");
  await expect(first.or(one.page.getByText("Black to move."))).toBeVisible();
  const [black, white] = (await first.isVisible()) ? [one.page, two.page] : [two.page, one.page];

  await play(black, "E5");
  await expect(cell(white, "E5")).toHaveAttribute("aria-label", "E5, black stone, last move");
  await expect(white.getByRole("timer").last()).toHaveText(/0:\d\d|\d\.\d/);
  for (const [page, point] of [
    [white, "A1"],
    [black, "A2"],
    [white, "J9"],
    [black, "B1"],
  ] as const) {
    await play(page, point);
  }
  await expect(cell(white, "A1")).toHaveAttribute("aria-label", /A1, empty, no liberty/);
  await expect(white.getByRole("region", { name: /Guest/ }).getByText("1 captured")).toBeVisible();
  await expect(white.locator("[data-said=polite]")).toContainText("Black B1, captures 1 stone");

  await pass(white);
  await pass(black);
  for (const page of [black, white]) {
    await expect(page.getByRole("heading", { name: /wins by/ })).toBeVisible();
    await expect(page.getByRole("row", { name: /^Komi/ })).toContainText("7");
  }
  await black.getByRole("button", { name: "Play again" }).click();
  await white.getByRole("button", { name: /Play again \(opponent is ready\)/ }).click();
  for (const page of [black, white]) await expect(page.getByText("Beginning")).toHaveCount(0);
  // Who had White has Black now.
  await play(white, "C3");
  await expect(cell(black, "C3")).toHaveAttribute("aria-label", "C3, black stone, last move");
  await black.getByRole("button", { name: "Resign" }).click();
  await black.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await expect(white.getByRole("heading", { level: 2 })).toBeVisible();
});

/** A draw that is offered is seen, declined and said; a stranger can watch. */
test("proposals are answered, and strangers watch", async ({ person }) => {
  const [one, two, stranger] = [await person(), await person(), await person()];
  for (const { page } of [one, two]) {
    await nameOneself(page, "Drawer");
    await page.getByRole("checkbox", { name: /An AI may fill in/ }).uncheck();
    await page.getByRole("button", { name: "Find an opponent" }).click();
  }
  for (const { page } of [one, two]) await expect(board(page)).toBeVisible();
  const first = one.page.getByText("Your turn.");
  await expect(first.or(one.page.getByText("Black to move."))).toBeVisible();
  const [black, white] = (await first.isVisible()) ? [one.page, two.page] : [two.page, one.page];
  await play(black, "D4");
  await play(white, "F6");
  await black.getByRole("button", { name: "Offer a draw" }).click();
  await expect(black.getByText("You have offered a draw.")).toBeVisible();
  await expect(white.getByText("Black offers a draw.")).toBeVisible();

  const address = new URL(black.url()).pathname;
  await stranger.page.goto(address);
  await nameOneself(stranger.page, "Watcher");
  await stranger.page.getByRole("button", { name: "Watch", exact: true }).click();
  await expect(cell(stranger.page, "F6")).toHaveAttribute("aria-label", /white stone/);
  await expect(stranger.page.getByRole("button", { name: "Pass" })).toHaveCount(0);

  await white.getByRole("button", { name: "Decline" }).click();
  await expect(black.getByText("You have offered a draw.")).toHaveCount(0);
  await black.getByRole("button", { name: "Take back" }).click();
  await white.getByRole("button", { name: "Accept" }).click();
  await expect(cell(stranger.page, "D4")).toHaveAttribute("aria-label", /empty/);
  await white.getByRole("button", { name: "Resign" }).click();
  await white.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await expect(black.getByRole("heading", { level: 2 }).first()).toBeVisible();
});

const MOVES =
  "E7 E5 F6 D4 F5 F4 G4 C8 D6 G3 F3 E4 C4 G5 H4 C5 D5 D3 C3 F2 D2 E3 E2 C2 B2 C1 B1 D1 E1 F3".split(" ");

/** A longer game, one at a desk and one on a phone: every stone arrives, clocks run, and both see the same score. */
test("a desk and a phone play a longer game", async ({ person }) => {
  const desk = await person();
  const phone = await person({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 });
  for (const { page } of [desk, phone]) {
    await nameOneself(page, page === desk.page ? "Dosaku" : "Jowa");
    await page.getByRole("checkbox", { name: /An AI may fill in/ }).uncheck();
    await page.getByRole("button", { name: "Find an opponent" }).click();
  }
  for (const { page } of [desk, phone]) await expect(board(page)).toBeVisible();
  const first = desk.page.getByText("Your turn.");
  await expect(first.or(desk.page.getByText("Black to move."))).toBeVisible();
  const turns = (await first.isVisible()) ? [desk.page, phone.page] : [phone.page, desk.page];
  for (const [index, point] of MOVES.entries()) {
    const [mine, other] = index % 2 === 0 ? turns : turns.toReversed();
    if (!mine || !other) throw new Error("two play");
    await play(mine, point);
    await expect(cell(other, point)).toHaveAttribute("aria-label", /stone, last move/);
  }
  await picture(desk.page, "game");
  await picture(phone.page, "game-phone");
  await desk.page.getByRole("button", { name: "Count" }).click();
  await expect(desk.page.getByRole("row", { name: /^Total/ })).toBeVisible();
  await picture(desk.page, "count");
  await desk.page.keyboard.press("Escape");
  for (const page of turns) await pass(page);
  const totals = turns.map((page) => page.locator(".finish .total").textContent());
  const [one, two] = await Promise.all(totals);
  expect(one).toBe(two);
  await picture(desk.page, "finish");
});
