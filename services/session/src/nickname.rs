//! Names that people can have: written in one script, made of what is visible, and not to be taken for another.
//!
//! A name is trimmed and brought to NFKC (UAX 15), so that one name has one spelling. Its characters are letters, marks and digits of
//! any script, and inside also space, `_`, `-`, `.` and `'`. Scripts mix as UTS 39 allows at the level *Highly Restrictive*
//! (section 5.2): one script, or Latin with Chinese, Japanese or Korean writing. Two names are alike when their skeletons (UTS
//! 39, section 4) are, with the letters' case as written or folded: see [`lookalike`].

pub mod lookalike;
mod reserved;

use platform::status::Reason;
use rand::Rng;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_security::{
    GeneralSecurityProfile, general_security_profile::IdentifierType, mixed_script::AugmentedScriptSet,
};

/// The most characters that a name has.
pub const LONGEST: usize = 24;

/// Marks that may follow one letter: no living script stacks more (UTS 39, section 5.4, draws the line there).
const MOST_MARKS: usize = 4;

/// A name that somebody can have. It may still be reserved, or taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nickname(String);

/// Why nobody can have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing is left after trimming.
    #[error("the name is empty: it needs 1 to {LONGEST} characters")]
    Empty,
    /// Too many characters.
    #[error("the name has {0} characters after normalisation: it may have {LONGEST}")]
    TooLong(usize),
    /// A character that no name has.
    #[error(
        "the name has the character U+{:04X}: it may have letters, marks and digits of any script, and inside also space, `_`, `-`, `.` and `'`",
        u32::from(*.0)
    )]
    Character(char),
    /// It begins or ends with a character that belongs inside, or begins with a mark.
    #[error("the name begins or ends with U+{:04X}: it has to begin and end with a letter or a digit", u32::from(*.0))]
    Edge(char),
    /// Two spaces, or a space between other separators.
    #[error("the name has two of space, `_`, `-`, `.` and `'` in a row")]
    Separators,
    /// More marks on one letter than any script has, or one of them twice.
    #[error("the name has a letter with more than {MOST_MARKS} marks, or with one mark twice")]
    Marks,
    /// Scripts that do not go together.
    #[error("the name mixes scripts, so that it could be taken for another: write it in one script")]
    MixedScripts,
    /// A name that the house keeps for itself, or one that looks like it.
    #[error("the name, or one that looks like it, is reserved")]
    Reserved,
}

impl Refusal {
    /// The reason on the wire.
    pub fn reason(self) -> Reason {
        match self {
            Self::Empty => Reason::NicknameEmpty,
            Self::TooLong(_) => Reason::NicknameTooLong,
            Self::Character(_) | Self::Edge(_) | Self::Separators | Self::Marks => Reason::NicknameCharacters,
            Self::MixedScripts => Reason::NicknameConfusable,
            Self::Reserved => Reason::NicknameReserved,
        }
    }
}

