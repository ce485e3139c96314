/** What operators do on their page: each act is asked about, done, seen by whom it concerns, and written down. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import type { Page } from "@playwright/test";
import "../src/api/details";
import { refusal } from "../src/api/refusal";
import { ActOutcome } from "../src/gen/nigiri/operator/v1/operator_service_pb";
import { RatingVerdict } from "../src/gen/nigiri/rating/v1/rating_service_pb";
import { act, ask, calls, confirm, gameOf, idOf, test } from "./office";
import {
  board,
  cell,
  click,
  colours,
  expect,
  meet,
  myTurn,
  picture,
  play,
  startAgainstAi,
  violations,
} from "./world";

/** Asks for a game that counts. */
async function rated(page: Page): Promise<void> {
  await page
    .getByRole("region", { name: "Play a person" })
    .getByRole("checkbox", { name: "Rated game" })
    .check();
}

/** Plays a stone against the AI, and waits for the answer. */
async function firstStone(page: Page): Promise<void> {
  await myTurn(page);
  await click(page, "E5");
  await expect(page.locator(".move-name")).toContainText("2 · White");
}

async function resign(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
}

/** The audit log of something, the newest act first. */
async function actsOn(boss: Page, target: string): Promise<[string, string, string][]> {
  const { acts } = await calls(boss).tower.listActs({ target });
  return acts.map(({ act, outcome, reason }) => [act, ActOutcome[outcome] ?? "", reason]);
}

/**
 * The player whose clock runs is given time and sees it, with the reason; the game is decided, counts, and both read why; then it is taken out
 * of the ratings again.
 */
test("a game is given time, decided, and taken out of the ratings", async ({ office }) => {
  const { boss, visitor } = office;
  const { tower, ratings } = calls(boss);
  const [black, white] = await meet(await visitor(), await visitor(), "Rated", rated);
  await play(black, "E5");
  await play(white, "C3");
  const gameId = gameOf(black);
  await boss.goto(`/ops/game?id=${gameId}`);
  await act(boss, "Give time", "A fire alarm", (question) => question.getByLabel("Seconds").fill("600"));
  await expect(black.locator(".clock.running .time")).toHaveText(/^10:[0-3]\d$/);
  await expect(boss.locator(".clock.running .time")).toHaveText(/^10:[0-3]\d$/);
  for (const page of [black, white]) {
    await expect(page.locator(".word")).toHaveText("An operator gave 600 seconds: A fire alarm");
  }
  await play(black, "G7");
  await expect(white.locator(".word")).toHaveCount(0);
  await expect(white.locator(".clock.running .time")).toHaveText(/^0:[123]\d$/);

  await act(boss, "Decide the game", "Black had help", (question) =>
    question.getByRole("radio", { name: "White" }).check(),
  );
  for (const page of [black, white]) {
    await expect(page.getByRole("heading", { name: "White wins by decision of an operator" })).toBeVisible();
    await expect(page.locator(".word")).toHaveText("Reason: Black had help");
    await expect(page.locator(".finish .gain")).toBeVisible();
  }
  const winner = await idOf(white);
  const counted = async () => (await tower.getPlayer({ playerId: winner })).ratings.map(({ games }) => games);
  expect(await counted()).toEqual([1]);

  await act(boss, "Annul the game", "Both are the same person");
  expect(await counted()).toEqual([]);
  expect((await ratings.getGameRating({ gameId })).verdict).toBe(RatingVerdict.ANNULLED);
  await white.reload();
  await expect(white.getByText("This game does not count for the ratings.")).toBeVisible();
  await expect(white.locator(".word")).toHaveText("Reason: Black had help");
  expect(await actsOn(boss, gameId)).toEqual([
    ["AnnulGame", "DONE", "Both are the same person"],
    ["AdjudicateGame", "DONE", "Black had help"],
    ["GiveTime", "DONE", "A fire alarm"],
  ]);
  await expect(boss.getByRole("row", { name: "AnnulGame" })).toContainText("Both are the same person");
});

/**
 * Nothing is done before it is confirmed with a reason. What is refused, by the page, by the server or because nobody answers, says why and
 * leaves everything as it was written; so does a game that ends while an operator writes. The keyboard never loses its place.
 */
