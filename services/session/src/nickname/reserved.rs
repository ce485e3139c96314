use super::{is_separator, lookalike};

/// Words that speak for the house wherever they stand: alone, as a word of a name, or at its beginning or end.
const OFFICES: [&str; 8] =
    ["admin", "administrator", "moderator", "operator", "nigiri", "администратор", "модератор", "管理员"];

/// Names that speak for the house, or for nobody, when they are the whole name.
const NAMES: [&str; 26] = [
    "ai",
    "anon",
    "anonymous",
    "bot",
    "deleted",
    "everyone",
    "guest",
    "help",
    "mod",
    "nobody",
    "null",
    "official",
    "owner",
    "root",
    "security",
    "server",
    "service",
    "staff",
    "superuser",
    "support",
    "system",
    "undefined",
    "unknown",
    "管理者",
    "관리자",
    "系统",
];

/// Whether a name, without what separates its words, is one of these or looks like it.
pub fn is_reserved(name: &str) -> bool {
    let squeezed: String = name.chars().filter(|c| !is_separator(*c)).collect();
    let is = |text: &str, word: &str| {
        lookalike::skeleton(text) == lookalike::skeleton(word)
            || lookalike::folded(text) == lookalike::folded(word)
    };
    let bare = squeezed.trim_matches(char::is_numeric);
    let office = |word: &str| {
        let words = name.split(is_separator).map(|part| part.trim_matches(char::is_numeric));
        words.chain([bare, squeezed.as_str()]).any(|part| is(part, word)) || encloses(&squeezed, word)
    };
    NAMES.iter().any(|word| is(&squeezed, word)) || OFFICES.iter().any(|word| office(word))
}

/// Whether a name begins or ends with a word, or with what looks like it.
fn encloses(name: &str, word: &str) -> bool {
    [lookalike::skeleton as fn(&str) -> String, lookalike::folded].into_iter().any(|key| {
        let (name, word) = (key(name), key(word));
        name.starts_with(&word) || name.ends_with(&word)
    })
}
