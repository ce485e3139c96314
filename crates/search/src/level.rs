use std::fmt;
use std::str::FromStr;

/// How strong a player is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Looks one move ahead and overlooks things; loses to a beginner who has known the rules for a week.
    Easy,
    /// In between.
    Normal,
    /// The best there is.
    Hard,
}

/// A text that is no level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a level: easy, normal or hard")]
pub struct LevelError(String);

impl Level {
    /// All levels, the easiest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Normal, Self::Hard];

    /// The name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Normal => "normal",
            Self::Hard => "hard",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Self, LevelError> {
        let found = Self::ALL.into_iter().find(|level| level.name() == text);
        found.ok_or_else(|| LevelError(text.chars().take(16).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every level is found by its name; another name is answered with the list.
    #[test]
    fn a_level_is_found_by_its_name() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        let error = "x".repeat(1000).parse::<Level>().unwrap_err().to_string();
        assert!(error.len() < 100 && error.contains("easy, normal or hard"), "{error}");
    }
}
