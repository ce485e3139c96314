-- Finished games, each once, with their whole record (nigiri.events.v1.ArchivedGame).
CREATE TABLE games (
    id UUID PRIMARY KEY,
    black_id UUID NOT NULL,
    white_id UUID NOT NULL,
    board_size SMALLINT NOT NULL,
    rated BOOLEAN NOT NULL,
    result TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    finished_at BIGINT NOT NULL,
    record BYTEA NOT NULL
);
CREATE INDEX games_black ON games (black_id, finished_at);
CREATE INDEX games_white ON games (white_id, finished_at);
