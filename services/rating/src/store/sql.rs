//! The statements, each one text for both stores. Public so that a test can hold the plan of each.

/// Locks players' rows in the order in which they are given, making those that are missing, and reads them as they are under the lock.
/// `$1` the first rating; for each: player, pool, name.
pub fn lock(rows: usize) -> String {
    let row = |row: usize| {
        let (player, pool, name) = (2 + 3 * row, 3 + 3 * row, 4 + 3 * row);
        format!("(${player}, ${pool}, $1, 0, ${name}, 0, 0, -1, ${player}, 0)")
    };
    format!(
        "INSERT INTO player_ratings (player_id, pool, micros, games, name, reached_at, played_at, last_at, last_game, level) \
         VALUES {} ON CONFLICT (player_id, pool) DO UPDATE SET games = player_ratings.games \
         RETURNING player_id, pool, micros, games, last_at, last_game, level",
        (0..rows).map(row).collect::<Vec<_>>().join(", ")
    )
}

/// [`lock`] of one player without a name. `$1` pool, `$2` player, `$3` the first rating.
pub const LOCK_ONE: &str = "\
    INSERT INTO player_ratings (player_id, pool, micros, games, name, reached_at, played_at, last_at, last_game, level) \
    VALUES ($2, $1, $3, 0, '', 0, 0, -1, $2, 0) \
    ON CONFLICT (player_id, pool) DO UPDATE SET games = player_ratings.games \
    RETURNING player_id, pool, micros, games, last_at, last_game, level";

/// Marks games, and tells how many games each pair had before, within the time that counts; no row for a game that was marked before.
/// `$1` that time, `$2` now; for each: game, pool, when it finished, Black, White, winner, short, K, the ratings before of Black and of White, Black's gain.
pub fn mark(rows: usize) -> String {
    let row = |row: usize| {
        let values: Vec<_> = (3 + 11 * row..14 + 11 * row).map(|n| format!("${n}")).collect();
        format!("({}, 0, {}, $2)", values[..7].join(", "), values[7..].join(", "))
    };
    let before = "(SELECT COUNT(*) FROM rating_history h WHERE h.player_id = rated_games.black_id AND h.pool = rated_games.pool \
         AND h.finished_at > rated_games.finished_at - $1 \
         AND (h.finished_at, h.game_id) < (rated_games.finished_at, rated_games.game_id) \
         AND h.opponent_id = rated_games.white_id AND h.verdict <> 3";
    format!(
        "INSERT INTO rated_games (game_id, pool, finished_at, black_id, white_id, winner, short, verdict, k, black_before, \
         white_before, black_gain, rated_at) VALUES {} ON CONFLICT (game_id) DO NOTHING \
         RETURNING game_id, {before}) AS games, {before} AND h.short) AS short",
        (0..rows).map(row).collect::<Vec<_>>().join(", ")
    )
}

/// Whether a game is marked. `$1` game.
pub const MARKED: &str = "SELECT 1 FROM rated_games WHERE game_id = $1";

/// What [`mark`] tells, of a game that is marked. `$1` game, `$2` pool, `$3` when it finished, `$4` Black, `$5` White, `$6` since when.
pub const PAIR: &str = "\
    SELECT COUNT(*) AS games, COALESCE(CAST(SUM(CASE WHEN h.short THEN 1 ELSE 0 END) AS BIGINT), 0) AS short \
    FROM rating_history h WHERE h.player_id = $4 AND h.pool = $2 AND h.finished_at > $6 \
    AND (h.finished_at, h.game_id) < ($3, $1) AND h.opponent_id = $5 AND h.verdict <> 3";

/// What a game is worth, anew. `$1` game, `$2` verdict, `$3` K, `$4` and `$5` the ratings before, `$6` Black's gain.
pub const REMARK: &str = "\
    UPDATE rated_games SET verdict = $2, k = $3, black_before = $4, white_before = $5, black_gain = $6 WHERE game_id = $1";

