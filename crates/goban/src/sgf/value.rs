//! Values of the properties that a game is made of.

use std::time::Duration;

use super::{Error, Property, Reason, text};
use crate::handicap::handicap_points;
use crate::point::shorten;
use crate::{Color, Komi, Move, Point, Size};

/// An error about a value that is not what its property needs.
fn wrong(property: Property<'_>, at: usize, text: &str, expected: &'static str) -> Error {
    let reason = Reason::Value { property: property.name(), text: shorten(text), expected };
    property.error(at, reason)
}

/// The first value, cut to what is written in it; `None` when it is blank.
fn first(property: Property<'_>) -> Option<(usize, &str)> {
    property.placed().next().map(|(at, raw)| (at, raw.trim())).filter(|(_, raw)| !raw.is_empty())
}

/// `SZ`: a number, or columns and rows.
pub(super) fn size(property: Property<'_>) -> Result<Size, Error> {
    let Some((at, raw)) = first(property) else { return Ok(Size::NINETEEN) };
    let (columns, rows) = raw.split_once(':').unwrap_or((raw, raw));
    let side = |text: &str| text.trim().parse::<u8>().ok();
    let (Some(columns), Some(rows)) = (side(columns), side(rows)) else {
        return Err(property.error(at, Reason::Size(shorten(raw))));
    };
    Size::new(columns, rows).map_err(|why| property.error(at, why.into()))
}

/// A column or a row from 0: `a` to `z`, then `A` to `Z`.
const fn line(letter: u8) -> Option<u8> {
    match letter {
        b'a'..=b'z' => Some(letter - b'a'),
        b'A'..=b'Z' => Some(letter - b'A' + 26),
        _ => None,
    }
}

/// The letter of a column or a row, from 0 to 51.
pub(super) const fn letter(line: u8) -> char {
    if line < 26 { (b'a' + line) as char } else { (b'A' + (line - 26)) as char }
}

/// A point as two letters; rows are lettered from the top.
pub(super) fn write_point(size: Size, point: Point) -> String {
    let from_top = (size.rows() - 1).saturating_sub(point.row());
    String::from_iter([letter(point.column()), letter(from_top)])
}

fn point(property: Property<'_>, at: usize, raw: &str, size: Size) -> Result<Point, Error> {
    let [column, row] = match raw.as_bytes() {
        &[column, row] => [line(column), line(row)],
        _ => [None; 2],
    };
    let (Some(column), Some(row)) = (column, row) else {
        return Err(property.error(at, Reason::Point(shorten(raw))));
    };
    if column >= size.columns() || row >= size.rows() {
        return Err(property.error(at, Reason::OffBoard { text: shorten(raw), size }));
    }
    Ok(Point::new(column, size.rows() - 1 - row))
}

/// `B` and `W`: the moves of the values, usually one. A blank one is a pass, and so is `tt` where no line has that letter.
pub(super) fn moves(property: Property<'_>, size: Size) -> impl Iterator<Item = Result<Move, Error>> {
    property.placed().map(move |(at, raw)| match raw.trim() {
        "" => Ok(Move::Pass),
        "tt" if size.columns() <= 19 && size.rows() <= 19 => Ok(Move::Pass),
        raw => point(property, at, raw, size).map(Move::Play),
    })
}

/// `AB`, `AW`, `AE`: points, and rectangles of points from corner to corner.
pub(super) fn points(property: Property<'_>, size: Size) -> Result<Vec<Point>, Error> {
    let mut points = Vec::new();
    // A file of rectangles could name a board's points millions of times.
    let mut seen = vec![false; size.area()];
    let mut add = |p: Point| {
        if !std::mem::replace(&mut seen[size.index(p)], true) {
            points.push(p);
        }
    };
    for (at, raw) in property.placed() {
        let raw = raw.trim();
        let Some((a, b)) = raw.split_once(':') else {
            if !raw.is_empty() {
                add(point(property, at, raw, size)?);
            }
            continue;
        };
        let (a, b) = (point(property, at, a.trim(), size)?, point(property, at, b.trim(), size)?);
        for row in a.row().min(b.row())..=a.row().max(b.row()) {
            (a.column().min(b.column())..=a.column().max(b.column())).for_each(|c| add(Point::new(c, row)));
        }
    }
    Ok(points)
}

