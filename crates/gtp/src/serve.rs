use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use crate::command::Command;
use crate::engine::Engine;

/// Answers the commands of a stream, to `quit` or the stream's end. The next command ends an analysis.
///
/// # Errors
/// When an answer cannot be written.
pub fn serve(
    engine: &mut Engine,
    input: impl BufRead + Send + 'static,
    mut out: impl Write,
) -> io::Result<()> {
    let (sender, receiver) = channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&waiting);
    // Reads ahead, so that an analysis knows of the next command. It ends with the stream, or with the process.
    thread::spawn(move || {
        for line in input.lines() {
            let Ok(line) = line else { break };
            counter.fetch_add(1, Ordering::SeqCst);
            if sender.send(line).is_err() {
                return;
            }
        }
        // The end of the stream is something to attend to as well.
        counter.fetch_add(1, Ordering::SeqCst);
    });
    while let Ok(line) = receiver.recv() {
        waiting.fetch_sub(1, Ordering::SeqCst);
        let Some(command) = Command::parse(&line) else { continue };
        engine.answer(&command, &mut out, &|| waiting.load(Ordering::SeqCst) > 0)?;
        if command.name == "quit" {
            break;
        }
    }
    Ok(())
}
