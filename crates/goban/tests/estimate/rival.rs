//! Games of GNU Go against itself, and what it calls dead at their ends. Run by hand: `make rival`.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use goban::{Board, Color, Rng, Size};
use serde_json::{Value, json};

use crate::{corpus, measure};

/// Boards and how many games there are on each.
const GAMES: [(u8, u64); 3] = [(9, 120), (13, 60), (19, 20)];
/// What share of them, in hundredths, must be exactly as GNU Go says: it errs too, more on larger boards.
const ALIKE: [usize; 3] = [95, 90, 85];

/// The engine, asked by the Go Text Protocol.
struct Engine {
    child: Child,
    asks: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start(seed: u64) -> std::io::Result<Self> {
        let mut child = Command::new("gnugo")
            .args(["--mode", "gtp", "--quiet", "--never-resign", "--seed", &(seed + 1).to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let asks = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        Ok(Self { child, asks, answers })
    }

    /// The answer without its mark; it ends with an empty line.
    fn ask(&mut self, question: &str) -> String {
        writeln!(self.asks, "{question}").unwrap();
        let lines = self.answers.by_ref().map(Result::unwrap).take_while(|line| !line.is_empty());
        let answer = lines.collect::<Vec<_>>().join(" ");
        answer.strip_prefix('=').unwrap_or_else(|| panic!("{question}: {answer}")).trim().to_owned()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A game to two passes, after some moves by chance that make it unlike others; in the form of the cases with known answers.
fn play(side: u8, seed: u64) -> std::io::Result<Value> {
    let mut engine = Engine::start(seed)?;
    let mut rng = Rng::new(seed);
    engine.ask(&format!("boardsize {side}"));
    engine.ask("clear_board");
    // A strong side and a weak one leave more behind than two that are alike.
    let levels = [1 + rng.below(6), 1 + rng.below(6)];
    let mut board = Board::new(Size::square(side).unwrap());
    let mut plays = Vec::new();
    let (mut passes, mut color) = (0, Color::Black);
    while passes < 2 && plays.len() < 3 * board.size().area() {
        let by_chance = plays.len() < usize::from(side) / 2;
        let name = color.letter();
        let chosen = if by_chance {
            let point = board.random_move(color, &mut rng).unwrap().to_string();
            engine.ask(&format!("play {name} {point}"));
            point
        } else {
            engine.ask(&format!("level {}", levels[color.index()]));
            engine.ask(&format!("genmove {name}"))
        };
        passes = if chosen.eq_ignore_ascii_case("pass") { passes + 1 } else { 0 };
        if let Ok(point) = chosen.parse() {
            board.play_unchecked(color, point);
        }
        plays.push(format!("{name} {}", chosen.replace("PASS", "pass")));
        color = color.opposite();
    }
    engine.ask("level 10");
    let dead = engine.ask("final_status_list dead");
    let dead: Vec<&str> = dead.split_whitespace().collect();
    let id = format!("gnugo-{side}-{seed}");
    Ok(json!({
        "input": {"id": id, "size": side, "preset": "japanese", "komi": 6.5, "plays": plays},
        "expect": {"dead": dead},
    }))
}

/// The games of one size: each is played once, and kept beside what was built.
fn games(folder: &Path, side: u8, count: u64) -> PathBuf {
    let file = folder.join(format!("{side}.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for seed in lines.len() as u64..count {
        lines.push(play(side, seed).expect("gnugo is installed").to_string());
        std::fs::write(&file, lines.join("\n")).unwrap();
    }
    file
}

/// On most finished games of GNU Go against itself, on boards that nobody here has seen, the dead stones are those that it names itself.
/// The boards on which they are not are shown: either may be wrong.
#[test]
#[ignore = "plays games for an hour"]
fn finished_games_of_another_engine_are_as_it_says() {
    let folder = corpus::rival_games();
    std::fs::create_dir_all(&folder).unwrap();
    for ((side, count), alike) in GAMES.into_iter().zip(ALIKE) {
        let report = measure(corpus::read(&games(&folder, side, count)));
        println!("{side}x{side}: {} of {}", report.right, report.all);
        assert!(report.right * 100 >= report.all * alike, "{} of {}", report.right, report.all);
    }
}
