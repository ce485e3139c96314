-- How many games are played: counted from time to time by one replica for all, once there are too many to be counted whenever somebody asks.
CREATE TABLE live_count (
    -- There is one row: 1.
    id SMALLINT PRIMARY KEY,
    games BIGINT NOT NULL,
    -- When the next count is due; moved on by whoever is about to make it.
    due_at BIGINT NOT NULL
);
INSERT INTO live_count (id, games, due_at) VALUES (1, 0, 0);
