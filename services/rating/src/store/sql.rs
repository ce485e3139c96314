//! The statements, each one text for both stores. Public so that a test can hold the plan of each.

/// Locks both players' rows in the order in which they are given, making those that are missing, and reads them as they are under the lock.
/// `$1` pool, `$2` and `$3` players, `$4` and `$5` their names, `$6` the first rating, `$7` a game (any, for a new row).
pub const LOCK: &str = "\
    INSERT INTO player_ratings (player_id, pool, micros, games, name, reached_at, played_at, last_at, last_game, level) \
    VALUES ($2, $1, $6, 0, $4, 0, 0, -1, $7, 0), ($3, $1, $6, 0, $5, 0, 0, -1, $7, 0) \
    ON CONFLICT (player_id, pool) DO UPDATE SET games = player_ratings.games \
    RETURNING player_id, micros, games, last_at, last_game, level";

/// [`LOCK`] of one player. `$1` pool, `$2` player, `$3` the first rating.
pub const LOCK_ONE: &str = "\
    INSERT INTO player_ratings (player_id, pool, micros, games, name, reached_at, played_at, last_at, last_game, level) \
    VALUES ($2, $1, $3, 0, '', 0, 0, -1, $2, 0) \
    ON CONFLICT (player_id, pool) DO UPDATE SET games = player_ratings.games \
    RETURNING player_id, micros, games, last_at, last_game, level";

/// Marks a game, and tells how many games the pair had within the time that counts; no row if it was marked before.
/// `$1` game, `$2` pool, `$3` when it finished, `$4` Black, `$5` White, `$6` winner, `$7` short, `$8` K, `$9` and `$10` the ratings before,
/// `$11` Black's gain, `$12` now, `$13` since when the pair's games count.
pub const MARK: &str = "\
    INSERT INTO rated_games (game_id, pool, finished_at, black_id, white_id, winner, short, verdict, k, black_before, \
    white_before, black_gain, rated_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, $11, $12) ON CONFLICT (game_id) DO NOTHING \
    RETURNING \
    (SELECT COUNT(*) FROM rating_history h WHERE h.player_id = $4 AND h.pool = $2 AND h.finished_at > $13 \
     AND (h.finished_at, h.game_id) < ($3, $1) AND h.opponent_id = $5 AND h.verdict <> 3) AS games, \
    (SELECT COUNT(*) FROM rating_history h WHERE h.player_id = $4 AND h.pool = $2 AND h.finished_at > $13 \
     AND (h.finished_at, h.game_id) < ($3, $1) AND h.opponent_id = $5 AND h.verdict <> 3 AND h.short) AS short";

/// What [`MARK`] tells, of a game that is marked. `$1` game, `$2` pool, `$3` when it finished, `$4` Black, `$5` White, `$6` since when.
pub const PAIR: &str = "\
    SELECT COUNT(*) AS games, COALESCE(CAST(SUM(CASE WHEN h.short THEN 1 ELSE 0 END) AS BIGINT), 0) AS short \
    FROM rating_history h WHERE h.player_id = $4 AND h.pool = $2 AND h.finished_at > $6 \
    AND (h.finished_at, h.game_id) < ($3, $1) AND h.opponent_id = $5 AND h.verdict <> 3";

/// What a game is worth, anew. `$1` game, `$2` verdict, `$3` K, `$4` and `$5` the ratings before, `$6` Black's gain.
pub const REMARK: &str = "\
    UPDATE rated_games SET verdict = $2, k = $3, black_before = $4, white_before = $5, black_gain = $6 WHERE game_id = $1";

