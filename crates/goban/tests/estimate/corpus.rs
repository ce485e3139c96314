//! Boards with known dead stones, in the format of `nigiri judge`, when they lie beside the workspace.

use std::path::{Path, PathBuf};

use goban::{Board, Color, Komi, Move, Point, Position, Preset, Size};
use serde_json::Value;

/// A board and what players said about it.
pub struct Case {
    pub id: String,
    pub komi: Komi,
    pub handicap: u8,
    pub position: Position,
    pub dead: Vec<Point>,
    /// Stones on which opinions differ.
    pub ignore: Vec<Point>,
    /// As `B+2.5`, where it was recorded.
    pub result: Option<String>,
}

/// The cases of a file of the shared folder; none when it is not there.
pub fn cases(file: &str) -> Vec<Case> {
    read(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora").join(file))
}

/// Where games of another engine against itself are kept, once they have been played.
pub fn rival_games() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gnugo")
}

/// The cases of a file; none, with a word about it, when it is not there.
pub fn read(file: &Path) -> Vec<Case> {
    let Ok(text) = std::fs::read_to_string(file) else {
        println!("skipped: there is no {}", file.display());
        return Vec::new();
    };
    text.lines().map(|line| case(&serde_json::from_str(line).unwrap())).collect()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

fn case(value: &Value) -> Case {
    let (input, expect) = (value["input"].clone(), &value["expect"]);
    let position = position(&input);
    let size = position.size();
    let points = |v: &Value| strings(v).into_iter().map(|p| size.parse_point(p).unwrap()).collect();
    Case {
        id: input["id"].as_str().unwrap_or_default().to_owned(),
        dead: points(&expect["dead"]),
        ignore: points(&expect["ignore"]),
        result: expect["result"].as_str().map(str::to_owned),
        komi: input["komi"].as_f64().map_or(Komi::ZERO, |komi| komi.to_string().parse().unwrap()),
        handicap: input["handicap"].as_u64().unwrap_or(0) as u8,
        position,
    }
}

fn position(input: &Value) -> Position {
    let size = Size::square(input["size"].as_u64().unwrap() as u8).unwrap();
    let rules = input["preset"].as_str().unwrap_or("tromp-taylor").parse::<Preset>().unwrap().rules();
    let setup = |key| -> Vec<Point> {
        strings(&input[key]).into_iter().map(|p| size.parse_point(p).unwrap()).collect()
    };
    let rows = strings(&input["board"]).join("\n");
    let (mut black, mut white) = (setup("setup_black"), setup("setup_white"));
    if !rows.is_empty() {
        let board = Board::parse(&rows).unwrap();
        black.extend(board.stones(Color::Black));
        white.extend(board.stones(Color::White));
    }
    let mut position = Position::setup(size, rules, &black, &white, Color::Black).unwrap();
    for text in strings(&input["plays"]) {
        let (color, text) = text.split_once(' ').unwrap();
        let color = if color == "B" { Color::Black } else { Color::White };
        position.play_as(color, text.parse::<Move>().unwrap()).unwrap();
    }
    position
}

/// The board with lower-case letters for `dead` stones.
pub fn drawing(board: &Board, dead: &[Point]) -> Vec<String> {
    let size = board.size();
    let row = |row: u8| {
        (0..size.columns())
            .map(|column| {
                let p = Point::new(column, row);
                match (board.stone(p), dead.contains(&p)) {
                    (Some(Color::Black), false) => "X ",
                    (Some(Color::Black), true) => "x ",
                    (Some(Color::White), false) => "O ",
                    (Some(Color::White), true) => "o ",
                    (None, _) => ". ",
                }
            })
            .collect::<String>()
    };
    (0..size.rows()).rev().map(|r| format!("{:2} {}", r + 1, row(r))).collect()
}
