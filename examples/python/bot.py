"""A bot that accepts every challenge, and plays whoever wants to play an AI, for an hour; it survives restarts of the server.

    NIGIRI_BOT_SECRET=... python bot.py --name MyBot [--server 127.0.0.1:7878] [--minutes 60]

The secret comes from CreateBot, which the bot's owner calls once. Without one the program signs in as a guest and calls it itself, which a
server allows that was started with --session-guest-bots.
"""

import argparse
import os
import threading
import time

import grpc
from board import Board, move
from client import (
    Retry,
    Session,
    challenge_service_pb2,
    game_service_pb2,
    matchmaking_service_pb2,
    reason,
    session_service_pb2,
)


def main():
    options = argparse.ArgumentParser(description="A bot that plays whoever wants to play it.")
    options.add_argument("--server", default="127.0.0.1:7878", help="host:port")
    options.add_argument("--name", default="PythonBot")
    options.add_argument("--minutes", type=float, default=60)
    options = options.parse_args()

    secret = os.environ.get("NIGIRI_BOT_SECRET") or create(options.server, options.name)
    session = Session.bot(options.server, options.name, secret)
    print(f"{session.player.name} is ready", flush=True)
    for work in (offer, accept):
        threading.Thread(target=work, args=(session,), daemon=True).start()
    follow(session, time.monotonic() + 60 * options.minutes)


def create(server, name):
    owner = Session.guest(server, f"{name} owner")
    answer = owner.call(owner.sessions.CreateBot, session_service_pb2.CreateBotRequest(name=name))
    return answer.secret


def offer(session):
    """Says every ten seconds that the bot is ready: what it says stands for thirty."""
    request = matchmaking_service_pb2.OfferBotRequest(level=matchmaking_service_pb2.AI_LEVEL_EASY, max_games=20)
    while True:
        try:
            session.call(session.matchmaking.OfferBot, request)
        except grpc.RpcError as error:
            print(f"cannot offer: {error.details()}", flush=True)
        time.sleep(10)


def accept(session):
    """Accepts each challenge by name. Those that are open come again on every new stream, so that none is missed."""
    retry = Retry()
    while True:
        request = challenge_service_pb2.WatchChallengesRequest()
        try:
            for message in session.challenges.WatchChallenges(request, metadata=session.metadata()):
                retry.succeeded()
                kind = message.WhichOneof("message")
                if kind == "draining":
                    break
                if kind == "challenge" and message.challenge.state == challenge_service_pb2.CHALLENGE_STATE_OPEN:
                    accept_one(session, message.challenge)
        except grpc.RpcError as error:
            retry.after(error)


def accept_one(session, challenge):
    try:
        request = challenge_service_pb2.AcceptChallengeRequest(code=challenge.code)
        game_id = session.call(session.challenges.AcceptChallenge, request).game_id
        print(f"{game_id}: a challenge of {challenge.challenger.name}", flush=True)
    except grpc.RpcError as error:
        # It may have been withdrawn meanwhile.
        print(f"cannot accept: {error.details()}", flush=True)


def follow(session, end):
    """Answers each turn of each game. A turn that was not answered comes again, to this process or to the next one."""
    retry = Retry()
    while time.monotonic() < end:
        request = game_service_pb2.WatchTurnsRequest(capacity=1)
        try:
            for message in session.games.WatchTurns(request, metadata=session.metadata()):
                retry.succeeded()
                kind = message.WhichOneof("message")
                if kind == "turn":
                    answer(session, message.turn)
                if kind == "draining" or time.monotonic() > end:
                    break
        except grpc.RpcError as error:
            retry.after(error)


def answer(session, turn):
    board = Board()
    board.take(turn)
    color = turn.state.turn
    passed = list(turn.moves)[-1:] == ["pass"]
    name, request = move(turn.game_id, turn.state.ply, None if passed else board.choose(turn.state, color))
    try:
        session.call(getattr(session.games, name), request)
        print(f"{turn.game_id} {turn.state.ply}: {getattr(request, 'point', 'pass')}", flush=True)
    except grpc.RpcError as error:
        # Somebody was quicker: a turn can come twice.
        if reason(error)[0] not in ("STALE_PLY", "NOT_YOUR_TURN", "GAME_OVER"):
            raise


if __name__ == "__main__":
    main()