/// Moves ratings after games that came last for their players. For each: player, pool, gain, name, when the game finished, game, 1 if it counts, else
/// 0, level.
pub fn moved(rows: usize) -> String {
    format!(
        "WITH moved (player_id, pool, gain, name, at, game_id, counts, level) AS (VALUES {}) \
         UPDATE player_ratings SET micros = player_ratings.micros + moved.gain, \
         name = COALESCE((SELECT n.name FROM rating_names n WHERE n.player_id = player_ratings.player_id), moved.name), \
         reached_at = CASE WHEN moved.counts = 1 AND (moved.gain <> 0 OR player_ratings.games = 0) THEN moved.at \
         ELSE player_ratings.reached_at END, \
         played_at = CASE WHEN moved.counts = 1 THEN moved.at ELSE player_ratings.played_at END, \
         games = player_ratings.games + moved.counts, last_at = moved.at, last_game = moved.game_id, level = moved.level \
         FROM moved WHERE player_ratings.player_id = moved.player_id AND player_ratings.pool = moved.pool",
        platform::db::values(1, rows, 8)
    )
}

/// Puts a player where a computation anew says. `$1` pool, `$2` player, `$3` rating, `$4` games, `$5` since when, `$6` played when, `$7` and `$8`
/// the last game, `$9` level.
pub const PLACE: &str = "\
    UPDATE player_ratings SET micros = $3, games = $4, reached_at = $5, played_at = $6, last_at = $7, last_game = $8, level = $9 \
    WHERE player_id = $2 AND pool = $1";

/// Writes rows of players' histories. For each: player, pool, when the game finished, game, opponent, colour, score, short, verdict, games, the rating before and after, the
/// opponent's before.
pub fn history(rows: usize) -> String {
    format!(
        "INSERT INTO rating_history (player_id, pool, finished_at, game_id, opponent_id, color, score, short, verdict, number, \
         before_micros, after_micros, opponent_micros) VALUES {}",
        platform::db::values(1, rows, 13)
    )
}

/// A player's history row, anew. `$1` player, `$2` pool, `$3` when the game finished, `$4` game, `$5` verdict, `$6` games, `$7` before, `$8`
/// after, `$9` the opponent before.
pub const REWRITE: &str = "\
    UPDATE rating_history SET verdict = $5, number = $6, before_micros = $7, after_micros = $8, opponent_micros = $9 \
    WHERE player_id = $1 AND pool = $2 AND finished_at = $3 AND game_id = $4";

/// Changes how many players stand where: rows of pool, length, bucket, shard, provisional, established, in the order of the key.
pub fn buckets(rows: usize) -> String {
    format!(
        "INSERT INTO rating_buckets (pool, length, bucket, shard, provisional, established) VALUES {} \
         ON CONFLICT (pool, length, bucket, shard) DO UPDATE SET provisional = rating_buckets.provisional + excluded.provisional, \
         established = rating_buckets.established + excluded.established",
        platform::db::values(1, rows, 6)
    )
}

/// What a game changed. `$1` game.
pub const RATED_GAME: &str = "\
    SELECT pool, black_id, white_id, black_before, white_before, black_gain, verdict, finished_at, rated_at, winner, short, k \
    FROM rated_games WHERE game_id = $1";

/// A player's last game before a place. `$1` player, `$2` pool, `$3` end, `$4` game.
pub const BEFORE: &str = "\
    SELECT finished_at, game_id, opponent_id, color, score, short, verdict, number, before_micros, after_micros, opponent_micros \
    FROM rating_history WHERE player_id = $1 AND pool = $2 AND (finished_at, game_id) < ($3, $4) \
    ORDER BY finished_at DESC, game_id DESC LIMIT $5";

/// A player's games from a place on, that of the place included. Binds as [`BEFORE`].
pub const FROM: &str = "\
    SELECT finished_at, game_id, opponent_id, color, score, short, verdict, number, before_micros, after_micros, opponent_micros \
    FROM rating_history WHERE player_id = $1 AND pool = $2 AND (finished_at, game_id) >= ($3, $4) \
    ORDER BY finished_at, game_id LIMIT $5";

/// When a player's rating came to stand where it stands: the last game up to a place that moved it, or else the first that counted. `$1`
/// player, `$2` pool, `$3` end, `$4` game.
pub const REACHED: &str = "\
    SELECT finished_at FROM rating_history WHERE player_id = $1 AND pool = $2 AND (finished_at, game_id) <= ($3, $4) \
    AND verdict = 0 AND (after_micros <> before_micros OR number = 1) ORDER BY finished_at DESC, game_id DESC LIMIT 1";

