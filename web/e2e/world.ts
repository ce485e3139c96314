/** A server, and people with browsers. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type BrowserContextOptions, test as base, expect, type Page } from "@playwright/test";
import { Server } from "./server";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** One person's browser. */
export interface Person {
  page: Page;
  /** What the browser complained about. */
  complaints: string[];
}

interface World {
  server: Server;
  /** A new browser with the first page open. */
  person: (options?: BrowserContextOptions) => Promise<Person>;
}

export const test = base.extend<Omit<World, "server">, Pick<World, "server">>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern.
    async ({}, use) => {
      const server = await Server.start();
      await use(server);
      await server.end();
    },
    { scope: "worker" },
  ],
  person: async ({ browser, server }, use) => {
    const people: Person[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL: server.url, locale: "en", ...options });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => {
        // A call that found nobody is told by the browser itself; the page says it in its bar.
        const network =
          message.text().includes("Failed to load resource") || message.text().includes("net::ERR");
        if (message.type() === "error" && !network) complaints.push(message.text());
      });
      await page.goto("/");
      const person = { page, complaints };
      people.push(person);
      return person;
    });
    for (const { page, complaints } of people) {
      expect(complaints, "the browser has nothing to complain about").toEqual([]);
      await page.context().close();
    }
  },
});

export { expect };

/** What the accessibility scan finds on a page. */
export async function violations(page: Page): Promise<string[]> {
  // A page that is still being built has no heading, and everything else is not there either.
  await page.locator("h1").first().waitFor({ state: "attached" });
  await page.evaluate(axe);
  return page.evaluate(async () => {
    interface Scanner {
      run(
        on: Document,
        how: { runOnly: string[] },
      ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
    }
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { axe } = globalThis as unknown as { axe: Scanner };
    const found = await axe.run(document, { runOnly: tags });
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
  });
}

let names = 0;

/** A name that nobody has. */
export function newName(stem: string): string {
  names += 1;
  return `${stem}${process.pid % 1000}x${names}`;
}

/** Gives oneself a name. */
export async function nameOneself(page: Page, stem: string): Promise<string> {
  const name = newName(stem);
  await page.getByLabel("Your name").fill(name);
  return name;
}

/** The board. */
export function board(page: Page) {
  return page.getByRole("grid");
}

/** What is on a point, in words. */
export function cell(page: Page, point: string) {
  return page.locator(`[role="gridcell"][aria-label^="${point},"]`);
}

/** Clicks on a point of the board. */
export async function click(page: Page, point: string, how: "click" | "tap" = "click"): Promise<void> {
  const place = await cell(page, point).boundingBox();
  if (!place) throw new Error(`there is no ${point}`);
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
  if (how === "tap") await page.touchscreen.tap(x, y);
  else await page.mouse.click(x, y);
}

/** Waits until it is one's turn. */
export async function myTurn(page: Page): Promise<void> {
  await expect(page.getByText("Your turn.", { exact: false }).first()).toBeVisible();
}

/** Plays a stone, and waits until the server has it. */
export async function play(page: Page, point: string): Promise<void> {
  await myTurn(page);
  await click(page, point);
  await expect(page.locator(".turn-line")).not.toContainText("Your turn");
}

/**
 * Two people look for each other and sit down at a board; `choose` says what each of them looks for, if it is not the usual game. Who has
 * Black comes first.
 */
export async function meet(
  one: Page,
  two: Page,
  stem: string,
  choose: (page: Page) => Promise<void> = async () => undefined,
): Promise<[black: Page, white: Page]> {
  for (const page of [one, two]) {
    await nameOneself(page, stem);
    await choose(page);
    await page.getByRole("checkbox", { name: /An AI may fill in/ }).uncheck();
    await page.getByRole("button", { name: "Find an opponent" }).click();
  }
  return colours(one, two);
}

/** Who has Black, and who White, in a game that begins. */
export async function colours(one: Page, two: Page): Promise<[black: Page, white: Page]> {
  for (const page of [one, two]) await expect(board(page)).toBeVisible();
  const mine = one.getByText("Your turn.");
  await expect(mine.or(one.getByText("Black to move."))).toBeVisible();
  return (await mine.isVisible()) ? [one, two] : [two, one];
}

/** Chooses on one of the first page's cards what is played. */
export async function chooseRules(page: Page, card: string, preset: string, size?: number): Promise<void> {
  const region = page.getByRole("region", { name: card });
  await region.locator("summary").click();
  await region.getByLabel("Rules").selectOption(preset);
  if (size) await region.getByRole("radio", { name: `${size}×${size}` }).check();
}

/** Begins a game against the AI on the usual board. */
export async function startAgainstAi(page: Page, stem: string): Promise<void> {
  if (await page.getByLabel("Your name").isVisible()) await nameOneself(page, stem);
  await page.getByRole("button", { name: "Start the game" }).click();
  await expect(board(page)).toBeVisible();
}

/** Passes, after a look at the preview. */
export async function pass(page: Page): Promise<void> {
  await myTurn(page);
  await page.getByRole("button", { name: "Pass" }).click();
  const question = page.getByRole("dialog");
  await expect(question.getByRole("row", { name: /^Total/ })).toBeVisible();
  await question.getByRole("button", { name: "Pass" }).click();
}

/** Keeps a picture for docs/, when that is asked for. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.NIGIRI_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.jpg`, type: "jpeg", quality: 82 });
}
