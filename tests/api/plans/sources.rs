//! The statements in the sources of the services.

use std::path::Path;

/// A statement as a source has it.
pub struct Written {
    /// Where.
    pub file: String,
    /// Up to the first part that is made when it runs; what is between words is one space.
    pub text: String,
}

impl Written {
    /// Whether it is in a statement that was sent: as a whole, or as a part that others are put together with.
    pub fn is_in(&self, sent: &str) -> bool {
        spaced(sent).contains(&self.text)
    }
}

/// Words with one space between them.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every statement in the sources of the services, and of what they share.
pub fn statements() -> Vec<Written> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for service in ["session", "game", "matchmaking", "rating", "bot", "operator"] {
        collect(&root, &root.join("services").join(service).join("src"), &mut all);
    }
    collect(&root, &root.join("crates/platform/src"), &mut all);
    all
}

fn collect(root: &Path, folder: &Path, all: &mut Vec<Written>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !path.ends_with("testing") {
                collect(root, &path, all);
            }
        } else if path.extension().is_some_and(|end| end == "rs") {
            let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let source = std::fs::read_to_string(&path).expect("a source");
            all.extend(literals(&source).map(|text| Written { file: file.clone(), text }));
        }
    }
}

/// The literals that begin as a statement does.
fn literals(source: &str) -> impl Iterator<Item = String> + '_ {
    const VERBS: [&str; 5] = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "WITH "];
    source.match_indices('"').filter_map(|(at, _)| {
        let rest = &source[at + 1..];
        if !VERBS.iter().any(|verb| rest.starts_with(verb)) {
            return None;
        }
        let mut text = String::new();
        let mut letters = rest.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '"' | '{' => break,
                '\\' => match letters.next() {
                    Some('\n') => {}
                    Some(other) => text.push(other),
                    None => break,
                },
                letter => text.push(letter),
            }
        }
        Some(spaced(&text))
    })
}

#[test]
fn literals_are_found() {
    let source = r#"let a = "SELECT a \
        FROM b"; let c = format!("UPDATE d SET e IN ({list})"); // "nothing"
        "DELETE FROM \"f\"
            WHERE g = 1""#;
    let found: Vec<_> = literals(source).collect();
    assert_eq!(found, ["SELECT a FROM b", "UPDATE d SET e IN (", "DELETE FROM \"f\" WHERE g = 1"]);
}
