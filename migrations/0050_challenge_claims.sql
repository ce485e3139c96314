-- Who is about to play a person by a clock, by a challenge: so long as the game service may not list that game yet, its players can accept no other. Text
-- that both Postgres and SQLite take.
CREATE TABLE challenge_claims (
    player_id UUID PRIMARY KEY,
    -- The challenge that was accepted.
    challenge_id UUID NOT NULL,
    claimed_at BIGINT NOT NULL
);
CREATE INDEX challenge_claims_challenge ON challenge_claims (challenge_id);
