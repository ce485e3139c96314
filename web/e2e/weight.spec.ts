/** How much the page weighs, and how much it costs to have it open. The figures are printed. */

import type { Page } from "@playwright/test";
import { board, expect, meet, test } from "./world";

/** The first load is small, and comes with a strict policy. */
test("the first load weighs little", async ({ browser, server }) => {
  const page = await browser.newPage();
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  let weight = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => {
    weight += encodedDataLength;
  });
  const answer = await page.goto(server.url, { waitUntil: "networkidle" });
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const policy = answer?.headers()["content-security-policy"] ?? "";
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain("unsafe");
  console.log(`the first load is ${(weight / 1024).toFixed(1)} KiB`);
  expect(weight).toBeGreaterThan(20_000);
  expect(weight).toBeLessThan(120 * 1024);
  await page.close();
});

/** A middling phone on a slow mobile network: a fourth of this machine's speed, 1.6 Mbit/s, 150 ms. */
async function throttle(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: (1.6 * 1024 * 1024) / 8,
    uploadThroughput: (750 * 1024) / 8,
  });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/** On a throttled phone the first page can be used within a second: it is there, and nothing keeps the machine from answering. */
test("a phone is ready within a second", async ({ browser, server }) => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  });
  const page = await context.newPage();
  await throttle(page);
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) tasks.push(task.startTime + task.duration);
    }).observe({ type: "longtask", buffered: true });
    new MutationObserver((_, observer) => {
      if (!document.querySelector("main button")) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => performance.mark("usable")));
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(server.url);
  await expect(page.getByRole("button", { name: "Start the game" })).toBeEnabled();
  const ready = await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const usable = performance.getEntriesByName("usable")[0]?.startTime ?? Number.POSITIVE_INFINITY;
    return Math.max(usable, ...(globalThis as unknown as { tasks: number[] }).tasks);
  });
  console.log(`a throttled phone can be used after ${ready.toFixed(0)} ms`);
  expect(ready).toBeLessThan(1000);
  await context.close();
});

/** While a player thinks, and the clock runs, the page takes hardly anything of the machine. */
test("a game page rests while a player thinks", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  const [black, white] = await meet(one.page, two.page, "Thinker");
  await expect(board(black)).toBeVisible();
  const seconds = 8;
  for (const page of [black, white]) {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Performance.enable");
    const spent = async () => {
      const { metrics } = await devtools.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
    };
    await page.waitForTimeout(1000);
    const before = await spent();
    await page.waitForTimeout(seconds * 1000);
    const share = ((await spent()) - before) / seconds;
    console.log(`a game page takes ${(share * 100).toFixed(2)} % of a core while a player thinks`);
    expect(share).toBeLessThan(0.02);
  }
});
