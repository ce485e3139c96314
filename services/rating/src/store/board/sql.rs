//! The statements of the leaderboards. Each is one statement, so that ranks and lines are of one moment. Those who have not played for long are left
//! out by `since`, also while [`LAPSE`] has not come to them yet.

/// Where a statement finds the place that it is about: `told` it by its caller, or `mine`, that of the player `me` whom it looks up itself. The widths
/// of stretches are those of `buckets.rs`.
macro_rules! at {
    (told, pool) => {
        "$1"
    };
    (told, since) => {
        "$6"
    };
    (told, place) => {
        "($2, $3, $4)"
    };
    (told, standing) => {
        "$2"
    };
    (told, short) => {
        "$7"
    };
    (told, short_start) => {
        "$8"
    };
    (told, long) => {
        "$9"
    };
    (told, long_start) => {
        "$10"
    };
    (mine, pool) => {
        "$2"
    };
    (mine, since) => {
        "$3"
    };
    (mine, place) => {
        "((SELECT standing FROM me), (SELECT reached_at FROM me), (SELECT player_id FROM me))"
    };
    (mine, standing) => {
        "(SELECT standing FROM me)"
    };
    (mine, short) => {
        "(SELECT short / 250000 FROM me)"
    };
    (mine, short_start) => {
        "(SELECT short FROM me)"
    };
    (mine, long) => {
        "(SELECT long / 32000000 FROM me)"
    };
    (mine, long_start) => {
        "(SELECT long / 250000 FROM me)"
    };
}

/// The player that [`AROUND`] is about, and where their stretches of ratings begin: `%` leaves a remainder of the dividend's sign, which is made one that
/// is never negative.
macro_rules! me {
    ($level:literal) => {
        concat!(
            "WITH me AS (SELECT standing, reached_at, player_id, standing - ((standing % 250000) + 250000) % 250000 AS short, \
             standing - ((standing % 32000000) + 32000000) % 32000000 AS long FROM player_ratings \
             WHERE player_id = $1 AND pool = $2 AND level >= ",
            $level,
            " AND played_at > $3)"
        )
    };
}

/// How many are ahead of a place: all in better stretches, those of the same stretch one by one (from the index alone: the table is not touched), less
/// those who have lapsed and have not been taken off yet. (Nobody played before 0: with two bounds the planner takes them for few, which they are, also
/// when it does not know the values.)
macro_rules! ahead {
    (established, $of:ident, $compare:literal) => {
        ahead!("established", "level = 2", $of, $compare)
    };
    (everybody, $of:ident, $compare:literal) => {
        ahead!("provisional + established", "level IN (1, 2)", $of, $compare)
    };
    ($counted:literal, $levels:literal, $of:ident, $compare:literal) => {
        concat!(
            "(SELECT COALESCE(CAST(SUM(",
            $counted,
            ") AS BIGINT), 0) FROM rating_buckets WHERE pool = ",
            at!($of, pool),
            " AND length = 1 AND bucket < ",
            at!($of, long),
            ") + (SELECT COALESCE(CAST(SUM(",
            $counted,
            ") AS BIGINT), 0) FROM rating_buckets WHERE pool = ",
            at!($of, pool),
            " AND length = 0 AND bucket >= ",
            at!($of, long_start),
            " AND bucket < ",
            at!($of, short),
            ") + (SELECT COUNT(*) FROM player_ratings WHERE pool = ",
            at!($of, pool),
            " AND ",
            $levels,
            " AND standing >= ",
            at!($of, short_start),
            " AND standing <= ",
            at!($of, standing),
            " AND (standing, reached_at, player_id) ",
            $compare,
            " ",
            at!($of, place),
            ") - (SELECT COUNT(*) FROM player_ratings WHERE pool = ",
            at!($of, pool),
            " AND level >= 1 AND ",
            $levels,
            " AND played_at >= 0 AND played_at <= ",
            at!($of, since),
            " AND (standing, reached_at, player_id) ",
            $compare,
            " ",
            at!($of, place),
            ")"
        )
    };
}

macro_rules! order {
    ($order:literal, $limit:literal) => {
        concat!(
            " ORDER BY standing ",
            $order,
            ", reached_at ",
            $order,
            ", player_id ",
            $order,
            " LIMIT ",
            $limit
        )
    };
}

