//! Positions that trouble every scorer, drawn by hand: capital letters live, small ones are dead. The best estimate says just that, and what is
//! clearly dead is never more.

use goban::{Board, Color, Point, estimate, life};

use crate::corpus::drawing;

/// What is said about a drawing must be the drawing itself.
fn holds(name: &str, rows: &str) -> Option<String> {
    let board = Board::parse(&rows.to_uppercase()).unwrap();
    let size = board.size();
    let rows: Vec<Vec<char>> = rows
        .lines()
        .map(|l| l.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>())
        .filter(|r| !r.is_empty())
        .collect();
    let known: Vec<Point> = size
        .points()
        .filter(|p| rows[usize::from(size.rows() - 1 - p.row())][usize::from(p.column())].is_lowercase())
        .collect();
    let said = estimate(&board).dead;
    // What is proved is never more than that.
    let proved = life(&board, false).dead;
    let too_many: Vec<Point> = proved.into_iter().filter(|p| !known.contains(p)).collect();
    (said != known || !too_many.is_empty()).then(|| {
        format!(
            "{name}, wrongly proved: {too_many:?}; as we see it:\n{}\n",
            drawing(&board, &said).join("\n")
        )
    })
}

pub fn all_hold(positions: &[(&str, &str)]) {
    let wrong: Vec<String> = positions.iter().filter_map(|(name, rows)| holds(name, rows)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Stones in seki, without eyes, with an eye each, and with shared liberties between two eyes of one side.
pub const SEKI: [(&str, &str); 3] = [
    (
        "no eyes",
        "
        O X . O O X X . .
        O X . O O O X . X
        O X X O O O X X .
        O O O X X X X . X
        O O O O O X X X .
        . O . . O X . . .
        O . O . O X . X .
        . O . . O X . . .
        . . . . O X . . .",
    ),
    (
        "an eye each",
        "
        . X . O . O X . .
        X X X O O O X . X
        O O O X X X X X X
        . . O O O X . . .
        . . . . O X . . .
        . O . . O X . . .
        . . O . O X . X .
        . . . . O X . . .
        . . . . O X . . .",
    ),
    (
        "two eyes against none",
        "
        . O . X . O . O X
        O O O X O O O O X
        X X X O O X X X X
        . . X X X X . . .
        X X X X X X X X X
        O O O O O O O O O
        . O . . O . . O .
        O . . O . . . . O
        . . . . . . . . .",
    ),
];

/// A group that has two eyes in appearance only.
pub const FALSE_EYES: &str = "
    . . X o . o X . .
    . X X o o X X . .
    . X o . o o X . X
    . X o o X . X X .
    . X X X X X X . .
    . O O O O O O O O
    . O . . O . . . .
    . O . O . . O . .
    . O . . . . . . .";

/// In a seki nobody dies: without eyes, with an eye each, and with shared liberties between two eyes of one side.
#[test]
fn stones_in_seki_live() {
    all_hold(&SEKI);
}

/// What cannot make two eyes is dead although nobody took it: a group with false eyes, an eye of five with a stone in its middle,
/// invaders without room.
#[test]
fn hopeless_stones_are_dead() {
    all_hold(&[
        ("false eyes", FALSE_EYES),
        (
            "a bulky five",
            "
            . . o X . . X O .
            X . o X . . X O .
            . o o X . . X O .
            o o X X . . X O .
            X X X . . . X O .
            . . . . . . X O .
            . . . . . . X O .
            . . . . . . X O O
            . . . . . . X O .",
        ),
        (
            "invaders",
            "
            . . . . X O . . .
            . X . . X O . . .
            . . o . X O . x .
            . o . X X O O . .
            . . . X O . . . .
            . X . X O . x . O
            . . . X O . x . .
            . . . X O O . . .
            . . . X O . . . .",
        ),
    ]);
}

/// What the next move decides stays, and is said to be unsettled: whoever passes leaves it to nobody.
#[test]
fn a_stone_that_can_still_be_saved_is_unsettled() {
    let board = Board::parse(
        "
        . . . X O . . . .
        . . . X O . . . .
        . . . X O . . . .
        . . X X X O . . .
        . . . X O . . . .
        . . X X X O . . .
        . . . X O . . . .
        . . . X O . . . .
        . . . X O . . . .",
    )
    .unwrap();
    let found = estimate(&board);
    assert!(found.dead.is_empty(), "{:?}\n{board}", found.dead);
    assert!(found.unsettled.contains(&"E5".parse().unwrap()), "{found:?}\n{board}");
}

/// A border that nobody has closed is reported, with the stones around it alive; a closed one is not.
#[test]
fn an_open_border_belongs_to_nobody() {
    let open = Board::parse(
        "
        . . . X O . . . .
        . . . X O . . . .
        . . . X O . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . X O . . . .
        . . . X O . . . .
        . . . X O . . . .",
    )
    .unwrap();
    let found = estimate(&open);
    assert!(found.dead.is_empty() && !found.open.is_empty(), "{found:?}");
    let mut closed = open;
    for row in 3..6 {
        closed.play_unchecked(Color::Black, Point::new(3, row));
        closed.play_unchecked(Color::White, Point::new(4, row));
    }
    let found = estimate(&closed);
    assert!(found.dead.is_empty() && found.open.is_empty(), "{found:?}");
}

/// Stones that cannot get out are dead also where their only way out is an open border, and the border stays open.
#[test]
fn stones_that_are_cut_off_at_an_open_border_are_dead() {
    let rows = "
        . . . . X O . . .
        . . X . X O . . .
        . . . . X O . O .
        X X X X X O . . .
        . o o . . . . . .
        X X X X X O . . .
        . . . . X O . O .
        . X . . X O . . .
        . . . . X O . . .";
    all_hold(&[("cut off", rows)]);
    let found = estimate(&Board::parse(rows).unwrap());
    for point in ["D5", "E5", "F5"] {
        assert!(found.open.contains(&point.parse().unwrap()), "{point}: {:?}", found.open);
    }
}