impl Nickname {
    /// The name that this text means.
    ///
    /// # Errors
    /// What is wrong with it. [`Refusal::Reserved`] is not among it: ask [`Nickname::is_reserved`].
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text: String = text.trim().nfkc().map(straight).collect();
        let text = text.trim();
        if text.is_empty() {
            return Err(Refusal::Empty);
        }
        let length = text.chars().count();
        if length > LONGEST {
            return Err(Refusal::TooLong(length));
        }
        if let Some(character) = text.chars().find(|c| !is_separator(*c) && !is_word(*c)) {
            return Err(Refusal::Character(character));
        }
        check_shape(text)?;
        if !scripts_go_together(text) {
            return Err(Refusal::MixedScripts);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How it looks: names with one skeleton are alike.
    pub fn skeleton(&self) -> String {
        lookalike::skeleton(&self.0)
    }

    /// How it looks in one case: likewise.
    pub fn folded(&self) -> String {
        lookalike::folded(&self.0)
    }

    /// Whether the house keeps this name, or one that looks like it, for itself.
    pub fn is_reserved(&self) -> bool {
        reserved::is_reserved(&self.0)
    }

    /// The names to try, best first: this one, then with a small number after it, then with longer ones. All of them can be had, and none
    /// is reserved unless this one is.
    pub fn candidates(&self, random: &mut impl Rng) -> Vec<Self> {
        let mut numbers: Vec<u32> = vec![2, 3, 4];
        for (from, below, times) in [(10, 10_000, 4), (10_000, 1_000_000, 3), (1_000_000, 1_000_000_000, 2)] {
            numbers.extend((0..times).map(|_| random.random_range(from..below)));
        }
        let with_suffix = numbers.into_iter().filter_map(|number| self.with_suffix(number));
        [self.clone()].into_iter().chain(with_suffix).collect()
    }

    /// This name, cut where need be, with a number after it.
    fn with_suffix(&self, number: u32) -> Option<Self> {
        let suffix = format!("-{number}");
        let room = LONGEST.saturating_sub(suffix.len());
        // A letter goes with its marks.
        let cut = match self.0.char_indices().nth(room) {
            None => self.0.as_str(),
            Some((end, next)) if !is_combining_mark(next) => &self.0[..end],
            Some((end, _)) => {
                self.0[..end].trim_end_matches(is_combining_mark).strip_suffix(|_: char| true).unwrap_or("")
            }
        };
        let name = Self::parse(&format!("{}{suffix}", cut.trim_end_matches(is_separator))).ok()?;
        (self.is_reserved() || !name.is_reserved()).then_some(name)
    }
}

/// The apostrophe that telephones write, as the one that keyboards have.
fn straight(character: char) -> char {
    if character == '\u{2019}' { '\'' } else { character }
}

fn is_separator(character: char) -> bool {
    matches!(character, ' ' | '_' | '-' | '.' | '\'')
}

/// A letter, mark or digit that is visible and in its normal form. Scripts that are rare or gone are welcome; what is no letter of a
/// word, what is invisible, and what is not assigned is not.
fn is_word(character: char) -> bool {
    let letter = character.is_alphanumeric() || is_combining_mark(character);
    let odd = matches!(
        character.identifier_type(),
        None | Some(
            IdentifierType::Not_Character
                | IdentifierType::Deprecated
                | IdentifierType::Default_Ignorable
                | IdentifierType::Not_NFKC
                | IdentifierType::Not_XID
        )
    );
    letter && !odd
}

/// Separators stand alone and inside, and marks stand on letters.
fn check_shape(text: &str) -> Result<(), Refusal> {
    let (mut previous, mut marks) = (' ', 0);
    for (position, character) in text.chars().enumerate() {
        let mark = is_combining_mark(character);
        if position == 0 && (mark || is_separator(character)) {
            return Err(Refusal::Edge(character));
        }
        if is_separator(previous) && position > 0 && (mark || is_separator(character)) {
            return Err(Refusal::Separators);
        }
        marks = if mark { marks + 1 } else { 0 };
        if marks > MOST_MARKS || (mark && previous == character) {
            return Err(Refusal::Marks);
        }
        previous = character;
    }
    if is_separator(previous) { Err(Refusal::Edge(previous)) } else { Ok(()) }
}

/// UTS 39, section 5.2, steps 4 and 5: one script; or, Latin letters aside, all of Chinese, Japanese or Korean writing.
fn scripts_go_together(text: &str) -> bool {
    let latin = AugmentedScriptSet::for_char('a').base;
    let is_latin = |character: &char| {
        let mut base = AugmentedScriptSet::for_char(*character).base;
        base.intersect_with(latin);
        !base.is_empty()
    };
    if !AugmentedScriptSet::for_str(text).is_empty() {
        return true;
    }
    let others: String = text.chars().filter(|c| !is_latin(c)).collect();
    let others = AugmentedScriptSet::for_str(&others);
    others.hanb || others.jpan || others.kore
}
