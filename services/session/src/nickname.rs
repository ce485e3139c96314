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
pub struct Nickname {
    text: String,
    skeleton: String,
    folded: String,
}

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
        let (skeleton, folded) = (lookalike::skeleton(text), lookalike::folded(text));
        Ok(Self { text: text.to_owned(), skeleton, folded })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How it looks: names with one skeleton are alike.
    pub fn skeleton(&self) -> &str {
        &self.skeleton
    }

    /// How it looks in one case: likewise.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// Whether the house keeps this name, or one that looks like it, for itself.
    pub fn is_reserved(&self) -> bool {
        reserved::is_reserved(&self.text)
    }

    /// The names to try when this one is taken, best first: with a small number after it, then with longer ones. All of them can be
    /// had, and none is reserved unless this one is.
    pub fn alternatives(&self, random: &mut impl Rng) -> Vec<Self> {
        let mut numbers: Vec<u32> = vec![2, 3, 4];
        for (from, below, times) in [(10, 10_000, 4), (10_000, 1_000_000, 3), (1_000_000, 1_000_000_000, 2)] {
            numbers.extend((0..times).map(|_| random.random_range(from..below)));
        }
        numbers.into_iter().filter_map(|number| self.with_suffix(number)).collect()
    }

    /// This name, cut where need be, with a number after it.
    fn with_suffix(&self, number: u32) -> Option<Self> {
        let suffix = format!("-{number}");
        let room = LONGEST.saturating_sub(suffix.len());
        // A letter goes with its marks.
        let cut = match self.text.char_indices().nth(room) {
            None => self.text.as_str(),
            Some((end, next)) if !is_combining_mark(next) => &self.text[..end],
            Some((end, _)) => self.text[..end]
                .trim_end_matches(is_combining_mark)
                .strip_suffix(|_: char| true)
                .unwrap_or(""),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of many scripts can be had, and come out in one spelling.
    #[test]
    fn names_of_many_scripts_come_out_normalised() {
        for (given, name) in [
            ("Honinbo", "Honinbo"),
            ("  Go Seigen \t", "Go Seigen"),
            ("O\u{2019}Brien", "O'Brien"),
            ("Jean-Luc_1.9", "Jean-Luc_1.9"),
            ("\u{ff28}\u{ff4f}\u{ff4e}\u{3000}\u{ff11}", "Hon 1"),
            ("Jose\u{301}", "Jos\u{e9}"),
            ("Nguyễn Thị", "Nguyễn Thị"),
            ("呉清源", "呉清源"),
            ("ひかるの碁", "ひかるの碁"),
            ("スーパー佐為3", "スーパー佐為3"),
            ("AI佐為です", "AI佐為です"),
            ("이세돌 9dan", "이세돌 9dan"),
            ("Иван Грозный", "Иван Грозный"),
            ("Ελένη", "Ελένη"),
            ("राजेश", "राजेश"),
            ("ตี๋เล็ก", "ตี๋เล็ก"),
            ("محمد", "محمد"),
            ("דוד", "דוד"),
            ("ꦲꦏ꧀ꦱꦫ", "ꦲꦏ꧀ꦱꦫ"),
            ("a", "a"),
            ("abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx"),
        ] {
            let parsed = Nickname::parse(given);
            assert_eq!(parsed.as_ref().map(Nickname::as_str), Ok(name), "{given}");
            assert_eq!(parsed, Nickname::parse(name), "parsing again changes nothing");
            assert!(!parsed.unwrap().is_reserved(), "{given}");
        }
    }

    /// What nobody can have is refused for its own reason, and no refusal repeats the name.
    #[test]
    fn bad_names_are_refused_for_their_own_reason() {
        let long = "x".repeat(5000);
        let empty_and_long = [("", Refusal::Empty), (" \u{3000}\n\t ", Refusal::Empty)];
        let lengths = [("abcdefghijklmnopqrstuvwxy", 25), (&long, 5000), ("\u{fdfa}\u{fdfa}", 36)];
        let characters = [
            ("a\u{0}b", '\u{0}'),
            ("a\nb", '\n'),
            ("a\u{200b}b", '\u{200b}'),
            ("a\u{200d}b", '\u{200d}'),
            ("\u{feff}a", '\u{feff}'),
            ("a\u{ad}b", '\u{ad}'),
            ("a\u{34f}b", '\u{34f}'),
            ("a\u{202e}b", '\u{202e}'),
            ("a\u{2066}b", '\u{2066}'),
            ("\u{3164}", '\u{1160}'),
            ("a\u{e000}", '\u{e000}'),
            ("a\u{378}", '\u{378}'),
            ("a\u{fffe}", '\u{fffe}'),
            ("Go😀", '😀'),
            ("❤", '❤'),
            ("a@b", '@'),
            ("<b>", '<'),
            ("a/b", '/'),
            ("\u{bd}", '\u{2044}'),
            ("a\u{20dd}", '\u{20dd}'),
            ("\u{2800}", '\u{2800}'),
        ];
        let edges = [(".a", '.'), ("-a", '-'), ("a_", '_'), ("'a", '\''), ("\u{301}a", '\u{301}')];
        let separators = ["a  b", "a--b", "a -b", "a. b", "a \u{301}b"];
        let marks = ["a\u{316}\u{316}", "a\u{316}\u{317}\u{318}\u{319}\u{31c}"];
        let mixed = ["аdmin", "Pаypal", "Ηoninbo", "Иvan", "ひかる이", "कa", "سa", "1\u{9ea}a"];
        let cases = empty_and_long
            .into_iter()
            .chain(lengths.map(|(text, length)| (text, Refusal::TooLong(length))))
            .chain(characters.map(|(text, character)| (text, Refusal::Character(character))))
            .chain(edges.map(|(text, character)| (text, Refusal::Edge(character))))
            .chain(separators.map(|text| (text, Refusal::Separators)))
            .chain(marks.map(|text| (text, Refusal::Marks)))
            .chain(mixed.map(|text| (text, Refusal::MixedScripts)));
        for (text, refusal) in cases {
            assert_eq!(Nickname::parse(text), Err(refusal), "{text:?}");
            assert!(refusal.to_string().len() < 200, "{refusal}");
        }
    }

    /// The house's names are kept whatever they are dressed up as; names that only contain them are not.
    #[test]
    fn reserved_names_are_kept_in_every_disguise() {
        for name in [
            "admin",
            "ADMIN",
            "Admin",
            "AdmIn",
            "adm1n",
            "admln",
            "a.d.m.i.n",
            "Admin 2",
            "admin-of-go",
            "The_Admin",
            "Nigiri",
            "NIGIRI bot",
            "n1g1r1",
            "nigiri3",
            "superadmin",
            "Operator",
            "0perator",
            "OPERAT0R",
            "moderator",
            "rnoderator",
            "Guest",
            "GUEST",
            "Bot",
            "b0t",
            "anonymous",
            "server",
            "support",
            "system",
            "Модератор",
            "管理员",
            "ѕуѕтеm",
            "ADMІN",
            "оffiсе",
        ] {
            match Nickname::parse(name) {
                Ok(parsed) => assert!(parsed.is_reserved(), "{name}"),
                Err(refusal) => assert_eq!(refusal, Refusal::MixedScripts, "{name}"),
            }
        }
        for name in [
            "Badminton",
            "Guest of Honour",
            "Robot",
            "Botond",
            "Cooperators",
            "Onigiri fan",
            "Serverus",
            "Modern",
        ] {
            assert!(!Nickname::parse(name).unwrap().is_reserved(), "{name}");
        }
    }

    /// Names that the eye takes for one another are alike; others are not.
    #[test]
    fn lookalikes_are_alike() {
        let alike = |one: &str, two: &str| {
            let [one, two] = [one, two].map(|name| Nickname::parse(name).unwrap());
            one.skeleton() == two.skeleton() || one.folded() == two.folded()
        };
        for (one, two) in [
            ("Honinbo", "HONINBO"),
            ("Honinbo", "H0ninb0"),
            ("Hello", "HeIIo"),
            ("hello", "he11o"),
            ("Maria", "Rnaria"),
            ("ВАСЯ", "вася"),
            ("CHAT", "СНАТ"),
            ("paypal", "раураӏ"),
            ("Σωκράτης", "ΣΩΚΡΆΤΗΣ"),
            ("Straße", "STRASSE"),
            ("Go Seigen", "go seigen"),
        ] {
            assert!(alike(one, two), "{one} {two}");
        }
        for (one, two) in
            [("Honinbo", "Honinbos"), ("Go Seigen", "GoSeigen"), ("呉清源", "坂田栄男"), ("Иван", "Ivan")]
        {
            assert!(!alike(one, two), "{one} {two}");
        }
    }

    /// Every name to try can be had, is new, fits, and ends in a number; none of them has become a reserved one by being cut.
    #[test]
    fn suffixes_make_other_names_that_fit() {
        for name in [
            "Honinbo",
            "abcdefghijklmnopqrstuvwx",
            "Go Seigen of the 20 c.xy",
            "xxxxxxxxxxxxxxxx adminxy",
            "ตี๋เล็กตี๋เล็กตี๋เล็กตี๋",
        ] {
            let name = Nickname::parse(&name.chars().take(24).collect::<String>()).unwrap();
            let names = name.alternatives(&mut rand::rng());
            assert!(names.len() > 7, "{names:?}");
            for other in &names {
                assert!(other.skeleton() != name.skeleton() && !other.is_reserved(), "{other:?}");
                assert!(other.as_str().ends_with(char::is_numeric), "{other:?}");
                assert_eq!(Nickname::parse(other.as_str()).as_ref(), Ok(other));
            }
        }
    }
}
