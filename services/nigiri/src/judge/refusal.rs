//! Why a request is not answered with a board.

use goban::{DiagramError, Illegal, PointError, SetupError};
use serde_json::Value;

/// What is wrong: a word for programs, a sentence for people, and the index of the move that it is about.
#[derive(Debug)]
pub struct Refusal {
    /// The index of the first move that cannot be played, from 0, through `moves` and then `plays`.
    pub at: Option<usize>,
    /// One of a closed set of words.
    pub error: &'static str,
    /// What to change.
    pub message: String,
}

impl Refusal {
    /// A word and a sentence.
    pub fn new(error: &'static str, message: impl Into<String>) -> Self {
        Self { at: None, error, message: message.into() }
    }

    /// A value that cannot be what its key says.
    pub fn value(key: &str, expected: &str, found: &Value) -> Self {
        let mut found = found.to_string();
        if let Some((end, _)) = found.char_indices().nth(40) {
            found.truncate(end);
            found.push('…');
        }
        Self::new("bad_value", format!("{key:?} is {expected}, not {found}"))
    }

    /// The same about one move.
    pub fn at(self, index: usize) -> Self {
        Self { at: Some(index), ..self }
    }
}

impl From<Illegal> for Refusal {
    fn from(why: Illegal) -> Self {
        Self::new(word(why), why.to_string())
    }
}

impl From<PointError> for Refusal {
    fn from(why: PointError) -> Self {
        let error = if matches!(why, PointError::OffBoard { .. }) { "off_board" } else { "bad_point" };
        Self::new(error, why.to_string())
    }
}

impl From<SetupError> for Refusal {
    fn from(why: SetupError) -> Self {
        let error = match why {
            SetupError::OffBoard { .. } => "off_board",
            SetupError::Occupied(_) => "occupied",
            SetupError::NoLiberty(_) => "no_liberty",
        };
        Self::new(error, why.to_string())
    }
}

impl From<DiagramError> for Refusal {
    fn from(why: DiagramError) -> Self {
        match why {
            DiagramError::Setup(why) => why.into(),
            why => Self::new("bad_value", format!("\"board\": {why}")),
        }
    }
}

/// The word for an illegal move, as in answers.
pub const fn word(why: Illegal) -> &'static str {
    match why {
        Illegal::Occupied => "occupied",
        Illegal::Suicide => "suicide",
        Illegal::Ko => "ko",
        Illegal::Superko => "superko",
        Illegal::OffBoard => "off_board",
    }
}
