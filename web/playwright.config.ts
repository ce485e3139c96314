import { defineConfig } from "@playwright/test";

/** Everything here runs against the real binary (NIGIRI_BINARY), which serves the page itself. */
export default defineConfig({
  testDir: "e2e",
  fullyParallel: false,
  workers: 1,
  // A test that needed a second try is reported as flaky: look at it.
  retries: 1,
  forbidOnly: true,
  timeout: 300_000,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: {
    locale: "en",
    viewport: { width: 1280, height: 800 },
    launchOptions: { executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] },
    screenshot: "only-on-failure",
    actionTimeout: 30_000,
  },
});
