"""Watches a live game and prints the board after each move.

    python watch.py [--server 127.0.0.1:7878] [GAME_ID]

Without an id it takes the newest game that is played now, and waits until there is one.
"""

import argparse
import time

from board import Board
from client import Session, game_pb2, game_service_pb2


def main():
    options = argparse.ArgumentParser(description="Watches a live game and prints the board after each move.")
    options.add_argument("--server", default="127.0.0.1:7878", help="host:port")
    options.add_argument("game", nargs="?", help="the game's id; without one, the newest live game")
    options = options.parse_args()

    session = Session.guest(options.server, "Watcher")
    game_id = options.game or newest(session)
    board = Board()
    for view in session.watch(game_id):
        board.take(view)
        print(f"{title(view)}\n{board.draw()}\n", flush=True)
        if board.result:
            print(board.result)
            return


def newest(session):
    """The newest live game, as soon as there is one."""
    while True:
        request = game_service_pb2.ListLiveGamesRequest(page_size=1)
        games = session.call(session.games.ListLiveGames, request).games
        if games:
            return games[0].game_id
        time.sleep(2)


def title(view):
    """What has just happened, and the captures."""
    if isinstance(view, game_pb2.GameSnapshot):
        black, white = view.seats
        said = f"{black.name} (X) against {white.name} (O), {view.settings.preset}"
    else:
        said = ", ".join(filter(None, map(word, view.events)))
    taken = f"captures: X {view.state.captured_by_black}, O {view.state.captured_by_white}"
    return f"{view.state.move_number}. {said} ({taken})"


def word(event):
    if event.HasField("move_played"):
        return event.move_played.point
    return (event.WhichOneof("event") or "").replace("_", " ")


if __name__ == "__main__":
    main()