/// `PL`: `B`, `W`, the words, or the numbers of old files.
pub(super) fn color(property: Property<'_>) -> Result<Option<Color>, Error> {
    let Some((at, raw)) = first(property) else { return Ok(None) };
    match raw.as_bytes()[0].to_ascii_lowercase() {
        b'b' | b'1' => Ok(Some(Color::Black)),
        b'w' | b'2' => Ok(Some(Color::White)),
        _ => Err(wrong(property, at, raw, "a colour, B or W")),
    }
}

/// `KM`: points. Files of some servers have hundredths (`650`, and `375` for 3.75 stones of Chinese counting), or a comma.
pub(super) fn komi(property: Property<'_>) -> Result<Option<Komi>, Error> {
    let Some((at, raw)) = first(property) else { return Ok(None) };
    let wrong = || wrong(property, at, raw, "a komi of whole or half points");
    let mut points: f64 = raw.replace(',', ".").parse().map_err(|_| wrong())?;
    if points.abs() > f64::from(Komi::MAX_HALF_POINTS) / 2.0 && !raw.contains(['.', ',']) {
        points /= 100.0;
    }
    // A quarter is half a stone of each side: stones are counted, not points.
    let halves = if (2.0 * points).fract() == 0.0 { 2.0 * points } else { 4.0 * points };
    if halves.fract() != 0.0 || halves.abs() > f64::from(Komi::MAX_HALF_POINTS) {
        return Err(wrong());
    }
    #[expect(clippy::cast_possible_truncation, reason = "a whole number, at most MAX_HALF_POINTS either way")]
    Komi::from_half_points(halves as i16).map(Some).map_err(|_| wrong())
}

/// `HA`: a number of stones.
pub(super) fn handicap(property: Property<'_>) -> Result<u8, Error> {
    let Some((at, raw)) = first(property) else { return Ok(0) };
    raw.parse().map_err(|_| wrong(property, at, raw, "a number of handicap stones"))
}

/// Seconds, to the millisecond; `None` where something else is written, or more than any clock has. Less than none is none.
pub(super) fn seconds(property: Property<'_>) -> Option<Duration> {
    const MOST: f64 = 1e9;
    let seconds: f64 = first(property)?.1.parse().ok().filter(|&seconds| seconds <= MOST)?;
    let exact = Duration::try_from_secs_f64(seconds.max(0.0)).ok()?;
    // The fraction of a written number is not a whole number of nanoseconds.
    let nanos = exact.subsec_nanos();
    let millis = u64::from(nanos.saturating_add(500_000) / 1_000_000);
    Duration::from_secs(exact.as_secs()).checked_add(Duration::from_millis(millis))
}

/// Seconds as they are written.
pub(super) fn write_seconds(time: Duration) -> String {
    let text = format!("{}.{:03}", time.as_secs(), time.subsec_millis());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A whole number; `None` where something else is written.
pub(super) fn number(property: Property<'_>) -> Option<u32> {
    first(property)?.1.parse().ok()
}

/// `GM`: whether the game is Go.
pub(super) fn is_go(property: Property<'_>) -> Result<(), Error> {
    match first(property) {
        Some((at, raw)) if raw.trim_start_matches('0') != "1" => {
            Err(property.error(at, Reason::OtherGame(shorten(&text::read_simple(raw)))))
        }
        _ => Ok(()),
    }
}

/// The stones of a handicap that a file does not set up: old servers meant the fixed points.
pub(super) fn implied_handicap(size: Size, handicap: u8) -> Vec<Point> {
    handicap_points(size, handicap).unwrap_or_default()
}
