//! The comments of a file, by the path of what they stand above.

use std::collections::HashMap;

use prost_types::FileDescriptorProto;

/// The path of a file's first line, above which its own comment stands.
const SYNTAX: [i32; 1] = [12];

pub struct Comments(HashMap<Vec<i32>, String>);

impl Comments {
    pub fn of(file: &FileDescriptorProto) -> Self {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        let text = |comment: &str| {
            let lines: Vec<&str> =
                comment.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
            lines.join("\n").trim().to_owned()
        };
        Self(
            locations
                .filter(|location| location.leading_comments.is_some())
                .map(|location| (location.path.clone(), text(location.leading_comments())))
                .collect(),
        )
    }

    /// What stands above the element with this path.
    pub fn at(&self, path: &[i32]) -> &str {
        self.0.get(path).map_or("", String::as_str)
    }

    /// What stands at the top of the file.
    pub fn file(&self) -> &str {
        self.at(&SYNTAX)
    }

    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }
}

/// Words in capitals with an underscore inside, as reasons and codes have it. `NICKNAME_...` stands for several.
pub fn shouted(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "_$".contains(letter)));
    words.filter(|word| {
        let inside = word.trim_end_matches('_');
        inside.len() == word.len()
            && inside.contains('_')
            && inside.starts_with(|first: char| first.is_ascii_uppercase())
            && !inside.contains(|letter: char| letter.is_ascii_lowercase())
    })
}
