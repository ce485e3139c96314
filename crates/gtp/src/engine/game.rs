//! The board and how it came about.

use std::fmt::Write as _;

use goban::sgf::{Collection, Record, Step};
use goban::{Color, Move, Point, Position, Size, handicap_points};

use super::{Engine, word};
use crate::command::{Reply, color, vertex};

impl Engine {
    pub(super) fn boardsize(&mut self, arguments: &[String]) -> Reply {
        let side: u32 = word(arguments, 0)?.parse().map_err(|_| "boardsize not an integer")?;
        let size = u8::try_from(side).ok().and_then(|side| Size::square(side).ok());
        self.clear(size.ok_or("unacceptable size")?);
        Ok(String::new())
    }

    pub(super) fn clear_board(&mut self, _: &[String]) -> Reply {
        self.clear(self.position().size());
        Ok(String::new())
    }

    fn clear(&mut self, size: Size) {
        self.positions = vec![Position::new(size, self.options.rules.rules())];
        self.handicap = 0;
    }

    pub(super) fn set_komi(&mut self, arguments: &[String]) -> Reply {
        self.komi = word(arguments, 0)?.parse().map_err(|error: goban::KomiError| error.to_string())?;
        Ok(String::new())
    }

    pub(super) fn play(&mut self, arguments: &[String]) -> Reply {
        let color = color(word(arguments, 0)?).ok_or("invalid color")?;
        let chosen = vertex(word(arguments, 1)?, self.position().size()).ok_or("invalid vertex")?;
        self.put(color, chosen).map_err(|_| "illegal move".to_owned())?;
        Ok(String::new())
    }

    /// A move of whichever player, legal or not.
    pub(super) fn put(&mut self, color: Color, chosen: Move) -> Result<(), goban::Illegal> {
        let mut next = self.position().clone();
        next.play_as(color, chosen)?;
        self.positions.push(next);
        Ok(())
    }

    pub(super) fn undo(&mut self, _: &[String]) -> Reply {
        if self.positions.len() < 2 {
            return Err("cannot undo".to_owned());
        }
        self.positions.pop();
        Ok(String::new())
    }

    pub(super) fn fixed_handicap(&mut self, arguments: &[String]) -> Reply {
        let points = handicap_points(self.position().size(), stones(arguments)?);
        self.set_up(&points.ok_or("invalid number of stones")?)
    }

    /// The points of a fixed handicap are good ones; on other boards, or for more stones, the player chooses.
    pub(super) fn place_free_handicap(&mut self, arguments: &[String]) -> Reply {
        let count = stones(arguments)?;
        self.must_be_empty()?;
        if let Some(points) = handicap_points(self.position().size(), count) {
            return self.set_up(&points);
        }
        if count < 2 || usize::from(count) >= self.position().size().area() {
            return Err("invalid number of stones".to_owned());
        }
        let mut points = Vec::new();
        for _ in 0..count {
            let Some(point) = self.best_stone(Color::Black) else { break };
            self.put(Color::Black, Move::Play(point)).map_err(|_| "illegal move".to_owned())?;
            points.push(point);
        }
        self.clear(self.position().size());
        self.set_up(&points)
    }

    pub(super) fn set_free_handicap(&mut self, arguments: &[String]) -> Reply {
        let size = self.position().size();
        let point = |text: &String| vertex(text, size).and_then(Move::point).ok_or("invalid vertex");
        let points = arguments.iter().map(point).collect::<Result<Vec<Point>, _>>()?;
        if points.len() < 2 || points.len() >= size.area() {
            return Err("bad vertex list".to_owned());
        }
        self.set_up(&points).map(|_| String::new())
    }

    fn must_be_empty(&self) -> Result<(), String> {
        let position = self.position();
        let empty = position.board().empties() as usize == position.size().area();
        if empty { Ok(()) } else { Err("board not empty".to_owned()) }
    }

    fn set_up(&mut self, points: &[Point]) -> Reply {
        self.must_be_empty()?;
        let (size, rules) = (self.position().size(), self.options.rules.rules());
        let start = Position::setup(size, rules, points, &[], Color::White)
            .map_err(|_| "bad vertex list".to_owned())?;
        self.handicap = u8::try_from(points.len()).unwrap_or(u8::MAX);
        self.positions = vec![start];
        Ok(points.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    pub(super) fn showboard(&mut self, _: &[String]) -> Reply {
        let position = self.position();
        let columns: Vec<String> = (0..position.size().columns())
            .map(|column| Point::new(column, 0).to_string().chars().take(1).collect())
            .collect();
        let columns = columns.join(" ");
        let mut text = format!("\n   {columns}\n");
        let rows = position.board().to_rows();
        for (row, number) in rows.iter().zip((1..=rows.len()).rev()) {
            let row: Vec<String> = row.chars().map(String::from).collect();
            _ = writeln!(text, "{number:>2} {} {number}", row.join(" "));
        }
        _ = write!(
            text,
            "   {columns}\n{} to move, captures {} (Black) and {} (White), komi {}",
            position.turn(),
            position.captures(Color::Black),
            position.captures(Color::White),
            self.komi
        );
        Ok(text)
    }

    /// `loadsgf FILE [MOVE]`: the position before that move, or at the end.
    pub(super) fn loadsgf(&mut self, arguments: &[String]) -> Reply {
        let (last, file) = match arguments {
            [file] => (None, file.clone()),
            [file @ .., number] if number.parse::<usize>().is_ok() => {
                (number.parse::<usize>().ok(), file.join(" "))
            }
            [] => return Err("syntax error: an argument is missing".to_owned()),
            words => (None, words.join(" ")),
        };
        let bytes = std::fs::read(file).map_err(|_| "cannot load file".to_owned())?;
        let collection = Collection::parse(&bytes).map_err(|error| format!("cannot load file: {error}"))?;
        let root = collection.games().next().ok_or("cannot load file: it has no game")?;
        let record = Record::read(root).map_err(|error| format!("cannot load file: {error}"))?;
        self.load(&record, last.map(|number| number.saturating_sub(1)))
    }

    /// Plays a record's moves, or so many of them.
    fn load(&mut self, record: &Record, moves: Option<usize>) -> Reply {
        let wrong = |why: String| format!("cannot load file: {why}");
        let rules = self.options.rules.rules();
        let start = &record.start;
        let first = Position::setup(record.size, rules, &start.black, &start.white, record.to_move)
            .map_err(|error| wrong(error.to_string()))?;
        let mut positions = vec![first];
        for step in record.steps.iter().take(moves.unwrap_or(usize::MAX)) {
            let Step::Play { color, chosen, .. } = step else {
                return Err(wrong("stones are set up in the middle of the game".to_owned()));
            };
            let mut next = positions[positions.len() - 1].clone();
            next.play_as(*color, *chosen).map_err(|error| wrong(format!("{chosen}: {error}")))?;
            positions.push(next);
        }
        self.positions = positions;
        self.handicap = record.handicap;
        self.komi = record.komi.unwrap_or(self.komi);
        Ok(crate::name_of(self.position().turn()).to_owned())
    }
}

fn stones(arguments: &[String]) -> Result<u8, String> {
    word(arguments, 0)?.parse().map_err(|_| "invalid number of stones".to_owned())
}
