//! The statements of the leaderboards. Each is one statement, so that ranks and lines are of one moment. Those who have not played for long are left
//! out by `$6`, also while [`LAPSE`] has not come to them yet.

/// How many are ahead of a place: all in better stretches, those of the same stretch one by one (from the index alone: the table is not touched), less
/// those who have lapsed and have not been taken off yet. (Nobody played before 0: with two bounds the planner takes them for few, which they are, also
/// when it does not know the values.)
macro_rules! ahead {
    ($counted:literal, $levels:literal) => {
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
             AND (standing, reached_at, player_id) <= ($2, $3, $4)) - \
             (SELECT COUNT(*) FROM player_ratings WHERE pool = $1 AND level >= 1 AND ",
            $levels,
            " AND played_at >= 0 AND played_at <= $6 AND (standing, reached_at, player_id) <= ($2, $3, $4))"
        )
    };
}

macro_rules! line {
    ($level:literal) => {
        concat!(
            "SELECT player_id, micros, games, name, reached_at, standing FROM player_ratings \
             WHERE pool = $1 AND level = ",
            $level,
            " AND (standing, reached_at, player_id) > ($2, $3, $4) AND played_at > $6 \
             ORDER BY standing, reached_at, player_id LIMIT $5"
        )
    };
}

/// The page behind a place, with how many stand up to that place. `$1` pool, `$2` the negated rating, `$3` since when, `$4` player, `$5` how
/// many, `$6` who played since then is on the list, `$7` the place's short
/// stretch, `$8` its first standing, `$9` its long stretch, `$10` the first short one of that.
pub const BEHIND: &str = concat!(
    "SELECT lines.*, ",
    ahead!("established", "level = 2"),
    " AS ahead FROM (",
    line!("2"),
    ") AS lines"
);
/// [`BEHIND`] with those whose rating is provisional.
pub const BEHIND_EVERYBODY: &str = concat!(
    "SELECT lines.*, ",
    ahead!("provisional + established", "level IN (1, 2)"),
    " AS ahead FROM (SELECT * FROM (",
    line!("1"),
    ") AS first UNION ALL SELECT * FROM (",
    line!("2"),
    ") AS second ORDER BY standing, reached_at, player_id LIMIT $5) AS lines"
);
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

/// How many are ahead of that player: counted as in [`BEHIND`].
macro_rules! ahead_of_me {
    ($counted:literal, $levels:literal) => {
        concat!(
            "(SELECT COALESCE(CAST(SUM(",
            $counted,
            ") AS BIGINT), 0) FROM rating_buckets \
             WHERE pool = $2 AND length = 1 AND bucket < (SELECT long / 32000000 FROM me)) + \
             (SELECT COALESCE(CAST(SUM(",
            $counted,
            ") AS BIGINT), 0) FROM rating_buckets WHERE pool = $2 AND length = 0 \
             AND bucket >= (SELECT long / 250000 FROM me) AND bucket < (SELECT short / 250000 FROM me)) + \
             (SELECT COUNT(*) FROM player_ratings WHERE pool = $2 AND ",
            $levels,
            " AND standing >= (SELECT short FROM me) AND standing <= (SELECT standing FROM me) \
             AND (standing, reached_at, player_id) < ",
            my_place!(),
            ") - (SELECT COUNT(*) FROM player_ratings WHERE pool = $2 AND level >= 1 AND ",
            $levels,
            " AND played_at >= 0 AND played_at <= $3 AND (standing, reached_at, player_id) < ",
            my_place!(),
            ")"
        )
    };
}

macro_rules! my_place {
    () => {
        "((SELECT standing FROM me), (SELECT reached_at FROM me), (SELECT player_id FROM me))"
    };
}

macro_rules! my_side {
    ($level:literal, $compare:literal, $order:literal, $limit:literal) => {
        concat!(
            "SELECT player_id, micros, games, name, reached_at, standing FROM player_ratings \
             WHERE pool = $2 AND level = ",
            $level,
            " AND (standing, reached_at, player_id) ",
            $compare,
            " ",
            my_place!(),
            " AND played_at > $3 ORDER BY standing ",
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

macro_rules! my_sides {
    ($compare:literal, $order:literal, $limit:literal) => {
        concat!(
            "SELECT * FROM (",
            my_side!("1", $compare, $order, $limit),
            ") AS first UNION ALL SELECT * FROM (",
            my_side!("2", $compare, $order, $limit),
            ") AS second ORDER BY standing ",
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

/// A player's line and those around it, in no order, each with how many stand ahead of the player; nothing if the player is not on the
/// leaderboard. `$1` player, `$2` pool, `$3` who played since then is on the list, `$4` how many lines from the player's own on, `$5` how many before it.
pub const AROUND: &str = concat!(
    me!("2"),
    " SELECT lines.*, ",
    ahead_of_me!("established", "level = 2"),
    " AS ahead FROM (SELECT * FROM (",
    my_side!("2", ">=", "ASC", "$4"),
    ") AS down UNION ALL SELECT * FROM (",
    my_side!("2", "<", "DESC", "$5"),
    ") AS up) AS lines"
);
/// [`AROUND`] with those whose rating is provisional.
pub const AROUND_EVERYBODY: &str = concat!(
    me!("1"),
    " SELECT lines.*, ",
    ahead_of_me!("provisional + established", "level IN (1, 2)"),
    " AS ahead FROM (SELECT * FROM (",
    my_sides!(">=", "ASC", "$4"),
    ") AS down UNION ALL SELECT * FROM (",
    my_sides!("<", "DESC", "$5"),
    ") AS up) AS lines"
);

/// The first page. `$1` pool, `$2` to `$4` a place before everybody, `$5` how many, `$6` who played since then is on the list.
pub const HEAD: &str = concat!("SELECT lines.*, CAST(0 AS BIGINT) AS ahead FROM (", line!("2"), ") AS lines");
/// [`HEAD`] with those whose rating is provisional.
pub const HEAD_EVERYBODY: &str = concat!(
    "SELECT lines.*, CAST(0 AS BIGINT) AS ahead FROM (SELECT * FROM (",
    line!("1"),
    ") AS first UNION ALL SELECT * FROM (",
    line!("2"),
    ") AS second ORDER BY standing, reached_at, player_id LIMIT $5) AS lines"
);

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