/// When a player's last game that counted finished. Binds as [`REACHED`].
pub const PLAYED: &str = "\
    SELECT finished_at FROM rating_history WHERE player_id = $1 AND pool = $2 AND (finished_at, game_id) <= ($3, $4) \
    AND verdict = 0 ORDER BY finished_at DESC, game_id DESC LIMIT 1";

/// How often a player played with each colour, with which score, against how strong opponents: -1 weaker, 0 about as strong, 1 stronger by more
/// than a gap. `$1` player, `$2` pool, `$3` the gap.
pub const STATISTICS: &str = "\
    SELECT color, score, CASE WHEN opponent_micros - before_micros > $3 THEN 1 \
    WHEN before_micros - opponent_micros > $3 THEN -1 ELSE 0 END AS strength, COUNT(*) AS games \
    FROM rating_history WHERE player_id = $1 AND pool = $2 AND verdict = 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3";

/// A player's ratings in all pools. `$1` player.
pub const EVERYWHERE: &str = "\
    SELECT pool, micros, games FROM player_ratings WHERE player_id = $1 ORDER BY pool";

/// The numbers of the system.
pub const RULES: &str = "\
    SELECT initial, k_new, k_usual, k_top, new_games, top, provisional_games FROM rating_rules WHERE id = 1";

/// Chooses the numbers of the system, unless a game has counted by others. `$1` to `$7` as [`RULES`] gives them.
pub const CHOOSE: &str = "\
    INSERT INTO rating_rules (id, initial, k_new, k_usual, k_top, new_games, top, provisional_games) \
    VALUES (1, $1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO UPDATE SET initial = excluded.initial, k_new = excluded.k_new, \
    k_usual = excluded.k_usual, k_top = excluded.k_top, new_games = excluded.new_games, top = excluded.top, \
    provisional_games = excluded.provisional_games WHERE NOT EXISTS (SELECT 1 FROM rated_games)";

/// Names a player who has no name yet. `$1` player, `$2` pool, `$3` name.
pub const NAME: &str = "\
    UPDATE player_ratings SET name = COALESCE((SELECT n.name FROM rating_names n WHERE n.player_id = $1), $3) \
    WHERE player_id = $1 AND pool = $2 AND name = ''";

/// Says in a player's history that a game is annulled. `$1` player, `$2` pool, `$3` when the game finished, `$4` game.
pub const ANNUL: &str = "\
    UPDATE rating_history SET verdict = 3 WHERE player_id = $1 AND pool = $2 AND finished_at = $3 AND game_id = $4";

/// Leaves the trail of an annulment. `$1` game, `$2` who, `$3` why, `$4` when, `$5` what Black had won, `$6` games computed anew.
pub const TRAIL: &str = "\
    INSERT INTO rating_annulments (game_id, operator, reason, annulled_at, black_gain, recomputed) VALUES ($1, $2, $3, $4, $5, $6)";

/// And whom it moved. `$1` game, `$2` player, `$3` before, `$4` after.
pub const CORRECTION: &str = "\
    INSERT INTO rating_corrections (game_id, player_id, before_micros, after_micros) VALUES ($1, $2, $3, $4)";

/// The trail of an annulment. `$1` game.
pub const ANNULMENT: &str = "\
    SELECT game_id, operator, reason, annulled_at, black_gain, recomputed FROM rating_annulments WHERE game_id = $1";

/// Annulments before one, the newest first. `$1` when, `$2` game, `$3` how many.
pub const ANNULMENTS: &str = "\
    SELECT game_id, operator, reason, annulled_at, black_gain, recomputed FROM rating_annulments \
    WHERE (annulled_at, game_id) < ($1, $2) ORDER BY annulled_at DESC, game_id DESC LIMIT $3";

/// Whom an annulment moved. `$1` game.
pub const CORRECTIONS: &str = "\
    SELECT player_id, before_micros, after_micros FROM rating_corrections WHERE game_id = $1 ORDER BY player_id";

/// Looks up players. `$1` pool, from `$2` on as many players as there are places.
pub fn standings(places: usize) -> String {
    let list = platform::db::list(2, places);
    format!("SELECT player_id, micros, games FROM player_ratings WHERE pool = $1 AND player_id IN ({list})")
}
