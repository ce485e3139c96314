-- Indexes for what would else be looked for in whole tables. Text that both Postgres and SQLite take.

-- Bots sign in by their names.
CREATE INDEX players_bots ON players (name) WHERE kind = 3;
-- Notices that no replica has in hand, among many after an outage of the ledger.
CREATE INDEX account_notices_due ON account_notices (claimed_until);
-- Lists of live games of a preset, or on a size of board, that few play.
CREATE INDEX live_games_preset ON live_games (preset, created_at, id);
CREATE INDEX live_games_size ON live_games (board_size, created_at, id);
-- What one operator has done.
CREATE INDEX operator_acts_operator ON operator_acts (operator_id, begun_at, id);
-- Claims that are too old.
CREATE INDEX challenge_claims_age ON challenge_claims (claimed_at);
