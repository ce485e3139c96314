//! Lines of the protocol.

use goban::{Color, Move, Point, Size};

/// A command as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The number that the answer repeats.
    pub id: Option<u32>,
    /// The command's name.
    pub name: String,
    /// What follows it.
    pub arguments: Vec<String>,
}

/// What a command is answered with: a text, or why not.
pub type Reply = Result<String, String>;

impl Command {
    /// Reads a line. None for a line that says nothing: empty, or a comment.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.split('#').next().unwrap_or_default();
        let clean: String =
            line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
        let mut words = clean.split_whitespace().peekable();
        let id = words.peek().and_then(|word| word.parse().ok());
        if id.is_some() {
            words.next();
        }
        let name = words.next()?.to_owned();
        Some(Self { id, name, arguments: words.map(str::to_owned).collect() })
    }
}

/// The lines of an answer, the empty one at its end included.
#[must_use]
pub fn render(id: Option<u32>, reply: &Reply) -> String {
    let id = id.map(|id| id.to_string()).unwrap_or_default();
    let (sign, text) = match reply {
        Ok(text) => ('=', text),
        Err(text) => ('?', text),
    };
    // An empty line would end the answer too early.
    let body: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let space = if body.is_empty() { "" } else { " " };
    format!("{sign}{id}{space}{}\n\n", body.join("\n"))
}

/// Reads a colour: `b`, `black`, `w` or `white`, in whatever case.
#[must_use]
pub fn color(text: &str) -> Option<Color> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    }
}

/// The protocol's name of a colour.
#[must_use]
pub const fn name_of(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// Reads a vertex of a board: a point, or `pass`.
#[must_use]
pub fn vertex(text: &str, size: Size) -> Option<Move> {
    let chosen: Move = text.parse().ok()?;
    chosen.point().is_none_or(|point: Point| size.contains(point)).then_some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comments, tabs, control characters and numbers are read as the protocol has them, and an answer is one block.
    #[test]
    fn lines_are_read_as_the_protocol_has_them() {
        let command = Command::parse("  12\tplay b\u{7} D4 # a comment\r").unwrap();
        assert_eq!((command.id, command.name.as_str()), (Some(12), "play"));
        assert_eq!(command.arguments, ["b", "D4"]);
        for nothing in ["", "   ", "# only this", "\t\r"] {
            assert_eq!(Command::parse(nothing), None, "{nothing:?}");
        }
        assert_eq!(render(Some(3), &Ok(String::new())), "=3\n\n");
        assert_eq!(render(None, &Ok("a\n\nb\n".into())), "= a\nb\n\n");
        assert_eq!(render(None, &Err("illegal move".into())), "? illegal move\n\n");
        assert_eq!(vertex("J9", Size::NINE), Some(Move::Play(Point::new(8, 8))));
        assert_eq!((vertex("K9", Size::NINE), vertex("PASS", Size::NINE)), (None, Some(Move::Pass)));
    }
}
