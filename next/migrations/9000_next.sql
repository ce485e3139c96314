-- What a migration of the next version may do: add. A column has a default, so that the version before goes on inserting.
ALTER TABLE games ADD COLUMN writer TEXT NOT NULL DEFAULT '';
CREATE TABLE next_notes (game_id UUID NOT NULL PRIMARY KEY, note TEXT NOT NULL);
