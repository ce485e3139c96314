use std::fmt;

use goban::{Color, Verdict};

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// Two passes in a row; then the board was counted.
    Score,
    /// A player resigned.
    Resignation,
    /// A player ran out of time.
    Time,
    /// The move limit was reached; then the board was counted.
    MoveLimit,
    /// It ended before each side had moved once: no result.
    Abort,
    /// A position came back a third time under simple ko: no result.
    Repetition,
    /// A player was gone for longer than the grace.
    Abandonment,
    /// Both agreed on a draw.
    DrawAgreed,
    /// An operator decided, and it counts.
    Adjudication,
    /// An operator decided, and it does not count.
    UnratedAdjudication,
    /// The game could not go on, by no fault of the players: no result.
    Void,
}

/// How a game ended. Displayed as record keepers write it: `B+2`, `W+0.5`, `B+R`, `W+T`, `B+F` (forfeit), `Draw`,
/// `Void`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Who won; nobody in a draw and where there is no result.
    pub winner: Option<Color>,
    /// What ended it.
    pub reason: EndReason,
    /// By how many half points the winner won; 0 where nobody did, and where nothing was counted.
    pub margin: u16,
}

impl Outcome {
    /// The result of a count.
    pub(crate) fn of_verdict(reason: EndReason, verdict: &Verdict) -> Self {
        Self::counted(reason, verdict.black.half_points() - verdict.white.half_points())
    }

    /// The result of a count: by how many half points Black is ahead, negative if White is.
    pub(crate) fn counted(reason: EndReason, lead: i32) -> Self {
        let winner = match lead {
            0 => None,
            1.. => Some(Color::Black),
            _ => Some(Color::White),
        };
        Self { winner, reason, margin: u16::try_from(lead.unsigned_abs()).unwrap_or(u16::MAX) }
    }

    /// A win without a count.
    pub(crate) const fn won(winner: Color, reason: EndReason) -> Self {
        Self { winner: Some(winner), reason, margin: 0 }
    }

    /// No result.
    pub(crate) const fn void(reason: EndReason) -> Self {
        Self { winner: None, reason, margin: 0 }
    }

    /// The outcome with this reason that is displayed as this text, for example `W+0.5`; none if there is no such outcome.
    pub fn read(reason: EndReason, text: &str) -> Option<Self> {
        let outcome = match text {
            "Draw" | "Void" => Self::void(reason),
            _ => {
                let (winner, by) = text.split_once('+')?;
                let winner = Color::BOTH.into_iter().find(|c| winner.chars().eq([c.letter()]))?;
                let margin = match by {
                    "R" | "T" | "F" => 0,
                    _ => half_points(by)?,
                };
                Self { winner: Some(winner), reason, margin }
            }
        };
        (outcome.to_string() == text).then_some(outcome)
    }

    /// Whether there is a result that may change ratings: not where the game was aborted or is void, or an operator said so.
    pub const fn counts_for_rating(&self) -> bool {
        !matches!(
            self.reason,
            EndReason::Abort | EndReason::Repetition | EndReason::UnratedAdjudication | EndReason::Void
        )
    }
}

fn half_points(text: &str) -> Option<u16> {
    let (whole, half) = text.strip_suffix(".5").map_or((text, 0), |whole| (whole, 1));
    whole.parse::<u16>().ok()?.checked_mul(2)?.checked_add(half)
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(winner) = self.winner else {
            return f.write_str(if self.counts_for_rating() { "Draw" } else { "Void" });
        };
        write!(f, "{}+", winner.letter())?;
        match self.reason {
            EndReason::Resignation => f.write_str("R"),
            EndReason::Time => f.write_str("T"),
            EndReason::Abandonment | EndReason::Adjudication | EndReason::UnratedAdjudication => {
                f.write_str("F")
            }
            _ => {
                let half = if self.margin.is_multiple_of(2) { "" } else { ".5" };
                write!(f, "{}{half}", self.margin / 2)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every outcome that a game can have is read back from its text and its reason, so a record needs no more than these two.
    #[test]
    fn an_outcome_is_read_back_from_its_text() {
        use EndReason::{Abandonment, Abort, Adjudication, DrawAgreed, Repetition, Resignation, Time};
        use EndReason::{UnratedAdjudication, Void};
        let nobody = [Abort, Repetition, DrawAgreed, Adjudication, UnratedAdjudication, Void];
        let mut outcomes = nobody.map(Outcome::void).to_vec();
        for color in Color::BOTH {
            let reasons = [Resignation, Time, Abandonment, Adjudication, UnratedAdjudication];
            outcomes.extend(reasons.map(|reason| Outcome::won(color, reason)));
        }
        for reason in [EndReason::Score, EndReason::MoveLimit] {
            outcomes.extend((-1500..=1500).map(|lead| Outcome::counted(reason, lead)));
        }
        for outcome in outcomes {
            assert_eq!(Outcome::read(outcome.reason, &outcome.to_string()), Some(outcome));
        }
        let text = |lead| Outcome::counted(EndReason::Score, lead).to_string();
        assert_eq!([text(4), text(-1), text(0)], ["B+2", "W+0.5", "Draw"]);
        for text in ["", "B", "B+", "b+2", "B+02", "B+2.0", "B+R ", "BB+2", "Void", "W+99999", "B+T", "W+F"] {
            assert_eq!(Outcome::read(EndReason::Score, text), None, "{text:?}");
        }
    }
}