/// Lines on one side of a place, the nearest first.
macro_rules! lines {
    (established, $of:ident, $compare:literal, $order:literal, $limit:literal) => {
        lines!("2", $of, $compare, $order, $limit)
    };
    (everybody, $of:ident, $compare:literal, $order:literal, $limit:literal) => {
        concat!(
            "SELECT * FROM (",
            lines!("1", $of, $compare, $order, $limit),
            ") AS first UNION ALL SELECT * FROM (",
            lines!("2", $of, $compare, $order, $limit),
            ") AS second",
            order!($order, $limit)
        )
    };
    ($level:literal, $of:ident, $compare:literal, $order:literal, $limit:literal) => {
        concat!(
            "SELECT player_id, micros, games, name, reached_at, standing FROM player_ratings WHERE pool = ",
            at!($of, pool),
            " AND level = ",
            $level,
            " AND (standing, reached_at, player_id) ",
            $compare,
            " ",
            at!($of, place),
            " AND played_at > ",
            at!($of, since),
            order!($order, $limit)
        )
    };
}

macro_rules! head {
    ($who:ident) => {
        concat!(
            "SELECT lines.*, CAST(0 AS BIGINT) AS ahead FROM (",
            lines!($who, told, ">", "ASC", "$5"),
            ") AS lines"
        )
    };
}

macro_rules! behind {
    ($who:ident) => {
        concat!(
            "SELECT lines.*, ",
            ahead!($who, told, "<="),
            " AS ahead FROM (",
            lines!($who, told, ">", "ASC", "$5"),
            ") AS lines"
        )
    };
}

macro_rules! around {
    ($who:ident, $level:literal) => {
        concat!(
            me!($level),
            " SELECT lines.*, ",
            ahead!($who, mine, "<"),
            " AS ahead FROM (SELECT * FROM (",
            lines!($who, mine, ">=", "ASC", "$4"),
            ") AS down UNION ALL SELECT * FROM (",
            lines!($who, mine, "<", "DESC", "$5"),
            ") AS up) AS lines"
        )
    };
}

/// The page behind a place, with how many stand up to that place. `$1` pool, `$2` the negated rating, `$3` since when, `$4` player, `$5` how
/// many, `$6` who played since then is on the list, `$7` the place's short stretch, `$8` its first standing, `$9` its long stretch, `$10` the first short
/// one of that.
pub const BEHIND: &str = behind!(established);
/// [`BEHIND`] with those whose rating is provisional.
pub const BEHIND_EVERYBODY: &str = behind!(everybody);

/// A player's line and those around it, in no order, each with how many stand ahead of the player; nothing if the player is not on the
/// leaderboard. `$1` player, `$2` pool, `$3` who played since then is on the list, `$4` how many lines from the player's own on, `$5` how many before it.
pub const AROUND: &str = around!(established, "2");
/// [`AROUND`] with those whose rating is provisional.
pub const AROUND_EVERYBODY: &str = around!(everybody, "1");

/// The first page. `$1` pool, `$2` to `$4` a place before everybody, `$5` how many, `$6` who played since then is on the list.
pub const HEAD: &str = head!(established);
/// [`HEAD`] with those whose rating is provisional.
pub const HEAD_EVERYBODY: &str = head!(everybody);

/// How many are on a leaderboard, how many with the provisional. `$1` pool, `$2` who played since then is on the list.
pub const SIZE: &str = "\
    SELECT COALESCE(CAST(SUM(established) AS BIGINT), 0) - \
    (SELECT COUNT(*) FROM player_ratings WHERE pool = $1 AND level >= 1 AND level = 2 AND played_at >= 0 AND played_at <= $2) AS established, \
    COALESCE(CAST(SUM(established + provisional) AS BIGINT), 0) - \
    (SELECT COUNT(*) FROM player_ratings WHERE pool = $1 AND level >= 1 AND played_at >= 0 AND played_at <= $2) AS everybody \
    FROM rating_buckets WHERE pool = $1 AND length = 1";

/// Players of a pool who have not played for long and are still on a leaderboard. `$1` pool, `$2` who played since then stays, `$3` how many.
pub const LAPSED: &str = "\
    SELECT player_id FROM player_ratings WHERE pool = $1 AND level >= 1 AND played_at <= $2 ORDER BY played_at LIMIT $3";

/// Takes such a player off the leaderboards. `$1` player, `$2` pool, `$3` as above.
pub const LAPSE: &str = "\
    UPDATE player_ratings SET level = 0 WHERE player_id = $1 AND pool = $2 AND level >= 1 AND played_at <= $3 \
    RETURNING micros, games";
