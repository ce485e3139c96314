//! Analysis as graphical boards expect it: a line of candidates again and again, until the next command.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use search::{Analysis, Budget, Candidate, analyse_until};

use super::Engine;
use crate::command::{Command, color, render};

/// How often it is asked whether somebody wants something else.
const ASK_EVERY: Duration = Duration::from_millis(50);
/// What a line comes after, unless another time is asked for.
const EVERY: Duration = Duration::from_millis(500);
/// Moves of a line.
const MOST: usize = 20;

/// What is asked for: `[COLOR] [INTERVAL] [KEY VALUE]..`, with the interval in hundredths of a second.
struct Wanted {
    color: Option<goban::Color>,
    every: Duration,
    ownership: bool,
    most: usize,
}

impl Wanted {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut wanted = Self { color: None, every: EVERY, ownership: false, most: MOST };
        let mut words = arguments.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let hundredths = if word == "interval" { words.next().unwrap_or_default() } else { word };
            if let Ok(hundredths) = hundredths.parse::<u32>() {
                wanted.every = Duration::from_millis(u64::from(hundredths) * 10).max(ASK_EVERY);
            } else if let Some(color) = color(word) {
                wanted.color = Some(color);
            } else {
                let value = words.next().ok_or("syntax error: a value is missing")?;
                match word {
                    "ownership" => wanted.ownership = value == "true",
                    "maxmoves" => wanted.most = value.parse().map_err(|_| "syntax error: maxmoves")?,
                    // Others have more to say; what we do not know we leave out.
                    _ => {}
                }
            }
        }
        Ok(wanted)
    }
}

impl Engine {
    pub(super) fn analyze(
        &mut self,
        command: &Command,
        out: &mut dyn Write,
        interrupted: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let wanted = match Wanted::read(&command.arguments) {
            Ok(wanted) => wanted,
            Err(why) => return out.write_all(render(command.id, &Err(why)).as_bytes()),
        };
        let id = command.id.map(|id| id.to_string()).unwrap_or_default();
        writeln!(out, "={id}")?;
        out.flush()?;
        let position = self.position_for(wanted.color.unwrap_or_else(|| self.position().turn()));
        let budget = Budget::playouts(self.options.playouts.unwrap_or(u32::MAX));
        let kata = command.name == "kata-analyze";
        let (mut next, mut written) = (Instant::now() + wanted.every, Ok(()));
        let (terms, seed) = (self.terms(), self.options.seed);
        analyse_until(&position, &terms, &budget, seed, ASK_EVERY, |analysis| {
            let stop = interrupted();
            if stop || Instant::now() >= next || analysis.playouts == budget.playouts {
                next = Instant::now() + wanted.every;
                written = writeln!(out, "{}", line(&analysis, &wanted, kata)).and_then(|()| out.flush());
            }
            !stop && written.is_ok()
        });
        written?;
        // A search that has come to its end waits for the next command like any other.
        while !interrupted() {
            std::thread::sleep(ASK_EVERY);
        }
        writeln!(out)?;
        out.flush()
    }
}

fn line(analysis: &Analysis, wanted: &Wanted, kata: bool) -> String {
    let tried = analysis.moves.iter().filter(|candidate| candidate.visits > 0).take(wanted.most);
    let infos = tried.enumerate().map(|(order, candidate)| info(candidate, order, analysis, kata));
    let mut text = infos.collect::<Vec<_>>().join(" ");
    if kata && wanted.ownership {
        text += " ownership";
        // The top row comes first.
        let columns = (analysis.ownership.len() as f64).sqrt() as usize;
        for owner in analysis.ownership.chunks(columns.max(1)).rev().flatten() {
            _ = write!(text, " {owner:.3}");
        }
    }
    text
}

fn info(candidate: &Candidate, order: usize, analysis: &Analysis, kata: bool) -> String {
    let Candidate { chosen, visits, value, prior, line } = candidate;
    // A bound from below of the share of wins, by the normal approximation.
    let spread = (value * (1.0 - value) / (*visits).max(1) as f32).sqrt();
    let bound = (value - 1.96 * spread).max(0.0);
    let line: Vec<String> = line.iter().map(ToString::to_string).collect();
    let line = line.join(" ");
    if kata {
        let lead = analysis.lead;
        format!(
            "info move {chosen} visits {visits} winrate {value:.4} scoreMean {lead:.2} scoreLead {lead:.2} prior {prior:.4} lcb {bound:.4} \
             order {order} pv {line}"
        )
    } else {
        let parts = |share: f32| (share * 10_000.0).round();
        format!(
            "info move {chosen} visits {visits} winrate {} prior {} lcb {} order {order} pv {line}",
            parts(*value),
            parts(*prior),
            parts(bound)
        )
    }
}
