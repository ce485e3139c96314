//! The statements of the leaderboards. Each is one statement, so that ranks and lines are of one moment. Those who have not played for long are left
//! out by `$6`, also while [`LAPSE`] has not come to them yet.

/// How many are ahead of a place: all in better stretches, those of the same stretch one by one (from the index alone: the table is not touched), less
/// those who have lapsed and have not been taken off yet.
macro_rules! ahead {
    ($counted:literal, $levels:literal, $compare:literal) => {
        concat!(
            "(SELECT COALESCE(CAST(SUM(",
            $counted,
            ") AS BIGINT), 0) FROM rating_buckets \
             WHERE pool = $1 AND length = 1 AND bucket < $9) + \
             (SELECT COALESCE(CAST(SUM(",
            $counted,
            ") AS BIGINT), 0) FROM rating_buckets \
             WHERE pool = $1 AND length = 0 AND bucket >= $10 AND bucket < $7) + \
             (SELECT COUNT(*) FROM player_ratings WHERE pool = $1 AND ",
            $levels,
            " AND standing >= $8 AND standing <= $2 \
             AND (standing, reached_at, player_id) ",
            $compare,
            " ($2, $3, $4)) - \
             (SELECT COUNT(*) FROM player_ratings WHERE pool = $1 AND level >= 1 AND ",
            $levels,
            " AND played_at <= $6 AND (standing, reached_at, player_id) ",
            $compare,
            " ($2, $3, $4))"
        )
    };
}

macro_rules! line {
    ($level:literal, $compare:literal, $order:literal) => {
        concat!(
            "SELECT player_id, micros, games, name, reached_at, standing FROM player_ratings \
             WHERE pool = $1 AND level = ",
            $level,
            " AND (standing, reached_at, player_id) ",
            $compare,
            " ($2, $3, $4) AND played_at > $6 ORDER BY standing ",
            $order,
            ", reached_at ",
            $order,
            ", player_id ",
            $order,
            " LIMIT $5"
        )
    };
}

/// The lines behind (`>`), at and behind (`>=`), or before (`<`) a place, with how many stand ahead of the first of them.
macro_rules! page {
    (established, $compare:literal, $order:literal, $ahead:literal) => {
        concat!(
            "SELECT lines.*, ",
            ahead!("established", "level = 2", $ahead),
            " AS ahead FROM (",
            line!("2", $compare, $order),
            ") AS lines"
        )
    };
    (everybody, $compare:literal, $order:literal, $ahead:literal) => {
        concat!(
            "SELECT lines.*, ",
            ahead!("provisional + established", "level IN (1, 2)", $ahead),
            " AS ahead FROM (",
            "SELECT * FROM (",
            line!("1", $compare, $order),
            ") AS first UNION ALL SELECT * FROM (",
            line!("2", $compare, $order),
            ") AS second ORDER BY standing ",
            $order,
            ", reached_at ",
            $order,
            ", player_id ",
            $order,
            " LIMIT $5) AS lines"
        )
    };
}

/// The page behind a place, with how many stand up to that place. `$1` pool, `$2` the negated rating, `$3` since when, `$4` player, `$5` how
/// many, `$6` who played since then is on the list, `$7` the place's short
/// stretch, `$8` its first standing, `$9` its long stretch, `$10` the first short one of that.
pub const BEHIND: &str = page!(established, ">", "ASC", "<=");
/// [`BEHIND`] with those whose rating is provisional.
pub const BEHIND_EVERYBODY: &str = page!(everybody, ">", "ASC", "<=");
/// The page from a place on, with how many stand ahead of it. Binds as [`BEHIND`].
pub const AT: &str = page!(established, ">=", "ASC", "<");
/// [`AT`] with those whose rating is provisional.
pub const AT_EVERYBODY: &str = page!(everybody, ">=", "ASC", "<");
/// The lines before a place, the nearest first, with how many stand ahead of it. Binds as [`BEHIND`].
pub const BEFORE: &str = page!(established, "<", "DESC", "<");
/// [`BEFORE`] with those whose rating is provisional.
pub const BEFORE_EVERYBODY: &str = page!(everybody, "<", "DESC", "<");

/// The first page. `$1` pool, `$2` to `$4` a place before everybody, `$5` how many, `$6` who played since then is on the list.
pub const HEAD: &str =
    concat!("SELECT lines.*, CAST(0 AS BIGINT) AS ahead FROM (", line!("2", ">", "ASC"), ") AS lines");
/// [`HEAD`] with those whose rating is provisional.
pub const HEAD_EVERYBODY: &str = concat!(
    "SELECT lines.*, CAST(0 AS BIGINT) AS ahead FROM (SELECT * FROM (",
    line!("1", ">", "ASC"),
    ") AS first UNION ALL SELECT * FROM (",
    line!("2", ">", "ASC"),
    ") AS second ORDER BY standing, reached_at, player_id LIMIT $5) AS lines"
);

/// How many are on a leaderboard, how many with the provisional. `$1` pool, `$2` who played since then is on the list.
pub const SIZE: &str = "\
    SELECT COALESCE(CAST(SUM(established) AS BIGINT), 0) - \
    (SELECT COUNT(*) FROM player_ratings WHERE pool = $1 AND level >= 1 AND level = 2 AND played_at <= $2) AS established, \
    COALESCE(CAST(SUM(established + provisional) AS BIGINT), 0) - \
    (SELECT COUNT(*) FROM player_ratings WHERE pool = $1 AND level >= 1 AND played_at <= $2) AS everybody \
    FROM rating_buckets WHERE pool = $1 AND length = 1";

/// Where a player stands. `$1` player, `$2` pool.
pub const PLACE: &str = "\
    SELECT micros, games, reached_at, played_at, level FROM player_ratings WHERE player_id = $1 AND pool = $2";

/// Players of a pool who have not played for long and are still on a leaderboard. `$1` pool, `$2` who played since then stays, `$3` how many.
pub const LAPSED: &str = "\
    SELECT player_id FROM player_ratings WHERE pool = $1 AND level >= 1 AND played_at <= $2 ORDER BY played_at LIMIT $3";

/// Takes such a player off the leaderboards. `$1` player, `$2` pool, `$3` as above.
pub const LAPSE: &str = "\
    UPDATE player_ratings SET level = 0 WHERE player_id = $1 AND pool = $2 AND level >= 1 AND played_at <= $3 \
    RETURNING micros, games";
