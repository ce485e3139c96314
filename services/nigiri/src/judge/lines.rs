//! JSON Lines: every line is answered, in order, by several threads.

use std::{
    io::{self, BufRead, Read as _, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, TryRecvError, sync_channel},
    },
    thread,
};

use serde_json::Value;

use super::{
    answer::{self, Board},
    refusal::Refusal,
};

/// The longest line that is read, in bytes: a game of a million moves.
const MAX_LINE: u64 = 16 << 20;
/// Lines that are read ahead of the one whose answer is written next.
const AHEAD: usize = 256;

/// A line, or nothing when it was too long; and where its answer is waited for.
type Job = (Option<Vec<u8>>, SyncSender<String>);

/// Answers each line of `input` with one of `output`, in the same order. What is written is flushed whenever there is nothing more to
/// write at once. Blank lines are skipped.
///
/// # Errors
/// When the input cannot be read or the output not written.
pub fn judge(input: impl BufRead + Send, mut output: impl Write, threads: usize) -> io::Result<()> {
    let (jobs, work) = sync_channel::<Job>(AHEAD);
    let (order, answers) = sync_channel(AHEAD);
    let work = Mutex::new(work);
    thread::scope(|scope| {
        let reading = scope.spawn(move || read(input, &jobs, &order));
        for _ in 0..threads {
            scope.spawn(|| answer_all(&work));
        }
        let written = write(&answers, &mut output);
        // A reader that waits for room learns that nobody wants more.
        drop(answers);
        let read = if written.is_ok() { reading.join().unwrap_or(Ok(())) } else { Ok(()) };
        written.and(read)
    })
}

/// Hands each line to the workers, and the place of its answer to the writer.
fn read(
    mut input: impl BufRead,
    jobs: &SyncSender<Job>,
    order: &SyncSender<Receiver<String>>,
) -> io::Result<()> {
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let mut line = Some(line);
        if line.as_ref().is_some_and(|line| line.len() as u64 == MAX_LINE && !line.ends_with(b"\n")) {
            line = None;
            input.skip_until(b'\n')?;
        }
        if line.as_ref().is_some_and(|line| line.trim_ascii().is_empty()) {
            continue;
        }
        let (answer, waiting) = sync_channel(1);
        if order.send(waiting).is_err() || jobs.send((line, answer)).is_err() {
            return Ok(());
        }
    }
}

fn answer_all(work: &Mutex<Receiver<Job>>) {
    loop {
        let job = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((line, answer)) = job else { return };
        // Nobody waits for an answer once the output is closed.
        _ = answer.send(line.map_or_else(too_long, |line| answered(&line)));
    }
}

/// An answer whatever happens: a fault of ours costs one line.
fn answered(line: &[u8]) -> String {
    catch_unwind(AssertUnwindSafe(|| answer::to_line(line))).unwrap_or_else(|_| {
        refused(Refusal::new("internal", "a fault of the judge: please report this line"))
    })
}

fn too_long() -> String {
    refused(Refusal::new("line_too_long", format!("the line has more than {MAX_LINE} bytes")))
}

fn refused(why: Refusal) -> String {
    answer::written::<Board>(&Value::Null, Err(&why))
}

fn write(answers: &Receiver<Receiver<String>>, output: &mut impl Write) -> io::Result<()> {
    loop {
        let waiting = match answers.try_recv() {
            Ok(waiting) => waiting,
            Err(TryRecvError::Disconnected) => return output.flush(),
            Err(TryRecvError::Empty) => {
                output.flush()?;
                match answers.recv() {
                    Ok(waiting) => waiting,
                    Err(_) => return Ok(()),
                }
            }
        };
        let answer = match waiting.try_recv() {
            Ok(answer) => answer,
            Err(_) => {
                // Whoever reads along sees what is ready while the next one is worked on.
                output.flush()?;
                waiting.recv().unwrap_or_else(|_| refused(Refusal::new("internal", "no answer")))
            }
        };
        output.write_all(answer.as_bytes())?;
        output.write_all(b"\n")?;
    }
}
