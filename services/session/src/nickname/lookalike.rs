//! What the eye takes for the same.
//!
//! The skeleton of UTS 39 maps lookalikes to one text, but it knows no case: `Ivan` and `lvan` share one, `IVAN` and `ivan` do not. And
//! the two cases of a letter may look like letters that have nothing to do with each other: Cyrillic `В` looks like `B`, `в` does
//! not look like `b`. So a name has two keys, and names are alike when either is the same.

use unicode_security::skeleton as uts39;

/// The skeleton of the name as it is written, in lower case.
pub fn skeleton(name: &str) -> String {
    finish(uts39(name))
}

/// The skeleton of the name with its case folded.
pub fn folded(name: &str) -> String {
    // Upper then lower case is case folding in all but a few letters of Cherokee, which has no lookalikes among its own.
    let folded: String = name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    finish(uts39(&folded))
}

/// `I` looks like `l` and is `i`: the three are one here.
fn finish(skeleton: impl Iterator<Item = char>) -> String {
    skeleton.flat_map(char::to_lowercase).map(|c| if c == 'i' { 'l' } else { c }).collect()
}
