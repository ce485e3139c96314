-- Accounts, the keys that sign their tokens, and their sessions. Text that both Postgres and SQLite take.
CREATE TABLE players (
    id UUID PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name as the eye sees it: lookalikes share one skeleton.
    skeleton TEXT NOT NULL UNIQUE,
    -- The same for the name in one case: a letter's two cases may look like letters that differ.
    folded TEXT NOT NULL UNIQUE,
    -- 1 guest, 2 member, 3 bot.
    kind SMALLINT NOT NULL CHECK (kind IN (1, 2, 3)),
    -- Milliseconds since the Unix epoch, as in all tables.
    created_at BIGINT NOT NULL
);

CREATE TABLE signing_keys (
    -- 1 for the first; of several replicas that make one at once, one wins.
    generation BIGINT PRIMARY KEY,
    -- 32 bytes: the private key of Ed25519.
    seed BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

-- All refresh tokens that descend from one sign-in are one session; only the last one is good.
CREATE TABLE sessions (
    id UUID PRIMARY KEY,
    player_id UUID NOT NULL REFERENCES players (id),
    -- SHA-256 of the secret in the session's last refresh token.
    secret_hash BYTEA NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE INDEX sessions_player ON sessions (player_id);
