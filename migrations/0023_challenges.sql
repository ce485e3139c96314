-- Games by agreement, and whom players never want to meet: the matchmaking service's. Text that both Postgres and SQLite take.
CREATE TABLE challenges (
    id UUID PRIMARY KEY,
    -- What names it in calls and links: cannot be guessed.
    code TEXT NOT NULL UNIQUE,
    challenger_id UUID NOT NULL,
    challenger_name TEXT NOT NULL,
    challenger_guest BOOLEAN NOT NULL,
    -- The client's name for the request that made it.
    request_id TEXT NOT NULL,
    -- To whom it is addressed, or who has accepted it.
    opponent_id UUID,
    opponent_name TEXT NOT NULL,
    opponent_guest BOOLEAN NOT NULL,
    opponent_bot BOOLEAN NOT NULL,
    -- Whether it is addressed to one player.
    addressed BOOLEAN NOT NULL,
    -- An encoded nigiri.game.v1.GameSettings.
    settings BYTEA NOT NULL,
    -- The challenger's: 0 dealt, 1 Black, 2 White.
    color SMALLINT NOT NULL,
    -- A nigiri.matchmaking.v1.ChallengeState.
    state SMALLINT NOT NULL,
    -- Whether the game of an accepted one is known to be there.
    begun BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    UNIQUE (challenger_id, request_id)
);
CREATE INDEX challenges_challenger ON challenges (challenger_id, state);
CREATE INDEX challenges_opponent ON challenges (opponent_id, state);
CREATE INDEX challenges_changed ON challenges (changed_at);
CREATE INDEX challenges_state ON challenges (state, begun, expires_at);

CREATE TABLE blocks (
    player_id UUID NOT NULL,
    blocked_id UUID NOT NULL,
    -- The other's name when the block was made.
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, blocked_id)
);
CREATE INDEX blocks_blocked ON blocks (blocked_id);
