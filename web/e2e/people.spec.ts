import type { Page } from "@playwright/test";
import { cell, chooseRules, click, expect, meet, nameOneself, pass, picture, play, test } from "./world";

/** The end as both see it: the same words, and the same total. */
async function sameEnd(pages: readonly Page[]): Promise<void> {
  const seen: (string | null)[] = [];
  for (const page of pages) {
    await expect(page.getByRole("heading", { name: /wins by|draw/i })).toBeVisible();
    seen.push(
      await page.locator(".finish h2").textContent(),
      await page.locator(".finish .total").textContent(),
    );
  }
  expect(seen.slice(0, 2)).toEqual(seen.slice(2));
}

/** A stone of White's is captured: four moves, then it is White's turn. */
async function captureOne(black: Page, white: Page): Promise<void> {
  await play(black, "E5");
  await play(white, "A1");
  await play(black, "A2");
  await play(white, "J9");
  await play(black, "B1");
}

/**
 * Two people who do not know each other meet in two clicks, see each other's stones, captures and clocks, look at the score before they
 * pass, have it counted, and play again with the colours swapped.
 */
test("two strangers meet and play to the end", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  const [black, white] = await meet(one.page, two.page, "Guest");

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

/** By territory rules captured and dead stones are prisoners, the server counts after two passes, and there is no draw to offer. */
test("two strangers play by territory to the end", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  const [black, white] = await meet(one.page, two.page, "Land", (page) =>
    chooseRules(page, "Play a person", "territory"),
  );
  await captureOne(black, white);
  await expect(black.getByRole("button", { name: "Offer a draw" })).toHaveCount(0);
  await pass(white);
  await pass(black);
  // The one that was captured, and the one that is dead at the end.
  await expect(black.getByRole("row", { name: /^Prisoners/ })).toContainText("2");
  await expect(white.getByRole("row", { name: /^Komi/ })).toContainText("6.5");
  await sameEnd([black, white]);
});

/** In weiqi one player disputes the count, once: play goes on with who passed first, and the next two passes end the game. */
test("two strangers play weiqi to the end", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  const [black, white] = await meet(one.page, two.page, "Weiqi", (page) =>
    chooseRules(page, "Play a person", "weiqi", 9),
  );
  await captureOne(black, white);
  await pass(white);
  await pass(black);
  await expect(white.getByRole("region", { name: "Is this the score?" })).toBeVisible();
  await black.getByRole("button", { name: "I agree" }).click();
  await expect(white.getByText("Accepted by Black")).toBeVisible();
  await white.getByRole("button", { name: "Play on" }).click();
  await pass(white);
  await pass(black);
  await expect(black.getByRole("row", { name: /^Komi/ })).toContainText("7.5");
  await sameEnd([black, white]);
});

/** In igo a stone is marked dead by one, seen so by the other, and the count stands when both accept it. */
test("two strangers play igo to the end", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  const [black, white] = await meet(one.page, two.page, "Igo", (page) =>
    chooseRules(page, "Play a person", "igo", 9),
  );
  await captureOne(black, white);
  await expect(white.getByText("5 periods").first()).toBeVisible();
  await pass(white);
  await pass(black);
  const dead = await black.locator(".stone.dead").count();
  await click(black, "J9");
  await expect(white.locator(".stone.dead")).not.toHaveCount(dead);
  for (const page of [black, white]) await page.getByRole("button", { name: "I agree" }).click();
  await sameEnd([black, white]);
});

/** A draw that is offered is seen, declined and said; a stranger can watch. */
test("proposals are answered, and strangers watch", async ({ person }) => {
  const [one, two, stranger] = [await person(), await person(), await person()];
  const [black, white] = await meet(one.page, two.page, "Drawer");
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
  await expect(black.getByText("1 looks on")).toBeVisible();

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
test("a desk and a phone play a longer game", { tag: "@picture" }, async ({ person }) => {
  const desk = await person();
  const phone = await person({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 });
  const turns = await meet(desk.page, phone.page, "Dosaku");
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
