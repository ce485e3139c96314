-- Ratings by pool (a board size), the games that made them, and each player's way. Text that both Postgres and SQLite take.
CREATE TABLE ratings (
    player_id UUID NOT NULL,
    board_size SMALLINT NOT NULL CHECK (board_size BETWEEN 5 AND 19),
    -- Millionths of a point.
    micros BIGINT NOT NULL,
    games BIGINT NOT NULL,
    -- The player's name at the last rated game.
    name TEXT NOT NULL,
    -- When the rating came to stand where it stands: of two equals, who got there first is ahead.
    reached_at BIGINT NOT NULL,
    -- When the last game was counted.
    rated_at BIGINT NOT NULL,
    -- Ascending in the order of the leaderboard, so that one row comparison says "behind this place".
    standing BIGINT GENERATED ALWAYS AS (-micros) STORED,
    PRIMARY KEY (player_id, board_size)
);
CREATE INDEX ratings_everybody ON ratings (board_size, standing, reached_at, player_id);
CREATE INDEX ratings_established ON ratings (board_size, standing, reached_at, player_id) WHERE games >= 10;

-- The mark of a game that has counted, with its whole effect: what Black won is what White lost.
CREATE TABLE rated_games (
    game_id UUID PRIMARY KEY,
    board_size SMALLINT NOT NULL,
    black_id UUID NOT NULL,
    white_id UUID NOT NULL,
    -- 0 a draw, 1 Black, 2 White.
    winner SMALLINT NOT NULL CHECK (winner IN (0, 1, 2)),
    -- The K of this game, in points.
    k SMALLINT NOT NULL,
    black_before BIGINT NOT NULL,
    white_before BIGINT NOT NULL,
    black_gain BIGINT NOT NULL,
    rated_at BIGINT NOT NULL,
    CHECK (black_id <> white_id)
);

-- A player's rating after each game. The numbers of one player and pool have no gap, and no two games share one.
CREATE TABLE rating_history (
    player_id UUID NOT NULL,
    board_size SMALLINT NOT NULL,
    -- The player's how many-th rated game of the pool: 1 for the first.
    number BIGINT NOT NULL,
    game_id UUID NOT NULL REFERENCES rated_games (game_id),
    after_micros BIGINT NOT NULL,
    rated_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, board_size, number)
);
