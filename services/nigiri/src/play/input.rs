use std::io::{BufRead, IsTerminal};

use goban::Point;
use tokio::sync::mpsc;

/// Lines that somebody types, or that a script sends.
pub struct Lines {
    lines: mpsc::Receiver<String>,
    terminal: bool,
    ended: bool,
}

/// The longest line that is read as one.
const LONGEST: u64 = 4096;

impl Lines {
    /// The lines of this process's standard input.
    pub fn of_stdin() -> Self {
        let (sender, lines) = mpsc::channel(16);
        // A blocking read cannot be given up: its thread ends with the process.
        std::thread::spawn(move || {
            let mut input = std::io::stdin().lock();
            let mut line = Vec::new();
            loop {
                line.clear();
                let read = std::io::Read::take(&mut input, LONGEST).read_until(b'\n', &mut line);
                let text = String::from_utf8_lossy(&line).into_owned();
                if !matches!(read, Ok(1..)) || sender.blocking_send(text).is_err() {
                    return;
                }
            }
        });
        Self { lines, terminal: std::io::stdin().is_terminal(), ended: false }
    }

    /// Whether somebody types them.
    pub fn terminal(&self) -> bool {
        self.terminal
    }

    /// Whether there are no more.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The next line; none at the end. May be given up and asked again.
    pub async fn next(&mut self) -> Option<String> {
        let line = self.lines.recv().await;
        self.ended |= line.is_none();
        line
    }
}

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// A stone on this point.
    Play(Point),
    /// A pass.
    Pass,
    /// To offer a draw, or to accept one.
    Draw,
    /// To take back one's last move.
    Undo,
    /// Yes to what the opponent proposes.
    Yes,
    /// No to it.
    No,
    /// To accept the score that is proposed.
    Accept,
    /// To dispute it.
    Dispute,
    /// That the chain on this point is dead, or that it is alive.
    Mark(Point, bool),
    /// To know the score if the game ended now.
    Score,
    /// To give up.
    Resign,
    /// To know what can be typed.
    Help,
    /// To leave; the game goes on.
    Quit,
    /// Nothing: an empty line.
    Nothing,
    /// Something that is not understood, and why.
    Unclear(String),
}

impl Wish {
    /// Reads a line.
    pub fn read(line: &str) -> Self {
        let text = line.trim();
        let lower = text.to_lowercase();
        if let Some((word @ ("dead" | "alive"), point)) = lower.split_once(' ') {
            return match point.trim().parse() {
                Ok(point) => Self::Mark(point, word == "dead"),
                Err(error) => Self::Unclear(format!("{error}; `help` lists what can be typed")),
            };
        }
        match lower.as_str() {
            "" => Self::Nothing,
            "pass" => Self::Pass,
            "resign" => Self::Resign,
            "draw" => Self::Draw,
            "undo" => Self::Undo,
            "yes" | "y" => Self::Yes,
            "no" | "n" => Self::No,
            "accept" => Self::Accept,
            "dispute" => Self::Dispute,
            "score" => Self::Score,
            "help" | "?" => Self::Help,
            "quit" | "exit" => Self::Quit,
            _ => match text.parse() {
                Ok(point) => Self::Play(point),
                Err(error) => Self::Unclear(format!("{error}; `help` lists what can be typed")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points and words are read whatever their case; anything else is answered with what would be right.
    #[test]
    fn lines_are_read_kindly() {
        assert_eq!(Wish::read(" d5\r\n"), Wish::Play("D5".parse().unwrap()));
        assert_eq!(Wish::read("PASS"), Wish::Pass);
        assert_eq!(Wish::read("resign"), Wish::Resign);
        assert_eq!(Wish::read("Dead  t19"), Wish::Mark("T19".parse().unwrap(), true));
        assert_eq!(Wish::read("alive a1"), Wish::Mark("A1".parse().unwrap(), false));
        assert_eq!(Wish::read("?"), Wish::Help);
        assert_eq!(Wish::read("  "), Wish::Nothing);
        for text in ["I5", "Z99", "pas", "\u{1b}[A", "本", "D5 E5", "dead", "dead I5", "deadD5"] {
            assert!(matches!(Wish::read(text), Wish::Unclear(why) if why.contains("help")), "{text:?}");
        }
    }
}
