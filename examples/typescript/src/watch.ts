// Watches a live game and prints the board after each move.
//
//     node build/src/watch.js [--server http://127.0.0.1:7878] [GAME_ID]
//
// Without an id it takes the newest game that is played now, and waits until there is one.

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import type { GameEvent, GameSnapshot, GameUpdate } from "../gen/nigiri/game/v1/game_pb.js";
import { Board, isSnapshot } from "./board.js";
import { Session } from "./client.js";

const { values, positionals } = parseArgs({
  options: { server: { type: "string", default: "http://127.0.0.1:7878" } },
  allowPositionals: true,
});

const session = await Session.guest(values.server, "Watcher");
const board = new Board();
for await (const view of session.watch(positionals[0] ?? (await newest()))) {
  board.take(view);
  console.log(`${title(view)}\n${board.draw()}\n`);
  if (board.result) break;
}
console.log(board.result);
process.exit(0);

/** The newest live game, as soon as there is one. */
async function newest(): Promise<string> {
  for (;;) {
    const { games } = await session.call((options) => session.games.listLiveGames({ pageSize: 1 }, options));
    if (games[0]) return games[0].gameId;
    await sleep(2_000);
  }
}

/** What has just happened, and the captures. */
function title(view: GameSnapshot | GameUpdate): string {
  let said: string;
  if (isSnapshot(view)) {
    const [black, white] = view.seats;
    said = `${black?.name} (X) against ${white?.name} (O), ${view.settings?.preset}`;
  } else {
    said = view.events.map(word).join(", ");
  }
  const { moveNumber, capturedByBlack, capturedByWhite } = view.state ?? {};
  return `${moveNumber}. ${said} (captures: X ${capturedByBlack}, O ${capturedByWhite})`;
}

function word({ event }: GameEvent): string {
  return event.case === "movePlayed" ? event.value.point : (event.case ?? "");
}
