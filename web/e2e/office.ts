/** An operator at their page, on a server of their own, with other people on it. */

import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import type { Locator, Page } from "@playwright/test";
import { OperatorService } from "../src/gen/nigiri/operator/v1/operator_service_pb";
import { RatingService } from "../src/gen/nigiri/rating/v1/rating_service_pb";
import { Server } from "./server";
import { expect, newName, test as plain, violations } from "./world";

export interface Office {
  server: Server;
  /** The operators' page. */
  boss: Page;
  /** The browser of somebody else, with the first page open. */
  visitor: () => Promise<Page>;
}

export const test = plain.extend<{ office: Office }>({
  office: async ({ browser }, use) => {
    const server = await Server.start();
    const open: Page[] = [];
    const complaints: string[] = [];
    const visitor = async () => {
      const context = await browser.newContext({ locale: "en", baseURL: server.url });
      const page = await context.newPage();
      page.on("pageerror", (error) => complaints.push(String(error)));
      open.push(page);
      await page.goto("/");
      return page;
    };
    try {
      const boss = await visitor();
      await operator(boss, server);
      await use({ server, boss, visitor });
      for (const page of open) await page.context().close();
      expect(complaints, "no page has failed").toEqual([]);
    } finally {
      await server.end();
    }
  },
});

/** Becomes an operator of a server of one's own. */
export async function operator(page: Page, server: Server): Promise<void> {
  await page.goto(`${server.url}/ops`);
  await page.getByLabel("Your name").fill(newName("Boss"));
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(page.getByRole("heading", { name: "This page is for operators" })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const id = await idOf(page);
  await expect(page.getByText(id)).toBeVisible();
  await server.restart("--session-operators", id);
  await page.getByRole("button", { name: "Ask again" }).click();
  await expect(page.getByText("All is well.")).toBeVisible();
}

/** Who somebody is, by what their browser keeps. */
export function idOf(page: Page): Promise<string> {
  return page.evaluate(() => JSON.parse(localStorage.getItem("nigiri.session") ?? "{}").id);
}

/** The game that somebody's page shows. */
export function gameOf(page: Page): string {
  return new URL(page.url()).pathname.split("/")[2] ?? "";
}

/** Asks for an act, says why, and does not yet confirm it; `fill` answers what else is asked. */
export async function ask(
  page: Page,
  button: string | Locator,
  reason: string,
  fill?: (question: Locator) => Promise<unknown>,
): Promise<Locator> {
  const asks = typeof button === "string" ? page.getByRole("button", { name: button, exact: true }) : button;
  await asks.first().click();
  const question = page.getByRole("dialog");
  await fill?.(question);
  await question.getByLabel("Reason").fill(reason);
  return question;
}

/** Confirms an act, or tries to. */
export async function confirm(question: Locator): Promise<void> {
  await question.locator("button[type=submit]").click();
}

/** Does what a button asks for, with a reason; `fill` answers what else is asked. */
export async function act(
  page: Page,
  button: string | Locator,
  reason: string,
  fill?: (question: Locator) => Promise<unknown>,
): Promise<void> {
  const question = await ask(page, button, reason, fill);
  await confirm(question);
  await expect(question).toHaveCount(0);
}

/** The operators' calls and those about ratings, as the one who is signed in on a page. */
export function calls(page: Page) {
  const withToken: Interceptor = (next) => async (request) => {
    const token = await page.evaluate(
      () => JSON.parse(localStorage.getItem("nigiri.session") ?? "{}").access,
    );
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
  const transport = createGrpcWebTransport({
    baseUrl: new URL(page.url()).origin,
    interceptors: [withToken],
  });
  return {
    tower: createClient(OperatorService, transport),
    ratings: createClient(RatingService, transport),
  };
}
