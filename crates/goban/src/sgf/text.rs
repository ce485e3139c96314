//! Text in values: escapes, line breaks, and places for errors.

/// A line and a character in it, both from 1.
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Where an offset lies in a text.
pub(super) fn place(text: &str, offset: usize) -> Place {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    // `\r\n` ends one line; a lone `\r` ends one too, as old files have it.
    let ends = |i: usize| before[i] == b'\n' || (before[i] == b'\r' && before.get(i + 1) != Some(&b'\n'));
    let line = (0..before.len()).filter(|&i| ends(i)).count() + 1;
    let start = (0..before.len()).rev().find(|&i| ends(i)).map_or(0, |i| i + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    Place { line, column }
}

/// A value as text: an escaped line break is none, other white space is a space, and any way to end a line becomes `\n`.
pub(super) fn read(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw.chars().peekable();
    while let Some(mut next) = rest.next() {
        let escaped = next == '\\';
        if escaped {
            let Some(behind) = rest.next() else { break };
            next = behind;
        }
        if next == '\n' || next == '\r' {
            let other = if next == '\n' { '\r' } else { '\n' };
            rest.next_if_eq(&other);
            if !escaped {
                text.push('\n');
            }
        } else {
            text.push(if next.is_ascii_whitespace() || next == '\u{b}' { ' ' } else { next });
        }
    }
    text
}

/// A value as text on one line.
pub(super) fn read_simple(raw: &str) -> String {
    read(raw).replace('\n', " ")
}

/// Text as it can stand in a value; [`read`] gives it back, white space made plain.
pub(super) fn escape(text: &str) -> String {
    let mut raw = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, ']' | '\\' | ':') {
            raw.push('\\');
        }
        raw.push(character);
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Escapes, soft line breaks and every kind of line end are read as the format says.
    #[test]
    fn text_is_read_as_the_format_says() {
        assert_eq!(read("a\\]b\\:c\\\\d"), "a]b:c\\d");
        assert_eq!(read("soft\\\nbreak, hard\nbreak"), "softbreak, hard\nbreak");
        assert_eq!(read("1\r\n2\n\r3\r4\n\n5\\\r\n6\t7"), "1\n2\n3\n4\n\n56 7");
        assert_eq!(read_simple("a\nb"), "a b");
        assert_eq!(read("dangling\\"), "dangling");
        assert_eq!(read(&escape("[a:b]\\]\n\\")), "[a:b]\\]\n\\");
    }

    /// Lines and columns count characters, whatever ends a line.
    #[test]
    fn a_place_is_a_line_and_a_character() {
        let at = |text: &str, offset| {
            let Place { line, column } = place(text, offset);
            (line, column)
        };
        assert_eq!(at("ab", 0), (1, 1));
        assert_eq!(at("é囲x", 5), (1, 3));
        assert_eq!(at("a\r\nb\rc\nd!", 8), (4, 2));
        assert_eq!(at("a\n", 99), (2, 1));
    }
}
