//! Another engine, in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Why an engine gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command line is empty, or the program cannot be started.
    #[error("{command:?} cannot be started: {why}")]
    Start {
        /// The command line.
        command: String,
        /// Why.
        why: String,
    },
    /// The engine is gone.
    #[error("the engine has ended")]
    Ended,
    /// It has not answered in time.
    #[error("no answer to {command:?} within {limit:?}")]
    Overrun {
        /// What was asked.
        command: String,
        /// How long it had.
        limit: Duration,
    },
    /// It says no.
    #[error("{command:?} is refused: {why}")]
    Refused {
        /// What was asked.
        command: String,
        /// What it says.
        why: String,
    },
    /// What it says is not the protocol.
    #[error("{0:?} is no answer")]
    Nonsense(String),
}

/// A running engine. It is killed when this is dropped.
#[derive(Debug)]
pub struct Client {
    process: Child,
    input: ChildStdin,
    /// Its lines, without their ends.
    lines: Receiver<String>,
}

impl Client {
    /// Starts an engine. The command line is split at spaces; quotes, single or double, keep spaces together.
    ///
    /// # Errors
    /// [`Failure::Start`].
    pub fn start(command: &str) -> Result<Self, Failure> {
        let failed = |why: &str| Failure::Start { command: command.to_owned(), why: why.to_owned() };
        let words = split(command);
        let (program, arguments) = words.split_first().ok_or_else(|| failed("there is no program"))?;
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(&error.to_string()))?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(failed("it has no streams"));
        };
        let (sender, lines) = channel();
        // Ends when the process does.
        thread::spawn(move || {
            let mut lines = BufReader::new(output).split(b'\n');
            while let Some(Ok(line)) = lines.next() {
                let line = String::from_utf8_lossy(&line).trim_end().to_owned();
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { process, input, lines })
    }

    /// Asks, and waits for the answer's text.
    ///
    /// # Errors
    /// When there is no answer within the limit, or it is no good one.
    pub fn ask(&mut self, command: &str, limit: Duration) -> Result<String, Failure> {
        writeln!(self.input, "{command}").and_then(|()| self.input.flush()).map_err(|_| Failure::Ended)?;
        let deadline = Instant::now() + limit;
        let next = || {
            let left = deadline.saturating_duration_since(Instant::now());
            self.lines.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => Failure::Overrun { command: command.to_owned(), limit },
                RecvTimeoutError::Disconnected => Failure::Ended,
            })
        };
        let mut first = next()?;
        while first.is_empty() {
            first = next()?;
        }
        let (good, rest) = match (first.strip_prefix('='), first.strip_prefix('?')) {
            (Some(rest), _) => (true, rest.trim().to_owned()),
            (None, Some(rest)) => (false, rest.trim().to_owned()),
            (None, None) => return Err(Failure::Nonsense(first.chars().take(80).collect())),
        };
        let mut text = rest;
        loop {
            let line = next()?;
            if line.is_empty() {
                break;
            }
            text.push('\n');
            text.push_str(&line);
        }
        if good { Ok(text) } else { Err(Failure::Refused { command: command.to_owned(), why: text }) }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// The words of a command line.
fn split(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut any) = (Vec::new(), String::new(), None, false);
    for c in command.chars() {
        match (quote, c) {
            (None, '"' | '\'') => (quote, any) = (Some(c), true),
            (Some(open), c) if c == open => quote = None,
            (None, c) if c.is_whitespace() => {
                if any {
                    words.push(std::mem::take(&mut word));
                    any = false;
                }
            }
            (_, c) => {
                word.push(c);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    /// Quotes keep words together; an engine's answers come as texts; one that says no, talks nonsense, is silent or ends is found out.
    #[test]
    fn whatever_an_engine_does_is_told_apart() {
        assert_eq!(split(" a 'b c' \"d\"e '' "), ["a", "b c", "de", ""]);
        let script = |text: &str| Client::start(&format!("sh -c '{text}'")).unwrap();
        let mut engine = script(
            "read a; echo \"= one\"; echo two; echo; read b; echo \"? no\"; echo; read c; echo what; sleep 60",
        );
        assert_eq!(engine.ask("name", LIMIT).unwrap(), "one\ntwo");
        assert!(matches!(engine.ask("x", LIMIT), Err(Failure::Refused { why, .. }) if why == "no"));
        assert!(matches!(engine.ask("y", LIMIT), Err(Failure::Nonsense(text)) if text == "what"));
        assert!(matches!(engine.ask("z", Duration::from_millis(50)), Err(Failure::Overrun { .. })));
        assert!(matches!(script("exit 0").ask("name", LIMIT), Err(Failure::Ended)));
        assert!(matches!(Client::start("/there/is/no/such/engine"), Err(Failure::Start { .. })));
        assert!(matches!(Client::start("  "), Err(Failure::Start { .. })));
    }
}
