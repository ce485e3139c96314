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
