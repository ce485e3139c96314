-- Ratings again, now as a function of the games alone: games stand in the order in which they finished, not in which their news came. Text that
-- both Postgres and SQLite take. A pool is a board size, 5 to 19, for people, and 100 more for programs.
ALTER TABLE ratings RENAME TO ratings_before;
ALTER TABLE rated_games RENAME TO rated_games_before;
ALTER TABLE rating_history RENAME TO rating_history_before;
DROP INDEX ratings_everybody;
DROP INDEX ratings_established;

-- The numbers of the system: fixed by the first rated game.
CREATE TABLE rating_rules (
    id SMALLINT PRIMARY KEY CHECK (id = 1),
    initial BIGINT NOT NULL,
    k_new SMALLINT NOT NULL,
    k_usual SMALLINT NOT NULL,
    k_top SMALLINT NOT NULL,
    new_games BIGINT NOT NULL,
    top BIGINT NOT NULL,
    provisional_games BIGINT NOT NULL
);

CREATE TABLE player_ratings (
    player_id UUID NOT NULL,
    pool SMALLINT NOT NULL,
    -- Millionths of a point.
    micros BIGINT NOT NULL,
    -- Games that counted.
    games BIGINT NOT NULL,
    -- The player's name at the last game.
    name TEXT NOT NULL,
    -- When the rating came to stand where it stands: of two equals, who got there first is ahead.
    reached_at BIGINT NOT NULL,
    -- When the last game that counted finished.
    played_at BIGINT NOT NULL,
    -- The place of the player's last game in the order of all games, counted or not: its end, then its id.
    last_at BIGINT NOT NULL,
    last_game UUID NOT NULL,
    -- The leaderboard: 0 not on it (nothing counted, or not played for long), 1 provisional, 2 established.
    level SMALLINT NOT NULL CHECK (level IN (0, 1, 2)),
    -- Ascending in the order of the leaderboard, so that one row comparison says "behind this place".
    standing BIGINT GENERATED ALWAYS AS (-micros) STORED,
    CONSTRAINT player_ratings_key PRIMARY KEY (player_id, pool)
);
CREATE INDEX player_ratings_place ON player_ratings (pool, level, standing, reached_at, player_id);
CREATE INDEX player_ratings_played ON player_ratings (pool, played_at) WHERE level >= 1;

-- How many players of a leaderboard stand in each stretch of ratings, so that a rank is a sum. Each count is spread over some rows, so that
-- games that are counted at the same time seldom wait for each other; one row alone means nothing, and may be negative.
CREATE TABLE rating_buckets (
    pool SMALLINT NOT NULL,
    -- 0 a quarter of a point, 1 32 points: a rank is the sum of the long stretches ahead, and of the short ones ahead in the own long one.
    length SMALLINT NOT NULL,
    -- Ascending in the order of the leaderboard.
    bucket BIGINT NOT NULL,
    shard SMALLINT NOT NULL,
    provisional BIGINT NOT NULL,
    established BIGINT NOT NULL,
    PRIMARY KEY (pool, length, bucket, shard)
);

-- Every finished game that was agreed to count, each once, with its whole effect: what Black won is what White lost.
CREATE TABLE rated_games (
    game_id UUID NOT NULL,
    pool SMALLINT NOT NULL,
    finished_at BIGINT NOT NULL,
    black_id UUID NOT NULL,
    white_id UUID NOT NULL,
    -- 0 a draw, 1 Black, 2 White.
    winner SMALLINT NOT NULL CHECK (winner IN (0, 1, 2)),
    -- Whether it ended after a few moves.
    short BOOLEAN NOT NULL,
    -- 0 it counted, 1 too many games of one pair, 2 too many short games of one pair, 3 annulled by an operator.
    verdict SMALLINT NOT NULL,
    -- The K of this game, in points; 0 if it did not count.
    k SMALLINT NOT NULL,
    black_before BIGINT NOT NULL,
    white_before BIGINT NOT NULL,
    black_gain BIGINT NOT NULL,
    -- When it was counted first.
    rated_at BIGINT NOT NULL,
    CONSTRAINT rated_games_key PRIMARY KEY (game_id),
    CHECK (black_id <> white_id)
);

-- Each player's games in the order in which they finished, with all that a graph and statistics need.
CREATE TABLE rating_history (
    player_id UUID NOT NULL,
    pool SMALLINT NOT NULL,
    finished_at BIGINT NOT NULL,
    game_id UUID NOT NULL,
    opponent_id UUID NOT NULL,
    -- 1 Black, 2 White.
    color SMALLINT NOT NULL,
    -- What the player scored, in halves: 0, 1 or 2.
    score SMALLINT NOT NULL,
    short BOOLEAN NOT NULL,
    verdict SMALLINT NOT NULL,
    -- Games of the player that have counted, this one included if it did.
    number BIGINT NOT NULL,
    before_micros BIGINT NOT NULL,
    after_micros BIGINT NOT NULL,
    -- The opponent's rating before the game.
    opponent_micros BIGINT NOT NULL,
    CONSTRAINT rating_history_key PRIMARY KEY (player_id, pool, finished_at, game_id)
);