test("an act that is refused loses nothing that was written", async ({ office }) => {
  const { boss, visitor, server } = office;
  const player = await visitor();
  await startAgainstAi(player, "Subject");
  await firstStone(player);
  await myTurn(player);
  const gameId = gameOf(player);
  await boss.goto(`/ops/game?id=${gameId}`);
  for (const deed of ["Decide the game", "Give time", "Abort the game"]) {
    const question = await ask(boss, deed, "  ");
    await confirm(question);
    const reason = question.getByLabel("Reason");
    expect(await reason.evaluate((box: HTMLInputElement) => box.validationMessage)).toBe(
      "Please write something here.",
    );
    await expect(reason).toBeFocused();
    expect(await violations(boss)).toEqual([]);
    await reason.fill("No, better not");
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(question).toHaveCount(0);
    await expect(boss.getByRole("button", { name: deed })).toBeFocused();
  }
  expect(await actsOn(boss, gameId)).toEqual([]);
  await expect(player.getByText("Your turn.")).toBeVisible();

  // The server refuses it, then is not there, then refuses it again.
  const time = await ask(boss, "Give time", "A long walk", (question) =>
    question.getByLabel("Seconds").fill("45"),
  );
  const kept = async () => {
    await expect(time.getByLabel("Reason")).toHaveValue("A long walk");
    await expect(time.getByLabel("Seconds")).toHaveValue("45");
  };
  await confirm(time);
  await expect(time.getByRole("alert")).toHaveText("No clock runs in this game now.");
  await kept();
  await server.down();
  await confirm(time);
  await expect(time.getByRole("alert")).toHaveText("The server cannot be reached. Please try again.");
  await kept();
  await server.up();
  await confirm(time);
  await expect(time.getByRole("alert")).toHaveText("No clock runs in this game now.");
  await kept();
  await boss.keyboard.press("Escape");
  await expect(boss.getByRole("button", { name: "Give time" })).toBeFocused();

  // The game ends while the operator writes.
  const ruling = await ask(boss, "Decide the game", "White has left", (question) =>
    question.getByRole("radio", { name: "White" }).check(),
  );
  await expect(player.locator(".link-bar")).toHaveCount(0);
  await resign(player);
  await expect(boss.locator(".one-game strong", { hasText: "White wins by resignation" })).toBeAttached();
  await expect(boss.locator(".one-game button.careful")).toHaveCount(0);
  await expect(ruling.getByLabel("Reason")).toHaveValue("White has left");
  await ruling.getByRole("checkbox", { name: "It counts for the ratings" }).uncheck();
  await confirm(ruling);
  await expect(ruling.getByRole("alert")).toHaveText("The game is over.");
  await expect(ruling.getByLabel("Reason")).toHaveValue("White has left");
  await expect(ruling.getByRole("radio", { name: "White" })).toBeChecked();
  await boss.keyboard.press("Escape");
  await expect(boss.getByRole("heading", { level: 1 })).toBeFocused();
  const outcomes = (await actsOn(boss, gameId)).map(([deed, outcome]) => `${deed} ${outcome}`);
  expect(outcomes.slice(0, 2)).toEqual(["AdjudicateGame FAILED", "GiveTime FAILED"]);
  expect(new Set(outcomes)).toEqual(new Set(["AdjudicateGame FAILED", "GiveTime FAILED"]));
});

/**
 * Whoever is signed out everywhere is told, and can begin anew; who is renamed has the new name; who is banned reads until when and why and can do
 * nothing, and plays on when the ban is lifted.
 */
