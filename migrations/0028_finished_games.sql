-- All finished games in the order in which they finished, for those who collect them.
CREATE INDEX games_finished ON games (finished_at, id);
