//! Writing a game.

use std::fmt::{self, Write as _};

use super::{
    Record, Setup, Step, TimeLeft, text,
    value::{write_point, write_seconds},
};
use crate::{Color, Move, Point, Size};

/// A game as a file of FF[4]. Reading it gives the same record, as long as its texts have no white space but spaces and, in comments,
/// `\n`, its times no fraction of a millisecond, and a handicap its stones or a first move of Black.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(;GM[1]FF[4]CA[UTF-8]AP[Nigiri:{}]", env!("CARGO_PKG_VERSION"))?;
        let (columns, rows) = (self.size.columns(), self.size.rows());
        if columns == rows { write!(f, "SZ[{columns}]") } else { write!(f, "SZ[{columns}:{rows}]") }?;
        let [black, white] = &self.players;
        for (property, text) in [
            ("GN", &self.name),
            ("EV", &self.event),
            ("DT", &self.date),
            ("PB", &black.name),
            ("BR", &black.rank),
            ("PW", &white.name),
            ("WR", &white.rank),
            ("RU", &self.rules),
            ("OT", &self.overtime),
            ("C", &self.comment),
        ] {
            write_text(f, property, text)?;
        }
        self.komi.map_or(Ok(()), |komi| write!(f, "KM[{komi}]"))?;
        if self.handicap > 0 {
            write!(f, "HA[{}]", self.handicap)?;
        }
        self.main_time.map_or(Ok(()), |time| write!(f, "TM[{}]", write_seconds(time)))?;
        self.result.map_or(Ok(()), |result| write!(f, "RE[{result}]"))?;
        let said = (self.to_move != self.usual_to_move()).then_some(self.to_move);
        write_setup(f, self.size, &self.start, said)?;
        for (number, step) in self.steps.iter().enumerate() {
            // Lines of a bearable length.
            f.write_str(if number % 10 == 0 { "\n;" } else { ";" })?;
            self.write_step(f, step)?;
        }
        f.write_str(")\n")
    }
}

impl Record {
    fn write_step(&self, f: &mut fmt::Formatter<'_>, step: &Step) -> fmt::Result {
        let (color, chosen, left, comment) = match step {
            Step::Play { color, chosen, left, comment } => (*color, *chosen, left, comment),
            Step::Setup(setup) => return write_setup(f, self.size, setup, setup.to_move),
        };
        match chosen {
            Move::Play(point) => write!(f, "{}[{}]", color.letter(), write_point(self.size, point)),
            Move::Pass => write!(f, "{}[]", color.letter()),
        }?;
        for (color, left) in Color::BOTH.into_iter().zip(left) {
            let Some(TimeLeft { time, overtime }) = left else { continue };
            write!(f, "{}L[{}]", color.letter(), write_seconds(*time))?;
            overtime.map_or(Ok(()), |number| write!(f, "O{}[{number}]", color.letter()))?;
        }
        write_text(f, "C", comment)
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, property: &str, text: &str) -> fmt::Result {
    if text.is_empty() { Ok(()) } else { write!(f, "{property}[{}]", text::escape(text)) }
}

fn write_setup(f: &mut fmt::Formatter<'_>, size: Size, setup: &Setup, to_move: Option<Color>) -> fmt::Result {
    for (property, points) in [("AB", &setup.black), ("AW", &setup.white), ("AE", &setup.empty)] {
        write_points(f, property, size, points)?;
    }
    to_move.map_or(Ok(()), |color| write!(f, "PL[{}]", color.letter()))
}

fn write_points(f: &mut fmt::Formatter<'_>, property: &str, size: Size, points: &[Point]) -> fmt::Result {
    if !points.is_empty() {
        f.write_str(property)?;
    }
    points.iter().try_for_each(|&point| {
        f.write_char('[')?;
        f.write_str(&write_point(size, point))?;
        f.write_char(']')
    })
}
