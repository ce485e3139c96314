/** Games with a friend. */

import { cell, expect, nameOneself, picture, play, startAgainstAi, test, violations } from "./world";

/** A link is made, copied and sent; the friend, who is nobody yet, sees what is to be played before accepting; both are at the board, and the link is used up. */
test("a friend comes by a link", async ({ person }) => {
  const [host, friend, late] = [await person(), await person(), await person()];
  await host.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const name = await nameOneself(host.page, "Host");
  const card = host.page.getByRole("region", { name: "Play a friend" });
  await card.locator("summary").click();
  await card.getByLabel("Rules").selectOption("igo");
  await card.getByRole("radio", { name: "9×9" }).check();
  await card.getByLabel("Clock").selectOption("fischer");
  await card.getByRole("radio", { name: "White" }).check();
  await card.getByRole("button", { name: "Make a link" }).click();
  await expect(host.page.getByRole("heading", { name: "Waiting for your friend" })).toBeVisible();
  await host.page.getByRole("button", { name: "Copy" }).click();
  await expect(host.page.getByText("The link is copied.")).toBeVisible();
  const link = await host.page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/\/join\/[0-9A-Za-z]{22}$/);
  await expect(host.page.getByRole("img", { name: /QR/ })).toBeVisible();
  expect(await violations(host.page)).toEqual([]);
  await picture(host.page, "friend");
  // Loaded again it still waits.
  await host.page.reload();
  await expect(host.page.getByRole("textbox", { name: "Link" })).toHaveValue(link);

  for (const { page } of [friend, late]) {
    await page.goto(link);
    expect(await violations(page)).toEqual([]);
    await nameOneself(page, "Friend");
    await page.getByRole("button", { name: "See the invitation" }).click();
    await expect(page.getByRole("heading", { name: `${name} invites you to a game` })).toBeVisible();
    await expect(page.locator(".facts")).toContainText("Igo · 9×9");
    await expect(page.locator(".facts")).toContainText("5 min + 10 s a move");
    await expect(page.locator(".facts")).toContainText("Black");
  }
  expect(await violations(friend.page)).toEqual([]);
  await friend.page.getByRole("button", { name: "Play", exact: true }).click();
  await play(friend.page, "E5");
  await expect(cell(host.page, "E5")).toHaveAttribute("aria-label", "E5, black stone, last move");
  await play(host.page, "C3");

  await late.page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(late.page.getByRole("alert").last()).not.toBeEmpty();
  await late.page.reload();
  await expect(late.page.getByRole("heading", { name: "Somebody has taken this game" })).toBeVisible();
});

/** Whoever is challenged by name finds it on the first page, and may decline; who made a link may take it back. */
test("a challenge by name is declined, and a link withdrawn", async ({ person }) => {
  const [host, friend] = [await person(), await person()];
  await startAgainstAi(friend.page, "Named");
  const named = (await friend.page.locator(".my-name").textContent()) ?? "";
  await friend.page.goto("/");
  await nameOneself(host.page, "Challenger");
  const card = host.page.getByRole("region", { name: "Play a friend" });
  await card.locator("summary").click();
  await card.getByLabel("Your friend's name here").fill(named);
  await card.getByRole("button", { name: "Make a link" }).click();
  await expect(host.page.getByRole("heading", { name: `Waiting for ${named}` })).toBeVisible();
  await friend.page.getByRole("link", { name: "Have a look" }).click();
  await friend.page.getByRole("button", { name: "Decline" }).click();
  await expect(host.page.getByRole("heading", { name: "The invitation was declined" })).toBeVisible();

  await host.page.getByRole("link", { name: "Play", exact: true }).click();
  await host.page.getByRole("button", { name: "Make a link" }).click();
  await expect(host.page.getByRole("heading", { name: "Waiting for your friend" })).toBeVisible();
  const link = host.page.url();
  await host.page.goto("/");
  await host.page.getByRole("link", { name: "Have a look" }).click();
  await host.page.getByRole("button", { name: "Withdraw" }).click();
  await friend.page.goto(link);
  await expect(friend.page.getByRole("heading", { name: "The invitation was withdrawn" })).toBeVisible();
});

/** Whom one has blocked cannot challenge one, until one unblocks them. */
test("a blocked player cannot challenge", async ({ person }) => {
  const [one, other] = [await person(), await person()];
  const names: string[] = [];
  for (const { page } of [one, other]) {
    await startAgainstAi(page, "Block");
    names.push((await page.locator(".my-name").textContent()) ?? "");
  }
  await other.page.locator(".my-name").click();
  await expect(other.page.getByRole("heading", { name: "Ratings" })).toBeVisible();
  const profile = other.page.url();
  await one.page.goto(profile);
  await one.page.getByRole("button", { name: "Block" }).click();
  await expect(one.page.getByRole("button", { name: "Unblock" })).toBeVisible();
  const challenge = async () => {
    await other.page.goto("/");
    const card = other.page.getByRole("region", { name: "Play a friend" });
    await card.locator("summary").click();
    await card.getByLabel("Your friend's name here").fill(names[0] ?? "");
    await card.getByRole("button", { name: "Make a link" }).click();
  };
  await challenge();
  await expect(other.page.locator("main").getByRole("alert")).toContainText("blocked");
  await one.page.goto("/settings");
  await expect(one.page.getByText(names[1] ?? "?")).toBeVisible();
  await one.page.getByRole("button", { name: "Unblock" }).click();
  await challenge();
  await expect(other.page.getByRole("heading", { name: `Waiting for ${names[0]}` })).toBeVisible();
});
