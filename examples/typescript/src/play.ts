// Plays random legal moves against the AI, to the end.
//
//     node build/src/play.js [--server http://127.0.0.1:7878] [--level easy]

import { parseArgs } from "node:util";

import { Color } from "../gen/nigiri/game/v1/game_pb.js";
import { AiLevel } from "../gen/nigiri/matchmaking/v1/matchmaking_service_pb.js";
import { answer, Board } from "./board.js";
import { Session } from "./client.js";

const LEVELS: Record<string, AiLevel> = { easy: AiLevel.EASY, normal: AiLevel.NORMAL, hard: AiLevel.HARD };

const { values } = parseArgs({
  options: {
    server: { type: "string", default: "http://127.0.0.1:7878" },
    level: { type: "string", default: "easy" },
  },
});

const session = await Session.guest(values.server, "TypeScript");
const request = { level: LEVELS[values.level], requestId: session.player.id };
const { gameId, color, opponent } = await session.call((options) => session.matchmaking.startAiGame(request, options));
console.log(`${session.player.name} plays ${opponent?.name}: game ${gameId}`);

const board = new Board();
for await (const view of session.watch(gameId)) {
  board.take(view);
  if (board.result) break;
  if (view.state?.turn === color) await answer(session, gameId, view.state, board);
}
const own = color === Color.BLACK ? "B" : "W";
const how = board.result.startsWith(own) ? "won" : /^[BW]/.test(board.result) ? "lost" : "no winner";
console.log(`${board.draw()}\n${board.result}: ${how}`);
process.exit(0);
