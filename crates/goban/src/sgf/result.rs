//! The result of a game as files have it.

use std::fmt;
use std::str::FromStr;

use crate::{Color, Outcome};

/// `RE`: how a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// One side won.
    Win {
        /// The side.
        winner: Color,
        /// How.
        won: Won,
    },
    /// Both have the same number of points.
    Draw,
    /// No result.
    Void,
    /// The file says that it is not known.
    Unknown,
}

/// How a game was won.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Won {
    /// By so many hundredths of a point: some files count quarter points.
    Hundredths(u32),
    /// The other side resigned.
    Resignation,
    /// The other side ran out of time.
    Time,
    /// The other side lost by a rule, or by not being there.
    Forfeit,
    /// The file does not say.
    Unsaid,
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win { winner, half_points } => {
                Self::Win { winner, won: Won::Hundredths(half_points.saturating_mul(50)) }
            }
            Outcome::Draw => Self::Draw,
            Outcome::Void => Self::Void,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (winner, won) = match *self {
            Self::Win { winner, won } => (winner.letter(), won),
            Self::Draw => return f.write_str("0"),
            Self::Void => return f.write_str("Void"),
            Self::Unknown => return f.write_str("?"),
        };
        match won {
            Won::Hundredths(points) => {
                let text = format!("{winner}+{}.{:02}", points / 100, points % 100);
                f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
            }
            Won::Resignation => write!(f, "{winner}+R"),
            Won::Time => write!(f, "{winner}+T"),
            Won::Forfeit => write!(f, "{winner}+F"),
            Won::Unsaid => write!(f, "{winner}+"),
        }
    }
}

/// A result that is written in no known way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a result, such as B+3.5, W+R, 0, Void or ?")]
pub struct UnknownResult;

impl FromStr for GameResult {
    type Err = UnknownResult;

    fn from_str(text: &str) -> Result<Self, UnknownResult> {
        let text = text.trim().to_ascii_lowercase();
        match &text[..] {
            "0" | "draw" | "jigo" | "tie" => return Ok(Self::Draw),
            "void" => return Ok(Self::Void),
            "?" => return Ok(Self::Unknown),
            _ => {}
        }
        let (side, how) = text.split_once('+').ok_or(UnknownResult)?;
        let winner = match side.trim() {
            "b" | "black" => Color::Black,
            "w" | "white" => Color::White,
            _ => return Err(UnknownResult),
        };
        Ok(Self::Win { winner, won: how.trim().parse()? })
    }
}

impl FromStr for Won {
    type Err = UnknownResult;

    fn from_str(text: &str) -> Result<Self, UnknownResult> {
        match text {
            "" => return Ok(Self::Unsaid),
            "r" | "res" | "resign" | "resignation" => return Ok(Self::Resignation),
            "t" | "time" => return Ok(Self::Time),
            "f" | "forfeit" => return Ok(Self::Forfeit),
            _ => {}
        }
        let number = text.split_whitespace().next().unwrap_or_default().replace(',', ".");
        let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > 6 || fraction.len() > 6 || !digits(whole) || !digits(fraction) {
            return Err(UnknownResult);
        }
        // Two digits behind the point, whatever is written.
        let hundredths = format!("{whole}{:0<2.2}", fraction);
        hundredths.parse().map(Self::Hundredths).map_err(|_| UnknownResult)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results read back as they were written, and the ways in which files write them are understood.
    #[test]
    fn a_result_reads_back_however_it_is_written() {
        let win = |winner, won| Ok(GameResult::Win { winner, won });
        for (text, result) in [
            ("B+R", win(Color::Black, Won::Resignation)),
            ("White+Resign", win(Color::White, Won::Resignation)),
            ("W+Time", win(Color::White, Won::Time)),
            ("B+F", win(Color::Black, Won::Forfeit)),
            ("B+", win(Color::Black, Won::Unsaid)),
            ("W+0.5", win(Color::White, Won::Hundredths(50))),
            ("b+ 12,50 points", win(Color::Black, Won::Hundredths(1250))),
            ("B+0.75", win(Color::Black, Won::Hundredths(75))),
            ("Jigo", Ok(GameResult::Draw)),
            ("0", Ok(GameResult::Draw)),
            ("Void", Ok(GameResult::Void)),
            ("?", Ok(GameResult::Unknown)),
            ("", Err(UnknownResult)),
            ("B+x", Err(UnknownResult)),
            ("nobody+3", Err(UnknownResult)),
            ("B+99999999999999999999", Err(UnknownResult)),
        ] {
            assert_eq!(text.parse(), result, "{text}");
            if let Ok(result) = result {
                assert_eq!(result.to_string().parse(), Ok(result));
            }
        }
        assert_eq!(GameResult::from(Outcome::from_lead(-15)).to_string(), "W+7.5");
    }
}
