//! What a server's log says of the statements that were sent.

use std::collections::{BTreeMap, BTreeSet};

/// Values as they are written in SQL, in the order of their places.
pub type Values = Vec<String>;

/// Each statement on rows that was sent, with each set of values that it came with.
pub fn statements(log: &str) -> BTreeMap<String, Vec<Values>> {
    let mut all: BTreeMap<String, BTreeSet<Values>> = BTreeMap::new();
    let mut last = String::new();
    for entry in entries(log) {
        if let Some(rest) = entry.strip_prefix("LOG:  execute ") {
            last = rest.split_once(": ").map(|(_, text)| text.to_owned()).unwrap_or_default();
            let on_rows =
                ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].iter().any(|verb| last.starts_with(verb));
            // The server's own catalogues and functions are not the services'.
            if !on_rows
                || ["pg_", "information_schema", "_sqlx_migrations"].iter().any(|own| last.contains(own))
            {
                last.clear();
            } else if !last.contains('$') {
                all.entry(last.clone()).or_default().insert(Vec::new());
            }
        } else if let Some(rest) = entry.strip_prefix("DETAIL:  parameters: ")
            && !last.is_empty()
        {
            all.entry(std::mem::take(&mut last)).or_default().insert(values(rest));
        }
    }
    all.into_iter().map(|(text, sets)| (text, sets.into_iter().collect())).collect()
}

/// The log's entries: lines that go on begin with a tab.
fn entries(log: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in log.lines() {
        match (line.strip_prefix('\t'), entries.last_mut()) {
            (Some(more), Some(entry)) => {
                entry.push('\n');
                entry.push_str(more);
            }
            _ => entries.push(line.to_owned()),
        }
    }
    entries
}

/// The values of `$1 = 'a', $2 = NULL`; a quotation mark within a value is written twice.
fn values(text: &str) -> Values {
    let mut values = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(" = ") {
        let mut end = 0;
        let mut within = false;
        for (at, letter) in after.char_indices() {
            if letter == '\'' {
                within = !within;
            } else if letter == ',' && !within {
                break;
            }
            end = at + letter.len_utf8();
        }
        values.push(after[..end].to_owned());
        rest = &after[end..];
    }
    values
}

/// The kind that a value seems to be of.
pub fn kind(value: &str) -> &'static str {
    let bare = value.trim_matches('\'');
    let is_number = bare.trim_start_matches('-').bytes().all(|digit| digit.is_ascii_digit());
    match bare {
        _ if uuid::Uuid::try_parse(bare).is_ok() => "uuid",
        "t" | "f" => "boolean",
        _ if bare.starts_with("\\x") => "bytea",
        _ if is_number && !bare.is_empty() => "bigint",
        _ => "text",
    }
}

#[test]
fn a_log_is_read() {
    let log = "LOG:  execute sqlx_s_1: SELECT a\n\tFROM b WHERE c = $1 AND d = $2\nDETAIL:  parameters: $1 = 'it''s, $9 = ', $2 = NULL\n\
        LOG:  execute <unnamed>: SELECT 1\nLOG:  execute s: BEGIN\nLOG:  statement: SELECT 2\n";
    let found = statements(log);
    let sets = &found["SELECT a\nFROM b WHERE c = $1 AND d = $2"];
    assert_eq!(sets, &vec![vec!["'it''s, $9 = '".to_owned(), "NULL".to_owned()]]);
    assert_eq!(found.len(), 2, "{found:?}");
}
