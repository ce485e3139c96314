import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { countsOf, DIAGRAMS } from "../src/lessons/diagrams";
import {
  board,
  cell,
  click,
  expect,
  myTurn,
  nameOneself,
  picture,
  startAgainstAi,
  test,
  violations,
} from "./world";

const QUIET = ["/watch", "/leaders", "/rules", "/rules/igo", "/learn", "/learn/5", "/settings", "/nowhere"];

for (const theme of ["light", "dark", "contrast"]) {
  /** Every page passes the scan, in every colour scheme. */
  test(`every page can be used by everybody: ${theme}`, async ({ person }) => {
    const { page } = await person({ reducedMotion: "reduce" });
    await page.evaluate(
      (value) => localStorage.setItem("nigiri.preferences", JSON.stringify({ theme: value })),
      theme,
    );
    await page.reload();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    expect(await violations(page), `${theme} /`).toEqual([]);
    await picture(page, `home-${theme}`);
    await startAgainstAi(page, "Scan");
    await myTurn(page);
    await click(page, "E5");
    await expect(page.locator(".move-name")).toContainText("2 · White");
    expect(await violations(page), `${theme} game`).toEqual([]);
    await page.getByRole("button", { name: "Count" }).click();
    await expect(page.getByRole("row", { name: /^Total/ })).toBeVisible();
    expect(await violations(page), `${theme} dialog`).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Resign" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
    await expect(page.getByRole("heading", { name: /wins by resignation/ })).toBeVisible();
    expect(await violations(page), `${theme} finish`).toEqual([]);
    await page.locator(".my-name").click();
    await expect(page.getByRole("heading", { name: "Ratings" })).toBeVisible();
    expect(await violations(page), `${theme} player`).toEqual([]);
    for (const path of QUIET) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      expect(await violations(page), `${theme} ${path}`).toEqual([]);
    }
  });
}

/** In every language, on a small phone: each page is in that language, fits the screen, and the board is there. */
test("every language fits a small phone", async ({ person }) => {
  const { page } = await person({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await startAgainstAi(page, "Small");
  const game = new URL(page.url()).pathname;
  for (const language of ["en", "id", "hi", "zh", "ja", "ko"]) {
    await page.goto(`/?lang=${language}`);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await picture(page, `phone-${language}`);
    for (const path of ["/", game, "/watch", "/leaders", "/rules", "/rules/quick", "/learn", "/settings"]) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      if (path.startsWith("/game")) await expect(board(page)).toBeVisible();
      if (path === "/rules") await expect(page.locator(".lesson").nth(3)).toBeVisible();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide, `${language} ${path}`).toBeLessThanOrEqual(360);
    }
  }
});

/** Every address that the server has the page for shows something of its own. */
test("every address of the page has a page", async ({ person }) => {
  const { page } = await person();
  const source = readFileSync(new URL("../../services/nigiri/src/page.rs", import.meta.url), "utf8");
  const list = /const SECTIONS[^=]*= \[([^\]]*)\]/.exec(source)?.[1] ?? "";
  const sections = [...list.matchAll(/"([^"]+)"/g)].map(([, section = ""]) => section);
  expect(sections.length).toBeGreaterThan(10);
  await startAgainstAi(page, "Everywhere");
  const values: Record<string, string> = { preset: "igo", number: "3", what: "games" };
  for (const section of sections) {
    const path = section.replace(/\{(\w+)\}/, (_, name: string) => values[name] ?? crypto.randomUUID());
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(200);
    await expect(page.getByRole("heading", { level: 1 }), path).not.toHaveText("There is nothing here");
  }
  const nowhere = await page.goto("/nowhere");
  expect(nowhere?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("There is nothing here");
});

/** The puzzles are solved one after the other, and remembered. */
test("a beginner solves the puzzles", async ({ person }) => {
  const { page } = await person();
  await page.goto("/learn");
  await click(page, "A1");
  await expect(page.locator(".verdict.wrong")).toBeVisible();
  for (const answer of ["D3", "D4", "C2", "C3", "C3", "C3", "C3", "B5", "B5", ""]) {
    if (answer) await click(page, answer);
    else await page.getByRole("button", { name: "Pass" }).click();
    await expect(page.locator(".verdict.right")).toBeVisible();
    if (answer) await page.getByRole("link", { name: "Next puzzle" }).click();
  }
  await expect(page.getByText("You know all that you need")).toBeVisible();
  await page.reload();
  await expect(page.locator(".pager .done")).toHaveCount(10);
  await picture(page, "learn");
});

/** What the lessons count is what the server's own judge counts, by area and by territory; in the seki nobody is dead, and two points are nobody's. */
test("the lessons are judged by the server's judge", () => {
  const judge = (board: readonly string[], preset: string) => {
    const input = `${JSON.stringify({ id: preset, size: board.length, preset, komi: 0, board })}\n`;
    return JSON.parse(execFileSync(process.env.NIGIRI_BINARY ?? "", ["judge"], { input }).toString());
  };
  expect(judge(DIAGRAMS.area.rows, "weiqi")).toMatchObject({ dead: [], score: countsOf("area") });
  expect(judge(DIAGRAMS.territory.rows, "igo")).toMatchObject({ dead: [], score: countsOf("territory") });
  const seki = judge(DIAGRAMS.seki.rows, "weiqi");
  expect(seki.dead).toEqual([]);
  expect(seki.owner.join("").match(/\./g)).toHaveLength(2);
});

/** Two tabs of one person show the same game; a stone in one is in the other. */
test("two tabs are one player", async ({ person }) => {
  const { page } = await person();
  await startAgainstAi(page, "Tabs");
  await myTurn(page);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect(board(other)).toBeVisible();
  await click(page, "E5");
  await expect(cell(other, "E5")).toHaveAttribute("aria-label", /black stone/);
  await myTurn(other);
  await click(other, "C7");
  await expect(cell(page, "C7")).not.toHaveAttribute("aria-label", "C7, empty");
});

/** Who waits sees for how long, and can stop; loaded again, the search goes on. */
test("the waiting room says what happens", async ({ person }) => {
  const { page } = await person();
  await nameOneself(page, "Waiter");
  await page.getByRole("checkbox", { name: /An AI may fill in/ }).uncheck();
  await page.getByRole("button", { name: "Find an opponent" }).click();
  await expect(page.getByRole("heading", { name: "Looking for an opponent" })).toBeVisible();
  await expect(page.getByText("Players in the queue")).toBeVisible();
  await expect(page.locator(".facts .time")).toHaveText(/0:0[3-9]|0:[1-9]/);
  await page.reload();
  await expect(page.locator(".facts .time")).toHaveText(/0:0[3-9]|0:[1-9]/);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Stop looking" }).click();
  await expect(page.getByRole("button", { name: "Find an opponent" })).toBeVisible();
});
