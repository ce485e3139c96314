//! The statements about games that were left.

/// Notes that a player left a game, once. `$1` player, `$2` when, `$3` game.
pub const LEAVE: &str = "\
    INSERT INTO rating_leaves (player_id, left_at, game_id) VALUES ($1, $2, $3) ON CONFLICT (player_id, left_at, game_id) DO NOTHING";

/// Games that a player left within a time. `$1` player, `$2` after, `$3` up to.
pub const LEAVES: &str = "\
    SELECT COUNT(*) FROM rating_leaves WHERE player_id = $1 AND left_at > $2 AND left_at <= $3";

/// Bans a player, or for longer; never for less. `$1` player, `$2` until, `$3` games left.
pub const BAN: &str = "\
    INSERT INTO rating_bans (player_id, banned_until, leaves) VALUES ($1, $2, $3) \
    ON CONFLICT (player_id) DO UPDATE SET banned_until = excluded.banned_until, leaves = excluded.leaves \
    WHERE rating_bans.banned_until < excluded.banned_until";

/// Bans of players. `$1` now, from `$2` on as many players as there are places.
pub fn banned(places: usize) -> String {
    let list = platform::db::list(2, places);
    format!(
        "SELECT player_id, banned_until, leaves FROM rating_bans WHERE player_id IN ({list}) AND banned_until > $1"
    )
}
