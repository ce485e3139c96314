//! The statements, each one text for both stores. Public so that a test can hold the plan of each.

/// Locks both players' rows in the order in which they are given, making those that are missing, and reads them as they are under the lock.
/// `$1` size, `$2` and `$3` players, `$4` and `$5` their names, `$6` the first rating, `$7` now.
pub const LOCK: &str = "\
    INSERT INTO ratings (player_id, board_size, micros, games, name, reached_at, rated_at) \
    VALUES ($2, $1, $6, 0, $4, $7, $7), ($3, $1, $6, 0, $5, $7, $7) \
    ON CONFLICT (player_id, board_size) DO UPDATE SET games = ratings.games \
    RETURNING player_id, micros, games";

/// Marks a game as counted; no row if it was marked before.
/// `$1` game, `$2` size, `$3` Black, `$4` White, `$5` winner, `$6` K, `$7` and `$8` the ratings before, `$9` Black's gain, `$10` now.
pub const MARK: &str = "\
    INSERT INTO rated_games (game_id, board_size, black_id, white_id, winner, k, black_before, white_before, \
    black_gain, rated_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (game_id) DO NOTHING";

/// Moves both ratings, in one statement so that the sum stands in one place.
/// `$1` size, `$2` Black, `$3` White, `$4` Black's gain, `$5` and `$6` their names, `$7` now.
pub const MOVE: &str = "\
    UPDATE ratings SET \
    micros = CASE WHEN player_id = $2 THEN micros + $4 ELSE micros - $4 END, \
    name = CASE WHEN player_id = $2 THEN $5 ELSE $6 END, \
    reached_at = CASE WHEN $4 = 0 THEN reached_at ELSE $7 END, \
    games = games + 1, rated_at = $7 \
    WHERE player_id IN ($2, $3) AND board_size = $1";

/// Writes both players' histories. `$1` size, `$2` game, `$3` now; then for each player: who, the game's number, the rating after.
pub const HISTORY: &str = "\
    INSERT INTO rating_history (player_id, board_size, number, game_id, after_micros, rated_at) \
    VALUES ($4, $1, $5, $2, $6, $3), ($7, $1, $8, $2, $9, $3)";

/// What a game changed. `$1` game.
pub const RATED_GAME: &str = "\
    SELECT board_size, black_id, white_id, black_before, white_before, black_gain, rated_at \
    FROM rated_games WHERE game_id = $1";

macro_rules! leaders {
    ($who:literal) => {
        concat!(
            "SELECT player_id, micros, games, name, reached_at, \
             (SELECT COUNT(*) FROM ratings WHERE board_size = $1 ",
            $who,
            "AND (standing, reached_at, player_id) <= ($2, $3, $4)) AS ahead \
             FROM ratings WHERE board_size = $1 ",
            $who,
            "AND (standing, reached_at, player_id) > ($2, $3, $4) \
             ORDER BY standing, reached_at, player_id LIMIT $5"
        )
    };
}

/// Everybody behind a place, with how many are not. `$1` size, `$2` the negated rating, `$3` since when, `$4` player, `$5` how many.
pub const LEADERS: &str = leaders!("");

/// [`LEADERS`] without those whose rating is provisional.
pub const LEADERS_ESTABLISHED: &str = leaders!("AND games >= 10 ");

/// The players that one look-up can name: a few sizes, so that the store keeps a few statements prepared.
const PLACES: [usize; 5] = [1, 2, 10, 100, 1_000];

/// The places of the statement that looks up so many players; the rest is filled up with one of them.
pub(super) fn standings_places(players: usize) -> usize {
    PLACES.into_iter().find(|places| *places >= players).unwrap_or(players)
}

/// Looks up players. `$1` size, from `$2` on as many players as there are places.
pub fn standings(places: usize) -> String {
    let list: Vec<_> = (2..places + 2).map(|n| format!("${n}")).collect();
    let list = list.join(", ");
    format!("SELECT player_id, micros, games FROM ratings WHERE board_size = $1 AND player_id IN ({list})")
}
