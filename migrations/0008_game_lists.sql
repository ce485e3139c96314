-- Lists of games: those that are played now, and what a list says of a finished one. Text that both Postgres and SQLite take.
CREATE TABLE live_games (
    id UUID PRIMARY KEY,
    black_id UUID NOT NULL,
    white_id UUID NOT NULL,
    board_size SMALLINT NOT NULL,
    preset TEXT NOT NULL,
    rated BOOLEAN NOT NULL,
    -- Only for its players, and for those who have its key.
    private BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    -- Settings and seats: an encoded nigiri.game.v1.GameCreated.
    created BYTEA NOT NULL
);
CREATE INDEX live_games_newest ON live_games (created_at, id);
CREATE INDEX live_games_black ON live_games (black_id, created_at);
CREATE INDEX live_games_white ON live_games (white_id, created_at);

-- Games that were archived before have the defaults; their record has the rest.
ALTER TABLE games ADD COLUMN preset TEXT NOT NULL DEFAULT '';
ALTER TABLE games ADD COLUMN private BOOLEAN NOT NULL DEFAULT FALSE;
-- The number of nigiri.game.v1.EndReason.
ALTER TABLE games ADD COLUMN reason INTEGER NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN moves INTEGER NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN created BYTEA;
