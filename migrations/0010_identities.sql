-- Identities, bans, bots of owners, the grace of refresh tokens, and what is told to other services.
ALTER TABLE players ADD COLUMN renamed_at BIGINT NOT NULL DEFAULT 0;
-- The player who owns a bot, and SHA-256 of the bot's secret; the house's bots have neither.
ALTER TABLE players ADD COLUMN owner_id UUID REFERENCES players (id);
ALTER TABLE players ADD COLUMN secret_hash BYTEA;
-- 0: not banned.
ALTER TABLE players ADD COLUMN banned_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE players ADD COLUMN ban_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE players ADD COLUMN merged_into UUID REFERENCES players (id);
-- 0: not deleted.
ALTER TABLE players ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0;
-- SHA-256 of the id of the request that made a guest.
ALTER TABLE players ADD COLUMN request_hash BYTEA;
-- Counts what was told of the player.
ALTER TABLE players ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX players_request ON players (request_hash);
CREATE INDEX players_owner ON players (owner_id);

-- The session's name in access tokens and lists: says nothing of the refresh token.
ALTER TABLE sessions ADD COLUMN handle UUID;
ALTER TABLE sessions ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN rotated_at BIGINT NOT NULL DEFAULT 0;
-- The hash of the secret before the last, and the last one sealed with it: during the grace it gives the same successor again.
ALTER TABLE sessions ADD COLUMN previous_hash BYTEA;
ALTER TABLE sessions ADD COLUMN sealed BYTEA;
-- 0 while it goes on; else why it has ended: a SessionEndedCause, or 100 merged, 101 deleted.
ALTER TABLE sessions ADD COLUMN ended SMALLINT NOT NULL DEFAULT 0;

-- Whom a provider vouches for. The e-mail address is nobody's identity and is not kept.
CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    player_id UUID NOT NULL REFERENCES players (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_player ON identities (player_id);

-- Sign-ins that have begun and are not finished.
CREATE TABLE pending_sign_ins (
    -- SHA-256 of the id that the client has.
    id_hash BYTEA PRIMARY KEY,
    -- SHA-256 of the state; empty for the device flow.
    state_hash BYTEA NOT NULL,
    -- PKCE's verifier, or the device code.
    secret TEXT NOT NULL,
    nonce TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    -- When the provider may be asked next, and how long to wait after that.
    poll_at BIGINT NOT NULL,
    poll_interval BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX pending_sign_ins_expiry ON pending_sign_ins (expires_at);

-- ID tokens that were used, until they have expired.
CREATE TABLE used_nonces (
    nonce_hash BYTEA PRIMARY KEY,
    request_hash BYTEA NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX used_nonces_expiry ON used_nonces (expires_at);

-- Notices that are committed but not yet in the ledger.
CREATE TABLE account_notices (
    id UUID PRIMARY KEY,
    player_id UUID NOT NULL,
    revision BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Until when a replica has it in hand.
    claimed_until BIGINT NOT NULL,
    payload BYTEA NOT NULL
);
CREATE INDEX account_notices_order ON account_notices (created_at, revision);
