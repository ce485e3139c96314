-- What happened to accounts, as far as games and ratings have to know it for longer than the news of it lasts. Text that both Postgres and
-- SQLite take.

-- The game service's: whose the seats of a player are now, and under which name.
CREATE TABLE moved_players (
    player_id UUID PRIMARY KEY,
    -- Another player after a merge; the same one after a deletion.
    into_id UUID NOT NULL,
    name TEXT NOT NULL
);
CREATE INDEX moved_players_into ON moved_players (into_id);

-- The rating service's: names that are newer than those of the players' last games.
CREATE TABLE rating_names (
    player_id UUID PRIMARY KEY,
    revision BIGINT NOT NULL,
    name TEXT NOT NULL
);