test("a player is signed out, renamed, banned and let in again", async ({ office }) => {
  const { boss, visitor } = office;
  const { tower } = calls(boss);
  const player = await visitor();
  await startAgainstAi(player, "Rude");
  await myTurn(player);
  const gone = await idOf(player);
  await boss.goto(`/ops/player?id=${gone}`);
  await act(boss, "End the sessions", "A shared machine");
  expect((await tower.getPlayer({ playerId: gone })).account?.sessions).toEqual([]);
  await expect(player.getByText("Your session has ended. Choose a name to go on.")).toBeVisible();
  expect(await violations(player)).toEqual([]);

  await player.goto("/");
  await startAgainstAi(player, "Rude");
  await myTurn(player);
  const playerId = await idOf(player);
  expect(playerId).not.toBe(gone);
  await boss.goto(`/ops/player?id=${playerId}`);
  const question = await ask(boss, "Rename", "A better name", (asked) =>
    asked.getByLabel("New name").fill("@@"),
  );
  await confirm(question);
  await expect(question.getByRole("alert")).toHaveText(/^A name has letters, digits/);
  await expect(question.getByLabel("Reason")).toHaveValue("A better name");
  await question.getByLabel("New name").fill("Gentle One");
  await confirm(question);
  await expect(boss.getByRole("heading", { name: "Gentle One" })).toBeVisible();
  expect((await tower.getPlayer({ playerId })).account?.player?.name).toBe("Gentle One");

  const until = Date.now() + 7 * 24 * 3600_000;
  await act(boss, "Ban", "Rude words", (asked) => asked.getByLabel("For how long").selectOption("A week"));
  await expect(boss.getByText(/^Banned until .*: Rude words$/)).toBeVisible();
  const { account } = await tower.getPlayer({ playerId });
  expect(account?.banned).toBe(true);
  expect(Math.abs(Number(account?.banEndTime?.seconds) * 1000 - until)).toBeLessThan(60_000);
  await expect(player.locator(".link-bar")).toHaveText(/^You are banned until .*: Rude words$/);
  await click(player, "E5");
  await expect(player.locator(".panel").getByRole("alert")).toHaveText(
    /^You are banned until .*: Rude words$/,
  );
  await expect(cell(player, "E5")).toHaveAttribute("aria-label", "E5, empty");
  await act(boss, "Lift the ban", "Said sorry");
  await expect(boss.getByText(/^Banned until/)).toHaveCount(0);
  expect((await tower.getPlayer({ playerId })).account?.banned).toBe(false);
  // A ban ends the games that the player is in.
  await player.reload();
  await expect(player.locator(".word")).toHaveText("Reason: a player was banned");
  await player.goto("/");
  await startAgainstAi(player, "Rude");
  await firstStone(player);
  await expect(cell(player, "E5")).toHaveAttribute("aria-label", /black stone/);
  expect(await actsOn(boss, playerId)).toEqual([
    ["UnbanPlayer", "DONE", "Said sorry"],
    ["BanPlayer", "DONE", "Rude words"],
    ["RenamePlayer", "DONE", "A better name"],
    ["RenamePlayer", "FAILED", "A better name"],
  ]);
});

/** While matchmaking is paused players wait, and one is sent out of the queue; then the others meet. A process that is drained ends, and its players go on at the next. */
test("matchmaking is paused and resumed, and a process drained", { tag: "@picture" }, async ({ office }) => {
  const { boss, visitor, server } = office;
  const { tower } = calls(boss);
  await act(boss, "Pause matchmaking", "A look at the queue");
  await expect(boss.getByText("No matches are made: matchmaking is paused.")).toBeVisible();
  // Each process heeds it when it next shows itself.
  const shown = async () => Number((await tower.getOverview({})).replicas[0]?.seenTime?.seconds ?? 0n);
  const paused = await shown();
  await expect.poll(shown).toBeGreaterThan(paused);
  const [one, two, three] = [await visitor(), await visitor(), await visitor()];
  for (const page of [one, two, three]) {
    await page.getByLabel("Your name").fill(`Waiter${[one, two, three].indexOf(page)}`);
    await page.getByRole("checkbox", { name: /An AI may fill in/ }).uncheck();
    await page.getByRole("button", { name: "Find an opponent" }).click();
    await expect(page.getByText("Players in the queue")).toBeVisible();
  }
  await boss.getByRole("link", { name: "Queue" }).click();
  await expect(boss.getByText("3 players wait")).toBeVisible();
  const { total } = await tower.listTickets({});
  expect(total).toBe(3);
  const row = boss.getByRole("row", { name: /Waiter0/ });
  await act(boss, row.getByRole("button", { name: "End the sessions" }), "Waits for nobody");
  await expect(one.getByText("Your session has ended. Choose a name to go on.")).toBeVisible();
  await expect(boss.getByText("2 players wait")).toBeVisible({ timeout: 60_000 });
  for (const page of [two, three]) await expect(board(page)).toHaveCount(0);
  await boss.getByRole("link", { name: "Overview" }).click();
  await picture(boss, "ops");
  await act(boss, "Go on with matchmaking", "It is fine");
  for (const page of [two, three]) await expect(board(page)).toBeVisible();
  expect((await tower.getOverview({})).matchmakingPaused).toBe(false);

  const ended = server.ended();
  const replica = (await tower.listReplicas({})).replicas[0]?.replicaId ?? "";
  const question = await ask(boss, "Drain", "A new version");
  await expect(question).toContainText(/dev on .* ends; its streams come back elsewhere/);
  await confirm(question);
  await expect(question).toHaveCount(0);
  expect(await ended).toBe(0);
  await expect(boss.getByText(/^Not up to date/)).toBeVisible();
  await server.up();
  await expect(boss.getByText(/^Not up to date/)).toHaveCount(0);
  for (const page of [two, three])
    await expect(page.locator(".link-bar")).toHaveCount(0, { timeout: 60_000 });
  const black = (await two.getByText("Your turn.").isVisible()) ? two : three;
  await play(black, "E5");
  expect(await actsOn(boss, replica)).toEqual([["DrainReplica", "DONE", "A new version"]]);
});

