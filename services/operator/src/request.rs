//! From requests to the words of this service.

use std::fmt;

use platform::status::Violation;
use uuid::Uuid;

use crate::error::Error;

/// The most characters of a reason, and of a notice.
const LONGEST_REASON: usize = 200;
const LONGEST_NOTICE: usize = 500;

/// Why an operator does something: 1 to 200 characters on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason(String);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads a reason.
///
/// # Errors
/// When there is none, or it is too long or has more than a line.
pub fn reason(text: &str) -> Result<Reason, Error> {
    let text = text.trim();
    let clean = !text.is_empty() && !text.chars().any(char::is_control);
    if clean && text.chars().count() <= LONGEST_REASON {
        return Ok(Reason(text.to_owned()));
    }
    Err(wrong("reason", "1 to 200 characters on one line: the audit log keeps it"))
}

/// Reads a notice.
///
/// # Errors
/// When it is too long.
pub fn notice(text: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.chars().count() <= LONGEST_NOTICE {
        return Ok(text.to_owned());
    }
    Err(wrong("text", "at most 500 characters"))
}

/// Reads a UUID.
///
/// # Errors
/// When it is none.
pub fn id(field: &str, text: &str) -> Result<Uuid, Error> {
    Uuid::try_parse(text).map_err(|_| wrong(field, "not an id: a UUID"))
}

/// Reads how many are wanted.
///
/// # Errors
/// When it is more than `most`.
pub fn limit(field: &str, asked: u32, usual: u32, most: u32) -> Result<u32, Error> {
    match asked {
        0 => Ok(usual),
        asked if asked <= most => Ok(asked),
        _ => Err(wrong(field, format!("out of range: 1 to {most}, or 0 for {usual}"))),
    }
}

/// One field that is wrong.
pub fn wrong(field: &str, words: impl fmt::Display) -> Error {
    Error::Invalid(vec![Violation::new(field, words)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reason is a line of its own words; what is empty, long or has control characters is none.
    #[test]
    fn a_reason_is_a_line_of_words() {
        assert_eq!(reason("  a fire \n").unwrap().to_string(), "a fire");
        for text in ["", "   ", "two\nlines", "a\u{7}bell", &"x".repeat(201)] {
            assert!(reason(text).is_err(), "{text:?}");
        }
        assert!(reason(&"é".repeat(200)).is_ok());
    }
}
