"""A board as the server tells it, and moves on it."""

import random
import uuid

from client import game_pb2, game_service_pb2

BLACK, WHITE = game_pb2.COLOR_BLACK, game_pb2.COLOR_WHITE
COLUMNS = "ABCDEFGHJKLMNOPQRST"


class Board:
    """Stones by their points. It needs no rules: the server says what a stone captured."""

    def __init__(self):
        self.size, self.stones, self.result = 0, {}, None

    def take(self, view):
        if isinstance(view, game_pb2.GameSnapshot):
            self.size, self.stones = view.settings.board_size, {}
            self.result = view.result.text if view.HasField("result") else None
            for row, line in enumerate(view.board):
                points = (f"{COLUMNS[column]}{self.size - row}" for column in range(self.size))
                self.stones.update((p, BLACK if c == "X" else WHITE) for p, c in zip(points, line) if c != ".")
            return
        for event in view.events:
            if event.HasField("move_played"):
                self.stones[event.move_played.point] = event.move_played.color
                for point in event.move_played.captured:
                    del self.stones[point]
            elif event.HasField("finished"):
                self.result = event.finished.result.text

    def points(self):
        return [f"{column}{row}" for row in range(self.size, 0, -1) for column in COLUMNS[: self.size]]

    def neighbours(self, point):
        column, row = COLUMNS.index(point[0]), int(point[1:])
        around = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
        return [f"{COLUMNS[c]}{r}" for c, r in around if 0 <= c < self.size and 1 <= r <= self.size]

    def draw(self):
        marks = {BLACK: "X", WHITE: "O", None: "."}
        rows = [self.points()[at : at + self.size] for at in range(0, self.size**2, self.size)]
        lines = [f"{row[0][1:]:>2} " + " ".join(marks[self.stones.get(p)] for p in row) for row in rows]
        return "\n".join([*lines, "   " + " ".join(COLUMNS[: self.size])])

    def choose(self, state, color):
        """A random legal move that fills no eye of one's own; none if there is no such move."""
        illegal = {each.point for each in state.illegal_points}
        free = [point for point in self.points() if point not in self.stones and point not in illegal]
        sensible = [p for p in free if any(self.stones.get(n) != color for n in self.neighbours(p))]
        return random.choice(sensible) if sensible else None


def move(game_id, ply, point):
    """The call and the request that play a point, or pass without one."""
    command = {"game_id": game_id, "ply": ply, "command_id": str(uuid.uuid4())}
    if point is None:
        return "Pass", game_service_pb2.PassRequest(**command)
    return "PlayMove", game_service_pb2.PlayMoveRequest(point=point, **command)