/** Puts a finished game's message aside for the ratings, so many times, as if it had failed for good. */
function setAside(data: string, times: number): void {
  const script = `
import sqlite3, sys
file = sqlite3.connect(sys.argv[1])
payload = file.execute("SELECT payload FROM ledger_messages WHERE topic = 'finished'").fetchone()
assert payload, "no game has finished"
for _ in range(int(sys.argv[2])):
    file.execute("INSERT INTO ledger_dead (topic, grp, payload, error) VALUES ('finished', 'rating', ?, 'the store was away')", payload)
file.commit()
`;
  execFileSync("python3", ["-c", script, join(data, "nigiri.db"), String(times)]);
}

/** Messages that failed for good are seen, delivered again and forgotten; of two operators who deal with the same one the second is told. */
test("dead letters are delivered again and discarded", async ({ office }) => {
  const { boss, visitor, server } = office;
  const { tower } = calls(boss);
  const player = await visitor();
  await startAgainstAi(player, "Sender");
  await firstStone(player);
  await resign(player);
  await expect(player.getByRole("heading", { name: /wins by resignation/ })).toBeVisible();
  await server.down("SIGTERM");
  setAside(server.data, 2);
  await server.up();
  await expect(boss.getByText("2 messages of finished have failed for good at rating.")).toBeVisible();

  const second = await boss.context().newPage();
  await second.goto("/ops/groups");
  await boss.getByRole("link", { name: "Deliveries" }).click();
  for (const page of [boss, second]) {
    await page.getByRole("button", { name: "Show" }).click();
    await expect(page.getByText("the store was away")).toHaveCount(2);
  }
  expect(await violations(boss)).toEqual([]);
  await expect(boss.locator("code.summary").first()).toContainText(gameOf(player));
  const late = await ask(second, "Deliver again", "The store is back");
  await act(boss, "Discard", "It was counted by hand");
  await expect(boss.getByText("the store was away")).toHaveCount(1);
  await expect(second.getByText("the store was away")).toHaveCount(1);
  await confirm(late);
  await expect(late.getByRole("alert")).toHaveText(
    "The letter is not there any more: somebody may have dealt with it.",
  );
  await expect(late.getByLabel("Reason")).toHaveValue("The store is back");
  await second.close();

  await act(boss, "Deliver again", "The store is back");
  await expect(boss.getByText("the store was away")).toHaveCount(0);
  const which = { topic: "finished", group: "rating" };
  const rest = async () => {
    const { groups } = await tower.listGroups({});
    return groups.map(({ lag, deadLetters }) => Number(lag) + deadLetters).filter((count) => count > 0);
  };
  await expect.poll(rest).toEqual([]);
  expect((await tower.listDeadLetters(which)).letters).toEqual([]);
  const gone = await tower.discardDeadLetter({ ...which, letterId: "0.1", reason: "again" }).catch(refusal);
  expect(gone).toMatchObject({ code: Code.NotFound, reason: "DEAD_LETTER_NOT_FOUND" });
  await boss.getByRole("link", { name: "Overview" }).click();
  await expect(boss.getByText("All is well.")).toBeVisible();
});

/** A pair whose games end after a few moves is shown to operators, until one of them says what came of it. */
test("a suspicion is resolved", async ({ office }) => {
  const { boss, visitor } = office;
  const { ratings } = calls(boss);
  const [one, two] = await meet(await visitor(), await visitor(), "Pair", rated);
  for (let game = 1; game <= 4; game++) {
    const [black, white] = await colours(one, two);
    await play(black, "E5");
    await play(white, "C3");
    await resign(black);
    const before = gameOf(one);
    for (const page of [one, two]) {
      await expect(page.getByRole("heading", { name: "White wins by resignation" })).toBeVisible();
      if (game < 4) await page.getByRole("button", { name: /^Play again/ }).click();
    }
    if (game < 4) for (const page of [one, two]) await expect.poll(() => gameOf(page)).not.toBe(before);
  }
  await boss.getByRole("link", { name: "Suspicions" }).click();
  const found = boss.getByRole("row", { name: /of a few moves with each other/ });
  await expect(found).toHaveCount(1);
  const { flags } = await ratings.listFlags({});
  expect(flags.map(({ gameId }) => gameId)).toContain(gameOf(one));
  const button = found.getByRole("button", { name: "Resolve" });
  await act(boss, button, "Two friends who try the page");
  await expect(found).toHaveCount(0);
  const open = (await ratings.listFlags({})).flags.map(({ flagId }) => flagId);
  expect(open).toHaveLength(flags.length - 1);
});