-- What operators annulled, and what that changed.
CREATE TABLE rating_annulments (
    game_id UUID PRIMARY KEY,
    operator TEXT NOT NULL,
    reason TEXT NOT NULL,
    annulled_at BIGINT NOT NULL,
    -- What the game had given Black before.
    black_gain BIGINT NOT NULL,
    -- Games that were computed anew.
    recomputed BIGINT NOT NULL
);
CREATE INDEX rating_annulments_time ON rating_annulments (annulled_at, game_id);
-- By how much each player's rating stood elsewhere afterwards.
CREATE TABLE rating_corrections (
    game_id UUID NOT NULL REFERENCES rating_annulments (game_id),
    player_id UUID NOT NULL,
    before_micros BIGINT NOT NULL,
    after_micros BIGINT NOT NULL,
    PRIMARY KEY (game_id, player_id)
);

-- What the rules against abuse found, for operators.
CREATE TABLE rating_flags (
    -- Derived from what was found, so that finding it again adds nothing.
    id UUID PRIMARY KEY,
    -- 1 a pair that plays each other again and again, 2 short games of a pair, 3 short losses, 4 an account that feeds another.
    rule SMALLINT NOT NULL,
    pool SMALLINT NOT NULL,
    player_id UUID NOT NULL,
    other_id UUID NOT NULL,
    game_id UUID NOT NULL,
    detail TEXT NOT NULL,
    raised_at BIGINT NOT NULL,
    -- 0 while it is open.
    resolved_at BIGINT NOT NULL,
    resolved_by TEXT NOT NULL,
    note TEXT NOT NULL
);
CREATE INDEX rating_flags_open ON rating_flags (raised_at, id) WHERE resolved_at = 0;

-- Rated games that a player left, and what that costs.
CREATE TABLE rating_leaves (
    player_id UUID NOT NULL,
    left_at BIGINT NOT NULL,
    game_id UUID NOT NULL,
    PRIMARY KEY (player_id, left_at, game_id)
);
CREATE TABLE rating_bans (
    player_id UUID PRIMARY KEY,
    banned_until BIGINT NOT NULL,
    -- Games left within the time that counts.
    leaves BIGINT NOT NULL
);

-- What was there: a game whose end the archive does not know stands where it was counted.
INSERT INTO rated_games (game_id, pool, finished_at, black_id, white_id, winner, short, verdict, k, black_before, white_before, black_gain,
    rated_at)
SELECT b.game_id, b.board_size, COALESCE((SELECT g.finished_at FROM games g WHERE g.id = b.game_id), b.rated_at), b.black_id, b.white_id,
    b.winner, FALSE, 0, b.k, b.black_before, b.white_before, b.black_gain, b.rated_at
FROM rated_games_before b;
INSERT INTO rating_history (player_id, pool, finished_at, game_id, opponent_id, color, score, short, verdict, number, before_micros,
    after_micros, opponent_micros)
SELECT h.player_id, h.board_size, g.finished_at, h.game_id,
    CASE WHEN h.player_id = g.black_id THEN g.white_id ELSE g.black_id END,
    CASE WHEN h.player_id = g.black_id THEN 1 ELSE 2 END,
    CASE WHEN g.winner = 0 THEN 1 WHEN (g.winner = 1) = (h.player_id = g.black_id) THEN 2 ELSE 0 END,
    FALSE, 0, h.number,
    CASE WHEN h.player_id = g.black_id THEN g.black_before ELSE g.white_before END,
    h.after_micros,
    CASE WHEN h.player_id = g.black_id THEN g.white_before ELSE g.black_before END
FROM rating_history_before h JOIN rated_games g ON g.game_id = h.game_id;
INSERT INTO player_ratings (player_id, pool, micros, games, name, reached_at, played_at, last_at, last_game, level)
SELECT r.player_id, r.board_size, r.micros, r.games, r.name, r.reached_at, r.rated_at,
    (SELECT h.finished_at FROM rating_history h WHERE h.player_id = r.player_id AND h.pool = r.board_size
        ORDER BY h.finished_at DESC, h.game_id DESC LIMIT 1),
    (SELECT h.game_id FROM rating_history h WHERE h.player_id = r.player_id AND h.pool = r.board_size
        ORDER BY h.finished_at DESC, h.game_id DESC LIMIT 1),
    CASE WHEN r.games >= 10 THEN 2 ELSE 1 END
FROM ratings_before r WHERE r.games > 0;
-- A stretch is a quarter of a point or 32 points: millionths divided, rounded towards the head of the leaderboard.
INSERT INTO rating_buckets (pool, length, bucket, shard, provisional, established)
SELECT pool, length, bucket, 0, SUM(CASE WHEN level = 1 THEN 1 ELSE 0 END), SUM(CASE WHEN level = 2 THEN 1 ELSE 0 END)
FROM (SELECT pool, level, 0 AS length,
        CASE WHEN standing >= 0 THEN standing / 250000 ELSE -((-standing + 249999) / 250000) END AS bucket
    FROM player_ratings
    UNION ALL
    SELECT pool, level, 1,
        CASE WHEN standing >= 0 THEN standing / 32000000 ELSE -((-standing + 31999999) / 32000000) END
    FROM player_ratings) AS placed
GROUP BY pool, length, bucket;
INSERT INTO rating_rules (id, initial, k_new, k_usual, k_top, new_games, top, provisional_games)
SELECT 1, 1200, 40, 20, 10, 30, 2100, 10 WHERE EXISTS (SELECT 1 FROM rated_games);
DROP TABLE rating_history_before;
DROP TABLE rated_games_before;
DROP TABLE ratings_before;
