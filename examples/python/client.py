"""What the three programs share: somebody who is signed in, calls that are sent again, and streams that resume."""

import random
import sys
import threading
import time
import uuid
from pathlib import Path

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

sys.path.insert(0, str(Path(__file__).parent / "gen"))

from nigiri.game.v1 import game_pb2, game_service_pb2, game_service_pb2_grpc  # noqa: E402
from nigiri.matchmaking.v1 import challenge_service_pb2, challenge_service_pb2_grpc  # noqa: E402
from nigiri.matchmaking.v1 import matchmaking_service_pb2, matchmaking_service_pb2_grpc  # noqa: E402
from nigiri.session.v1 import session_service_pb2, session_service_pb2_grpc  # noqa: E402

PATIENCE = 60.0  # For how long something is tried again, in seconds.


def reason(error):
    """Why the server said no, by the table of docs/errors.md, and how long to wait, in seconds. Empty for what was not its own word."""
    name, wait = "", 0.0
    status = rpc_status.from_call(error)
    for detail in status.details if status else []:
        info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        if detail.Unpack(info) and info.domain == "nigiri":
            name = info.reason
        elif detail.Unpack(retry):
            wait = retry.retry_delay.ToTimedelta().total_seconds()
    return name, wait


class Retry:
    """Waits that double, with jitter, until patience ends or somebody said a final no."""

    def __init__(self):
        self.succeeded()

    def succeeded(self):
        self.wait, self.since = 0.05, None

    def after(self, error):
        name, wish = reason(error)
        final = name and error.code() != grpc.StatusCode.UNAVAILABLE and name not in ("RATE_LIMITED", "TOKEN_EXPIRED")
        self.since = self.since or time.monotonic()
        if final or error.code() == grpc.StatusCode.UNIMPLEMENTED or time.monotonic() - self.since > PATIENCE:
            raise error
        time.sleep(max(wish, self.wait * random.uniform(0.5, 1.0)))
        self.wait = min(2 * self.wait, 2.0)


class Session:
    """Somebody who is signed in. `renew` signs in anew when the refresh token is not good any more; without it that is the end."""

    def __init__(self, server, sign_in, renew=False):
        options = [("grpc.keepalive_time_ms", 10_000), ("grpc.keepalive_timeout_ms", 5_000)]
        options.append(("grpc.initial_reconnect_backoff_ms", 100))
        options.append(("grpc.max_reconnect_backoff_ms", 2_000))
        channel = grpc.insecure_channel(server, options)
        self.sessions = session_service_pb2_grpc.SessionServiceStub(channel)
        self.matchmaking = matchmaking_service_pb2_grpc.MatchmakingServiceStub(channel)
        self.challenges = challenge_service_pb2_grpc.ChallengeServiceStub(channel)
        self.games = game_service_pb2_grpc.GameServiceStub(channel)
        self.sign_in, self.renew, self.lock = sign_in, renew, threading.Lock()
        self.keep(self.attempt(lambda: sign_in(self.sessions)))

    @classmethod
    def guest(cls, server, nickname):
        request = session_service_pb2.SignInAsGuestRequest(nickname=nickname, request_id=str(uuid.uuid4()))
        return cls(server, lambda sessions: sessions.SignInAsGuest(request, timeout=5))

    @classmethod
    def bot(cls, server, name, secret):
        request = session_service_pb2.SignInBotRequest(name=name, secret=secret)
        return cls(server, lambda sessions: sessions.SignInBot(request, timeout=5), renew=True)

    def keep(self, answer):
        self.player, self.tokens = answer.player, answer.tokens

    def attempt(self, once):
        retry = Retry()
        while True:
            try:
                return once()
            except grpc.RpcError as error:
                retry.after(error)

    def metadata(self, expired=False):
        """The token that goes with each call: a new one if the old one has a minute left, or was refused."""
        with self.lock:
            if expired or self.tokens.access_expire_time.ToSeconds() - time.time() < 60:
                request = session_service_pb2.RefreshSessionRequest(refresh_token=self.tokens.refresh_token)
                try:
                    self.keep(self.attempt(lambda: self.sessions.RefreshSession(request, timeout=5)))
                except grpc.RpcError:
                    if not self.renew:
                        raise
                    self.keep(self.attempt(lambda: self.sign_in(self.sessions)))
            return [("authorization", f"Bearer {self.tokens.access_token}")]

    def call(self, method, request):
        """Calls until there is an answer. The request is the same at each attempt, and so is its command_id: it takes effect once."""
        retry, expired = Retry(), False
        while True:
            try:
                return method(request, metadata=self.metadata(expired), timeout=5)
            except grpc.RpcError as error:
                expired = not expired and reason(error)[0] == "TOKEN_EXPIRED"
                retry.after(error)

    def watch(self, game_id):
        """Snapshots and updates of a game, in order and without a gap, whatever breaks. After a take-back it begins with a snapshot."""
        last, retry = None, Retry()
        while True:
            request = game_service_pb2.WatchRequest(game_id=game_id, after_sequence=last)
            try:
                for message in self.games.Watch(request, metadata=self.metadata()):
                    retry.succeeded()
                    kind = message.WhichOneof("message")
                    if kind == "ended":
                        return
                    if kind == "draining":
                        break
                    if kind in ("snapshot", "update"):
                        view = getattr(message, kind)
                        last = view.sequence
                        if kind == "update" and any(e.HasField("taken_back") for e in view.events):
                            last = None
                            break
                        yield view
            except grpc.RpcError as error:
                retry.after(error)
