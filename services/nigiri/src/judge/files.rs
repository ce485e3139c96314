//! SGF files: each game of each file is judged at the end of its main line.

use std::{
    fs::File,
    io::{self, Read as _, Write},
    path::Path,
};

use goban::{
    Komi, Preset,
    sgf::{self, Collection, MAX_BYTES, Record, Unplayable},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    Args, answer,
    answer::Board,
    refusal::{Refusal, word},
};

/// A verdict, with what the file says.
#[derive(Serialize)]
struct Judged {
    #[serde(flatten)]
    board: Board,
    /// The rules that the game was judged by.
    rules: String,
    komi: f64,
    /// The result in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<String>,
}

/// Answers each game of each file with a line, whose id is the path and the number of the game in it, from 1. Returns whether all of them
/// could be judged.
///
/// # Errors
/// When the output cannot be written.
pub fn judge(args: &Args, output: &mut impl Write) -> io::Result<bool> {
    let mut all_right = true;
    for path in &args.files {
        let name = path.display();
        let mut answer = |id: String, judged: Result<Judged, Refusal>| {
            all_right &= judged.is_ok();
            writeln!(output, "{}", answer::written(&Value::String(id), judged.as_ref()))
        };
        match read(path) {
            Ok(collection) => {
                for (number, root) in collection.games().enumerate() {
                    let judged = Record::read(root).map_err(broken).and_then(|record| verdict(&record, args));
                    answer(format!("{name}#{}", number + 1), judged)?;
                }
            }
            Err(why) => answer(name.to_string(), Err(why))?,
        }
    }
    Ok(all_right)
}

fn broken(why: sgf::Error) -> Refusal {
    Refusal::new("bad_sgf", why.to_string())
}

fn read(path: &Path) -> Result<Collection, Refusal> {
    let mut bytes = Vec::new();
    // One more than is read, so that a larger file is refused as such, whatever it is.
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| Refusal::new("unreadable", error.to_string()))?;
    Collection::parse(&bytes).map_err(broken)
}

fn verdict(record: &Record, args: &Args) -> Result<Judged, Refusal> {
    let named = sgf::preset_from_name(&record.rules);
    let known = record.known_rules();
    let rules = known.unwrap_or_else(|| args.preset.rules());
    let position = record.play(rules).map_err(unplayable)?;
    // A file that is silent about komi was not played with one that we make up, unless it names rules that have one.
    let komi = record.komi.or_else(|| named.map(Preset::komi)).unwrap_or(Komi::ZERO);
    let board = Board::judged(&position, komi, record.handicap, &args.dead);
    let rules = match (named, known) {
        (Some(preset), _) => preset.name().to_owned(),
        (None, Some(rules)) => sgf::rules_to_name(rules),
        (None, None) => args.preset.name().to_owned(),
    };
    let recorded = record.result.map(|result| result.to_string());
    Ok(Judged { board, rules, komi: f64::from(komi.half_points()) / 2.0, recorded })
}

fn unplayable(why: Unplayable) -> Refusal {
    match why {
        Unplayable::Start(why) => why.into(),
        Unplayable::Setup { index, why } => Refusal::from(why).at(index),
        Unplayable::Illegal { index, point, why } => {
            Refusal::new(word(why), format!("{point}: {why}")).at(index)
        }
    }
}
