//! The statements of the flags.

/// Raises a flag, once. `$1` its id, `$2` rule, `$3` pool, `$4` player, `$5` the other, `$6` game, `$7` words, `$8` when.
pub const RAISE: &str = "\
    INSERT INTO rating_flags (id, rule, pool, player_id, other_id, game_id, detail, raised_at, resolved_at, resolved_by, note) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, '', '') ON CONFLICT (id) DO NOTHING";

/// Open flags before one, the newest first. `$1` when, `$2` id, `$3` how many.
pub const OPEN: &str = "\
    SELECT id, rule, pool, player_id, other_id, game_id, detail, raised_at FROM rating_flags \
    WHERE resolved_at = 0 AND (raised_at, id) < ($1, $2) ORDER BY raised_at DESC, id DESC LIMIT $3";

/// Resolves an open flag. `$1` id, `$2` when, `$3` who, `$4` words.
pub const RESOLVE: &str = "\
    UPDATE rating_flags SET resolved_at = $2, resolved_by = $3, note = $4 WHERE id = $1 AND resolved_at = 0";

/// Whether there is a flag. `$1` id.
pub const KNOWN: &str = "SELECT id FROM rating_flags WHERE id = $1";