/// Moves both ratings after a game that came last for both. `$1` pool, `$2` Black, `$3` White, `$4` Black's gain, `$5` and `$6` their
/// names, `$7` when the game finished, `$8` game, `$9` 1 if it counts, else 0, `$10` and `$11` their levels.
pub const MOVE: &str = "\
    UPDATE player_ratings SET \
    micros = CASE WHEN player_id = $2 THEN micros + $4 ELSE micros - $4 END, \
    name = CASE WHEN player_id = $2 THEN $5 ELSE $6 END, \
    reached_at = CASE WHEN $9 = 1 AND ($4 <> 0 OR games = 0) THEN $7 ELSE reached_at END, \
    played_at = CASE WHEN $9 = 1 THEN $7 ELSE played_at END, \
    games = games + $9, last_at = $7, last_game = $8, \
    level = CASE WHEN player_id = $2 THEN $10 ELSE $11 END \
    WHERE player_id IN ($2, $3) AND pool = $1";

/// Puts a player where a computation anew says. `$1` pool, `$2` player, `$3` rating, `$4` games, `$5` since when, `$6` played when, `$7` and `$8`
/// the last game, `$9` level.
pub const PLACE: &str = "\
    UPDATE player_ratings SET micros = $3, games = $4, reached_at = $5, played_at = $6, last_at = $7, last_game = $8, level = $9 \
    WHERE player_id = $2 AND pool = $1";

/// Writes both players' histories. `$1` pool, `$2` game, `$3` when it finished, `$4` short, `$5` verdict; then for each: who (`$6`, `$10`), the score
/// (`$7`, `$11`), games (`$8`, `$12`), the rating before (`$9`, `$13`); `$14` Black's gain. Black first.
pub const HISTORY: &str = "\
    INSERT INTO rating_history (player_id, pool, finished_at, game_id, opponent_id, color, score, short, verdict, number, \
    before_micros, after_micros, opponent_micros) \
    VALUES ($6, $1, $3, $2, $10, 1, $7, $4, $5, $8, $9, $9 + $14, $13), \
    ($10, $1, $3, $2, $6, 2, $11, $4, $5, $12, $13, $13 - $14, $9)";

/// A player's history row, anew. `$1` player, `$2` pool, `$3` when the game finished, `$4` game, `$5` verdict, `$6` games, `$7` before, `$8`
/// after, `$9` the opponent before.
pub const REWRITE: &str = "\
    UPDATE rating_history SET verdict = $5, number = $6, before_micros = $7, after_micros = $8, opponent_micros = $9 \
    WHERE player_id = $1 AND pool = $2 AND finished_at = $3 AND game_id = $4";

/// Changes how many players stand where: rows of pool, length, bucket, shard, provisional, established, in the order of the key.
pub fn buckets(rows: usize) -> String {
    let row = |n: usize| {
        let values: Vec<_> = (6 * n + 1..=6 * n + 6).map(|n| format!("${n}")).collect();
        format!("({})", values.join(", "))
    };
    let rows: Vec<_> = (0..rows).map(row).collect();
    format!(
        "INSERT INTO rating_buckets (pool, length, bucket, shard, provisional, established) VALUES {} \
         ON CONFLICT (pool, length, bucket, shard) DO UPDATE SET provisional = rating_buckets.provisional + excluded.provisional, \
         established = rating_buckets.established + excluded.established",
        rows.join(", ")
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
    UPDATE player_ratings SET name = $3 WHERE player_id = $1 AND pool = $2 AND name = ''";

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

/// The players that one look-up can name: a few sizes, so that the store keeps a few statements prepared.
const PLACES: [usize; 5] = [1, 2, 10, 100, 1_000];

/// The places of the statement that looks up so many players; the rest is filled up with one of them.
pub(super) fn standings_places(players: usize) -> usize {
    PLACES.into_iter().find(|places| *places >= players).unwrap_or(players)
}

/// Looks up players. `$1` pool, from `$2` on as many players as there are places.
pub fn standings(places: usize) -> String {
    let list: Vec<_> = (2..places + 2).map(|n| format!("${n}")).collect();
    let list = list.join(", ");
    format!("SELECT player_id, micros, games FROM player_ratings WHERE pool = $1 AND player_id IN ({list})")
}
