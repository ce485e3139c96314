use std::sync::LazyLock;

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

/// How a text looks, as it is written and in one case.
struct Looks([String; 2]);

static OFFICE_LOOKS: LazyLock<Vec<Looks>> =
    LazyLock::new(|| OFFICES.iter().map(|word| Looks::of(word)).collect());
static NAME_LOOKS: LazyLock<Vec<Looks>> =
    LazyLock::new(|| NAMES.iter().map(|word| Looks::of(word)).collect());

impl Looks {
    fn of(text: &str) -> Self {
        Self([lookalike::skeleton(text), lookalike::folded(text)])
    }

    fn any(&self, other: &Self, alike: impl Fn(&str, &str) -> bool) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| alike(one, other))
    }
}

/// Whether a name, without what separates its words, is one of these or looks like it.
pub fn is_reserved(name: &str) -> bool {
    let squeezed: String = name.chars().filter(|c| !is_separator(*c)).collect();
    let whole = Looks::of(&squeezed);
    // A number before or after makes no other office.
    let bare = Looks::of(squeezed.trim_matches(char::is_numeric));
    let words: Vec<_> =
        name.split(is_separator).map(|word| Looks::of(word.trim_matches(char::is_numeric))).collect();
    let office = |office: &Looks| {
        let enclosed = |name: &str, office: &str| name.starts_with(office) || name.ends_with(office);
        [&whole, &bare].into_iter().any(|name| name.any(office, enclosed))
            || words.iter().any(|word| word.any(office, |word, office| word == office))
    };
    NAME_LOOKS.iter().any(|name| whole.any(name, |whole, name| whole == name))
        || OFFICE_LOOKS.iter().any(office)
}
