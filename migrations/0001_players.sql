-- Accounts, the keys that sign their tokens, and their refresh tokens. Text that both Postgres and SQLite take.
CREATE TABLE players (
    id UUID PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name as comparisons see it: lookalikes share one skeleton.
    skeleton TEXT NOT NULL UNIQUE,
    kind SMALLINT NOT NULL CHECK (kind IN (1, 2, 3)),
    secret_hash BYTEA,
    created_at BIGINT NOT NULL
);

CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,
    seed BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE refresh_tokens (
    hash BYTEA PRIMARY KEY,
    family UUID NOT NULL,
    player_id UUID NOT NULL REFERENCES players (id),
    expires_at BIGINT NOT NULL,
    used BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family);
