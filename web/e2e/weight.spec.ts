/** How much the page weighs, and how much it costs to have it open. The figures are printed. */

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

/** A middling phone is so much slower than this machine. */
const SLOWER = 4;
/** A slow mobile network: bytes a second, and the time of a round trip in milliseconds. */
const NETWORK = { bytes: (1.6 * 1024 * 1024) / 8, trip: 150 };

/**
 * How soon a middling phone on a slow mobile network can use the first page: the round trips (for the page, and for what it names) and the bytes
 * on that network, and the work in time of the processor, so that other work on this machine does not matter. What comes after the page can be used
 * is left out. The goal is a second, which docs/performance.md says is missed; twice that is a fault.
 */
test("a phone can soon use the page", async ({ browser, server }) => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  });
  const page = await context.newPage();
  await page.route(/clients-|game-|doors-/, (route) => route.abort());
  const devtools = await context.newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.goto(server.url);
  await expect(page.getByRole("button", { name: "Start the game" })).toBeEnabled();
  const { metrics } = await devtools.send("Performance.getMetrics");
  const worked = (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
  const files = await page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .map((entry) => entry as PerformanceResourceTiming)
      .map(({ name, transferSize }) => ({ name, transferSize })),
  );
  const [script] = files.filter(({ name }) => /index-.*\.js$/.test(name));
  expect(script?.transferSize).toBeGreaterThan(5_000);
  const bytes = files.reduce((sum, { transferSize }) => sum + transferSize, 0);
  const loaded = 2 * NETWORK.trip + (bytes / NETWORK.bytes) * 1000;
  const ready = loaded + SLOWER * worked;
  console.log(
    `a phone has the page after ${loaded.toFixed(0)} ms and can use it after ${ready.toFixed(0)} ms`,
  );
  expect(ready).toBeLessThan(2000);
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
