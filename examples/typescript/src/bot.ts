// A bot that accepts every challenge, and plays whoever wants to play an AI, for an hour; it survives restarts of the server.
//
//     NIGIRI_BOT_SECRET=... node build/src/bot.js --name MyBot [--server http://127.0.0.1:7878] [--minutes 60]
//
// The secret comes from CreateBot, which the bot's owner calls once. Without one the program signs in as a guest and calls it itself, which a
// server allows that was started with --session-guest-bots.

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import { type Challenge, ChallengeState } from "../gen/nigiri/matchmaking/v1/challenge_service_pb.js";
import { AiLevel } from "../gen/nigiri/matchmaking/v1/matchmaking_service_pb.js";
import { answer, Board } from "./board.js";
import { Session } from "./client.js";
import { reason, Retry } from "./retry.js";

const { values } = parseArgs({
  options: {
    server: { type: "string", default: "http://127.0.0.1:7878" },
    name: { type: "string", default: "TypeScriptBot" },
    minutes: { type: "string", default: "60" },
  },
});

const secret = process.env.NIGIRI_BOT_SECRET ?? (await create());
const session = await Session.bot(values.server, values.name, secret);
console.log(`${session.player.name} is ready`);
setTimeout(() => process.exit(0), Number(values.minutes) * 60_000);
await Promise.all([offer(), accept(), follow()]);

async function create(): Promise<string> {
  const owner = await Session.guest(values.server, `${values.name} owner`);
  return (await owner.call((options) => owner.sessions.createBot({ name: values.name }, options))).secret;
}

/** Says every ten seconds that the bot is ready: what it says stands for thirty. */
async function offer(): Promise<never> {
  for (;;) {
    try {
      await session.call((options) => session.matchmaking.offerBot({ level: AiLevel.EASY, maxGames: 20 }, options));
    } catch (error) {
      console.log(`cannot offer: ${reason(error) || error}`);
    }
    await sleep(10_000);
  }
}

/** Accepts each challenge by name. Those that are open come again on every new stream, so that none is missed. */
async function accept(): Promise<never> {
  const retry = new Retry();
  for (;;) {
    try {
      for await (const { message } of session.challenges.watchChallenges({})) {
        retry.succeeded();
        if (message.case === "draining") break;
        if (message.case === "challenge" && message.value.state === ChallengeState.OPEN) await acceptOne(message.value);
      }
    } catch (error) {
      await retry.after(error);
    }
  }
}

async function acceptOne({ code, challenger }: Challenge) {
  try {
    const { gameId } = await session.call((options) => session.challenges.acceptChallenge({ code }, options));
    console.log(`${gameId}: a challenge of ${challenger?.name}`);
  } catch (error) {
    // It may have been withdrawn meanwhile.
    console.log(`cannot accept: ${reason(error) || error}`);
  }
}

/** Answers each turn of each game. A turn that was not answered comes again, to this process or to the next one. */
async function follow(): Promise<never> {
  const retry = new Retry();
  for (;;) {
    try {
      for await (const { message } of session.games.watchTurns({ capacity: 1 })) {
        retry.succeeded();
        if (message.case === "draining") break;
        if (message.case !== "turn" || !message.value.state) continue;
        const board = new Board();
        board.take(message.value);
        const { gameId, state } = message.value;
        console.log(`${gameId} ${state.ply}: ${await answer(session, gameId, state, board)}`);
      }
    } catch (error) {
      await retry.after(error);
    }
  }
}
