use metrics::{counter, gauge};

use crate::{elo::Outcome, notice::End};

const GAMES: &str = "nigiri_rating_games";
const NOTICES: &str = "nigiri_rating_notices";
const RECOMPUTED: &str = "nigiri_rating_recomputed_games";
const LAG: &str = "nigiri_rating_lag_games";

/// Says what each metric means.
pub(crate) fn describe() {
    metrics::describe_counter!(GAMES, "Games that counted, by what ended them and who won.");
    metrics::describe_counter!(NOTICES, "News of finished games, by what became of them.");
    metrics::describe_counter!(
        RECOMPUTED,
        "Games that were computed anew because one before them came late."
    );
    metrics::describe_gauge!(LAG, "Finished games that this service has not dealt with yet.");
}

/// What became of a notice.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// Its game counted.
    Rated,
    /// Its game had counted before.
    Repeated,
    /// Its game does not count.
    Unrated,
    /// Its game was agreed to count, but does not by the rules against abuse.
    Refused,
    /// It makes no sense.
    Malformed,
    /// The store failed; it comes again.
    Failed,
}

/// Counts a notice.
pub(crate) fn notice(fate: Fate) {
    let fate = match fate {
        Fate::Rated => "rated",
        Fate::Repeated => "repeated",
        Fate::Unrated => "unrated",
        Fate::Refused => "refused",
        Fate::Malformed => "malformed",
        Fate::Failed => "failed",
    };
    counter!(NOTICES, "fate" => fate).increment(1);
}

/// Counts a game that counted.
pub(crate) fn game(end: End, outcome: Outcome) {
    let end = match end {
        End::Score => "score",
        End::MoveLimit => "move_limit",
        End::Resignation => "resignation",
        End::Time => "time",
        End::Abandonment => "abandonment",
        End::DrawAgreed => "draw_agreed",
        End::Adjudication => "adjudication",
    };
    let winner = match outcome {
        Outcome::Black => "black",
        Outcome::White => "white",
        Outcome::Draw => "none",
    };
    counter!(GAMES, "end" => end, "winner" => winner).increment(1);
}

/// Counts games that were computed anew.
pub(crate) fn recomputed(games: u64) {
    counter!(RECOMPUTED).increment(games);
}

/// Shows the lag.
pub(crate) fn lag(games: u64) {
    gauge!(LAG).set(games as f64);
}
