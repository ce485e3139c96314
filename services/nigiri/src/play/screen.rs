use std::io::Write;

use tokio::time::Instant;

use super::{draw, view::View};

/// Where the game is shown: a terminal, redrawn in place, or a plain text that grows.
pub struct Screen {
    terminal: bool,
    /// What was said last: it stays below the board.
    said: Vec<String>,
    /// Whether something can be typed below the board.
    prompts: bool,
    /// Whether what is said goes where errors go.
    quiet: bool,
}

/// Lines that stay below the board.
const KEPT: usize = 4;
/// What stands before that which is typed.
const PROMPT: &str = "> ";

impl Screen {
    /// Standard output, as a terminal or not.
    pub fn new(terminal: bool) -> Self {
        Self { terminal, said: Vec::new(), prompts: false, quiet: false }
    }

    /// Where standard output is for something else.
    pub fn quiet() -> Self {
        Self { quiet: true, ..Self::new(false) }
    }

    /// Whether it is redrawn in place.
    pub fn terminal(&self) -> bool {
        self.terminal
    }

    /// Says something.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn say(&mut self, text: &str) -> anyhow::Result<()> {
        if self.quiet {
            eprintln!("nigiri: {text}");
            return Ok(());
        }
        self.said.extend(text.lines().map(str::to_owned));
        self.said.drain(..self.said.len().saturating_sub(KEPT));
        write(&format!("{text}\n{}", if self.prompts { PROMPT } else { "" }))
    }

    /// Nothing can be typed any more.
    pub fn leave(&mut self) {
        self.prompts = false;
    }

    /// Shows the game.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&mut self, view: &View) -> anyhow::Result<()> {
        let (clock, board) = (draw::clock(view, Instant::now()), draw::board(view));
        if !self.terminal {
            return write(&format!("\n{clock}\n{board}"));
        }
        self.prompts = view.result.is_none();
        let prompt = if self.prompts { PROMPT } else { "" };
        let said = self.said.iter().fold(String::new(), |all, line| all + line + "\n");
        // Home, clear; the clock is the first line, so that it can be found again.
        write(&format!("\x1b[H\x1b[2J{clock}\n\n{board}\n{said}{prompt}"))
    }

    /// Shows the clock alone, where somebody may be typing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn tick(&self, view: &View) -> anyhow::Result<()> {
        let moves = view.due.is_some() || view.waits_for_program(Instant::now()).is_some();
        if !self.terminal || !moves {
            return Ok(());
        }
        // Save the cursor, first line, clear it, restore the cursor.
        write(&format!("\x1b7\x1b[1;1H\x1b[2K{}\x1b8", draw::clock(view, Instant::now())))
    }
}

fn write(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
