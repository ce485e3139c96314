//! A line of output.

use std::collections::BTreeMap;

use goban::{
    Color, Dead as Judged, Doubt as Doubtful, Komi, Point, Position, Score, draw_rows, judge, pass_alive,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    dead::Dead,
    position,
    refusal::{Refusal, word},
    request::Request,
};

/// The answer to one line, without its end.
pub fn to_line(line: &[u8]) -> String {
    let mut id = Value::Null;
    let answer = Request::read(line, &mut id)
        .and_then(|request| position::of(&request).map(|position| Board::of(&position, &request)));
    written(&id, answer.as_ref())
}

/// An answer as JSON.
pub fn written<T: Serialize>(id: &Value, answer: Result<&T, &Refusal>) -> String {
    let line = match answer {
        Ok(board) => serde_json::to_string(&Right { id, ok: true, board }),
        Err(why) => {
            let message = &why.message;
            serde_json::to_string(&Wrong { id, ok: false, at: why.at, error: why.error, message })
        }
    };
    // Nothing in an answer can fail to be written: all keys are text, all numbers finite.
    line.unwrap_or_else(|error| format!("{{\"ok\":false,\"error\":\"internal\",\"message\":\"{error}\"}}"))
}

#[derive(Serialize)]
struct Right<'a, T> {
    id: &'a Value,
    ok: bool,
    #[serde(flatten)]
    board: &'a T,
}

#[derive(Serialize)]
struct Wrong<'a> {
    id: &'a Value,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    error: &'a str,
    message: &'a str,
}

/// A position and its verdict.
#[derive(Serialize)]
pub struct Board {
    board: Vec<String>,
    captures: Pair<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    illegal: Option<BTreeMap<String, &'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alive: Option<Vec<String>>,
    dead: Vec<String>,
    owner: Vec<String>,
    score: Pair<Points>,
    result: String,
    parts: Pair<Parts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<Doubt>,
}

/// What a score is made of. Parts that the rules do not count are 0.
#[derive(Serialize)]
struct Parts {
    stones: u32,
    territory: u32,
    prisoners: u32,
    komi: Points,
    handicap: u32,
    /// Taken off.
    tax: u32,
}

impl Parts {
    fn of(score: &Score) -> Self {
        let &Score { stones, territory, prisoners, komi, handicap, tax } = score;
        Self { stones, territory, prisoners, komi: Points::new(komi.half_points().into()), handicap, tax }
    }
}

/// How far an estimate is to be trusted.
#[derive(Serialize)]
struct Doubt {
    /// How sure the least sure chain is, from 0 to 1.
    sure: f64,
    /// Stones whose fate the next move may decide.
    unsettled: Vec<String>,
    /// Empty points of open borders.
    open: Vec<String>,
}

impl Doubt {
    fn of(doubt: Doubtful) -> Self {
        let Doubtful { unsettled, open, sure } = doubt;
        Self { sure: f64::from(sure) / 1000.0, unsettled: names(unsettled), open: names(open) }
    }
}

#[derive(Serialize)]
struct Pair<T> {
    black: T,
    white: T,
}

/// Whole points are written without a fraction.
#[derive(Serialize)]
#[serde(untagged)]
enum Points {
    Whole(i32),
    Half(f64),
}

impl Points {
    fn new(half_points: i32) -> Self {
        match half_points {
            halves if halves % 2 == 0 => Self::Whole(halves / 2),
            halves => Self::Half(f64::from(halves) / 2.0),
        }
    }
}

impl Board {
    /// Answers a request about a position.
    fn of(position: &Position, request: &Request) -> Self {
        let mut board = Self::judged(position, request.komi, request.handicap, &request.dead);
        if request.legal {
            board.legal = Some(names(position.legal_points()));
            let illegal = position.illegal_points().into_iter();
            board.illegal = Some(illegal.map(|(point, why)| (point.to_string(), word(why))).collect());
        }
        if request.alive {
            let found = pass_alive(position.board(), position.rules().multi_stone_suicide);
            board.alive = Some(draw_rows(position.size(), &found.owner));
        }
        board
    }

    /// The stones and the verdict.
    pub fn judged(position: &Position, komi: Komi, handicap: u8, dead: &Dead) -> Self {
        let verdict = judge(position, komi, handicap, stones(dead));
        Self {
            board: position.board().to_rows(),
            captures: Pair { black: position.captures(Color::Black), white: position.captures(Color::White) },
            legal: None,
            illegal: None,
            alive: None,
            dead: names(verdict.dead),
            owner: draw_rows(position.size(), &verdict.owner),
            score: Pair {
                black: Points::new(verdict.black.half_points()),
                white: Points::new(verdict.white.half_points()),
            },
            result: verdict.result.to_string(),
            parts: Pair { black: Parts::of(&verdict.black), white: Parts::of(&verdict.white) },
            doubt: verdict.doubt.map(Doubt::of),
        }
    }
}

/// What the judge is told about dead stones.
fn stones(dead: &Dead) -> Judged<'_> {
    match dead {
        Dead::None => Judged::None,
        Dead::Clear => Judged::Clear,
        Dead::Given(points) => Judged::Given(points),
        Dead::Estimate => Judged::Estimate,
    }
}

fn names(points: impl IntoIterator<Item = Point>) -> Vec<String> {
    points.into_iter().map(|point| point.to_string()).collect()
}
