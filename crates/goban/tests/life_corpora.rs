//! Clearly dead on boards whose dead stones are known, when these lie beside the workspace: never a stone too many.

#![expect(clippy::unwrap_used, reason = "a case that cannot be read fails its test")]

use std::path::PathBuf;

use goban::{Board, Color, Life, Move, Point, Position, Preset, Size, life};
use serde_json::Value;

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

/// A board, and its dead stones as people see them.
struct Case {
    id: String,
    board: Board,
    dead: Vec<Point>,
    /// Stones on which opinions differ.
    ignore: Vec<Point>,
}

fn board(input: &Value) -> Board {
    let rows = strings(&input["board"]);
    let start = if rows.is_empty() {
        let side = |i: usize| input["size"].get(i).unwrap_or_else(|| &input["size"]).as_u64().unwrap() as u8;
        Board::new(Size::new(side(0), side(1)).unwrap())
    } else {
        Board::parse(&rows.join("\n")).unwrap()
    };
    let size = start.size();
    let mut stones = Color::BOTH.map(|c| start.stones(c).collect::<Vec<_>>());
    for (list, key) in stones.iter_mut().zip(["setup_black", "setup_white"]) {
        list.extend(strings(&input[key]).into_iter().map(|p| size.parse_point(p).unwrap()));
    }
    let rules = Preset::Japanese.rules();
    let mut position = Position::setup(size, rules, &stones[0], &stones[1], Color::Black).unwrap();
    for play in strings(&input["plays"]) {
        let (color, text) = play.split_once(' ').unwrap();
        let color = if color == "B" { Color::Black } else { Color::White };
        let next = if text == "pass" { Move::Pass } else { Move::Play(text.parse().unwrap()) };
        position.play_as(color, next).unwrap();
    }
    position.board().clone()
}

/// The cases of a file; none, with a word about it, when the folder is not there.
fn cases(file: &str) -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return Vec::new();
    }
    let case = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let (input, expect) = (&value["input"], &value["expect"]);
        let known = if expect["dead"].is_null() { &input["dead"] } else { &expect["dead"] };
        let points = |list: &Value| strings(list).into_iter().map(|p| p.parse().unwrap()).collect();
        let id = input["id"].as_str().unwrap_or_default().to_owned();
        Case { id, board: board(input), dead: points(known), ignore: points(&expect["ignore"]) }
    };
    std::fs::read_to_string(folder.join(file)).unwrap().lines().map(case).collect()
}

fn too_many(case: &Case, found: &Life) -> Option<String> {
    let wrong = |p: &&Point| !case.dead.contains(p) && !case.ignore.contains(p);
    let removed: Vec<String> = found.dead.iter().filter(wrong).map(ToString::to_string).collect();
    let kept = |p: &&Point| case.dead.contains(p);
    let alive: Vec<String> = found.alive.iter().filter(kept).map(ToString::to_string).collect();
    (!removed.is_empty() || !alive.is_empty())
        .then(|| format!("{}: removed {removed:?}, alive {alive:?}\n{}", case.id, case.board))
}

/// No stone that people call alive, or in seki, is removed; and what is proved alive is not called dead by them. The counts are printed.
#[test]
fn clearly_dead_agrees_with_people() {
    let mut wrong = Vec::new();
    for file in ["estimate-finished.jsonl", "estimate-unfinished.jsonl", "estimate-trouble.jsonl"] {
        let (mut removed, mut known, mut alive, mut stones) = (0, 0, 0, 0);

        for case in cases(file) {
            let found = life(&case.board, false);

            wrong.extend(too_many(&case, &found));
            removed += case.dead.iter().filter(|p| found.dead.contains(p)).count();
            known += case.dead.len();
            alive += found.alive.len();
            stones += Color::BOTH.iter().map(|&c| case.board.stones(c).count()).sum::<usize>();
        }
        println!("{file}: {removed} of {known} dead stones removed; {alive} of {stones} stones proved alive");
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
