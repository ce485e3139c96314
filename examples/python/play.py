"""Plays random legal moves against the AI, to the end.

    python play.py [--server 127.0.0.1:7878] [--level easy]
"""

import argparse

import grpc
from board import BLACK, Board, move
from client import Session, game_pb2, matchmaking_service_pb2, reason


def main():
    options = argparse.ArgumentParser(description="Plays random legal moves against the AI, to the end.")
    options.add_argument("--server", default="127.0.0.1:7878", help="host:port")
    options.add_argument("--level", default="easy", choices=["easy", "normal", "hard"])
    options = options.parse_args()

    session = Session.guest(options.server, "Python")
    level = matchmaking_service_pb2.AiLevel.Value(f"AI_LEVEL_{options.level.upper()}")
    request = matchmaking_service_pb2.StartAiGameRequest(level=level, request_id=session.player.id)
    begun = session.call(session.matchmaking.StartAiGame, request)
    print(f"{session.player.name} plays {begun.opponent.name}: game {begun.game_id}", flush=True)
    board = play(session, begun.game_id, begun.color)
    own = "B" if begun.color == BLACK else "W"
    how = "won" if board.result.startswith(own) else "lost" if board.result[0] in "BW" else "no winner"
    print(f"{board.draw()}\n{board.result}: {how}")


def play(session, game_id, color):
    """Answers each turn until the game is over."""
    board, passed = Board(), False
    for view in session.watch(game_id):
        board.take(view)
        if board.result:
            return board
        if isinstance(view, game_pb2.GameSnapshot):
            passed = list(view.moves)[-1:] == ["pass"]
        else:
            passed = any(event.HasField("passed") for event in view.events)
        if view.state.turn != color:
            continue
        # When the opponent has passed, so do we: then the board is counted.
        point = None if passed else board.choose(view.state, color)
        name, request = move(game_id, view.state.ply, point)
        try:
            session.call(getattr(session.games, name), request)
        except grpc.RpcError as error:
            # The game has moved on since this state: the next one is on its way.
            if reason(error)[0] not in ("STALE_PLY", "NOT_YOUR_TURN", "GAME_OVER"):
                raise
    raise RuntimeError("the stream ended before the game did")


if __name__ == "__main__":
    main()
