//! The points that White receives for moving second.

use std::fmt;
use std::str::FromStr;

use crate::point::shorten;

/// Points for White, in halves; negative for Black. From -150 to 150 points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Komi(i16);

/// Why something is not a komi.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KomiError {
    /// Not a whole or half number.
    #[error("{0:?} is not a komi: write whole or half points, such as 7 or 6.5")]
    Malformed(String),
    /// Beyond the largest komi.
    #[error("a komi of {0} is not possible: it goes from -150 to 150 points")]
    OutOfRange(String),
}

impl Komi {
    /// The largest komi, in half points.
    pub const MAX_HALF_POINTS: i16 = 300;
    /// No komi.
    pub const ZERO: Self = Self(0);

    /// A komi from half points: 13 is 6.5.
    ///
    /// # Errors
    /// When it is beyond 150 points either way.
    pub fn from_half_points(half_points: i16) -> Result<Self, KomiError> {
        if half_points.unsigned_abs() > Self::MAX_HALF_POINTS.unsigned_abs() {
            Err(KomiError::OutOfRange(Self(half_points).to_string()))
        } else {
            Ok(Self(half_points))
        }
    }

    pub(crate) const fn halves(half_points: i16) -> Self {
        Self(half_points)
    }

    /// The komi in half points.
    #[must_use]
    pub const fn half_points(self) -> i16 {
        self.0
    }
}

/// Writes half points as points: `6.5`, `7`, `-0.5`.
pub(crate) fn write_halves(f: &mut fmt::Formatter<'_>, half_points: i32) -> fmt::Result {
    let sign = if half_points < 0 { "-" } else { "" };
    let half = if half_points % 2 == 0 { "" } else { ".5" };
    write!(f, "{sign}{}{half}", half_points.unsigned_abs() / 2)
}

impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_halves(f, i32::from(self.0))
    }
}

impl FromStr for Komi {
    type Err = KomiError;

    fn from_str(text: &str) -> Result<Self, KomiError> {
        let malformed = || KomiError::Malformed(shorten(text));
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let half = match fraction.trim_end_matches('0') {
            "" if !fraction.is_empty() => 0,
            "5" => 1,
            _ => return Err(malformed()),
        };
        if whole.is_empty() || !whole.bytes().all(|b| b.is_ascii_digit()) {
            return Err(malformed());
        }
        let out_of_range = || KomiError::OutOfRange(shorten(text));
        let whole: i16 = whole.parse().map_err(|_| out_of_range())?;
        let halves = whole.checked_mul(2).and_then(|h| h.checked_add(half)).ok_or_else(out_of_range)?;
        Self::from_half_points(if negative { -halves } else { halves })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every komi is written and read back; what is no komi is refused with its reason.
    #[test]
    fn a_komi_reads_back_as_it_was_written() {
        for half_points in -300..=300 {
            let komi = Komi::from_half_points(half_points).unwrap();
            assert_eq!(komi.to_string().parse(), Ok(komi));
        }
        assert_eq!("6.50".parse(), Ok(Komi(13)));
        assert_eq!("-0.5".parse(), Ok(Komi(-1)));
        for text in ["", "-", ".5", "6.", "6.25", "6,5", "+7", "7 ", "nan", "٧"] {
            assert!(matches!(text.parse::<Komi>(), Err(KomiError::Malformed(_))), "{text:?}");
        }
        for text in ["150.5", "-151", "99999999999"] {
            assert!(matches!(text.parse::<Komi>(), Err(KomiError::OutOfRange(_))), "{text:?}");
        }
    }
}
