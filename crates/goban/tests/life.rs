//! Positions that trouble every scorer, drawn by hand: what must not be removed is not, and what can be proved dead is.

#![expect(clippy::unwrap_used, reason = "a drawing that cannot be read fails its test")]

use goban::{Board, life};

/// The dead stones that are found, drawn as `#` on the board's own drawing.
fn marked(drawing: &str) -> Vec<String> {
    let board = Board::parse(drawing).unwrap();
    let dead = life(&board, false).dead;
    let size = board.size();
    let mut rows: Vec<Vec<char>> = board.to_rows().iter().map(|row| row.chars().collect()).collect();
    for point in dead {
        rows[usize::from(size.rows() - 1 - point.row())][usize::from(point.column())] = '#';
    }
    rows.into_iter().map(|row| row.into_iter().collect()).collect()
}

/// Boards on which nothing is dead.
fn nothing_is_dead(drawings: &[(&str, &str)]) {
    for (name, drawing) in drawings {
        let board = Board::parse(drawing).unwrap();
        assert_eq!(marked(drawing), board.to_rows(), "{name}");
    }
}

/// Boards drawn twice: as they are, and with `#` on what must be found dead.
fn these_are_dead(drawings: &[(&str, &str, &str)]) {
    for (name, drawing, expected) in drawings {
        let expected: Vec<&str> = expected.split_whitespace().collect();
        assert_eq!(marked(drawing), expected, "{name}");
    }
}

/// No stone in a seki is removed: two shared liberties and no eye, one shared liberty and an eye each, two eyes against none.
#[test]
fn seki_is_left_alone() {
    nothing_is_dead(&[
        ("two shared liberties", ".O.OX.OX.X.\nOOOOX.OXXXX"),
        ("an eye each", ".XO.OX.\nXXOOOXX\nOOXXXOO\n.OX.XO.\nOOXXXOO\nXXOOOXX\n.XO.OX."),
        ("two eyes against none", ".O.X.O.OX\nOOOXOOOOX\nXXXOOXXXX\nXXXXXXX.X\nX.XXXXXXX"),
    ]);
}

/// What lives by more than one ko, or may begin one when it likes, is left alone: a ten-thousand-year ko, a bent four in the corner, a
/// second eye in either of two kos, and moonshine life, whose ko such a pair of kos could feed for ever.
#[test]
fn kos_of_every_kind_are_left_alone() {
    nothing_is_dead(&[
        ("ten-thousand-year ko", "XXXXXXXXX\nXXXXXXX.X\nOOOOOOXXX\n.OOX.OXXX\nOXXX.OX.X"),
        ("bent four in the corner", "OOOOO.O\nXXOOOOO\n.XOOOOO\nOXXXOOO\nOO.XO.O"),
        ("two kos for one eye", "OX.XXXO.O\nOOXXXXXOO\nOOOOOOOOO\n.O.O.O.O."),
        (
            "an eye and two kos for another",
            "OX.X.XO.O\nOOXXXXXOO\n.OOOOOOO.\nO.O...O.O\nOOOOOOOOO\nXXXXXXXXX\n.X.X.X.X.\nX.X.X.X.X\nXXX.X.XXX",
        ),
        ("moonshine life", ".X.XO.OOO\nXXXOOOOOO\nOOOO.O.O.\nOOOOOOOOO\nOOXXXXXOO\nOX.XXXO.O"),
    ]);
}

/// A chain that is taken only by coming back to an earlier position is not taken: the owner gives up two stones, gets one back, and
/// begins again.
#[test]
fn what_returns_for_ever_is_left_alone() {
    nothing_is_dead(&[("sending two, returning one", ".X.O.OOO\nXXXXOOOO\nOOOOO.OO\nOO.OOOOO")]);
}

/// Stones behind a border that is not closed, or whose wall can be cut, may get out.
#[test]
fn open_borders_keep_what_is_behind_them() {
    nothing_is_dead(&[
        (
            "a gap",
            "...XO....\n.O.XO.X..\n...XO....\n.........\n.O....X..\n.........\n...XO....\n.O.XO.X..\n...XO....",
        ),
        ("two gaps", "..XO..\n.OXOX.\n..XO..\n.X..O.\n..XO..\n.OXOX.\n..XO.."),
    ]);
}

/// A second eye that a ko takes away is one as long as the ko can be won: it is left alone. Without the eye elsewhere the same chain is
/// dead.
#[test]
fn kos_are_left_alone() {
    nothing_is_dead(&[("an eye and a ko", ".X.XO.O\nXXXOOOO\nOOOO.O.\nOOOOOOO")]);
    these_are_dead(&[(
        "an eye and a point that is none",
        ".X.XO.O\nXXOOOOO\nOOOO.O.\nOOOOOOO",
        ".#.#O.O\n##OOOOO\nOOOO.O.\nOOOOOOO",
    )]);
}

/// A stone that may be taken back, a ladder that may be broken, a race that is not decided: all stay.
#[test]
fn what_is_not_settled_is_left_alone() {
    nothing_is_dead(&[
        (
            "an empty board",
            ".........\n.........\n.........\n.........\n.........\n.........\n.........\n.........\n.........",
        ),
        (
            "a ladder",
            ".........\n.........\n.........\n.........\n...XX....\n..XOOX...\n...XO....\n....X....\n.........",
        ),
        (
            "a net in the open",
            ".........\n.........\n..X......\n..XOX....\n...X..X..\n.........\n....X....\n.........\n.........",
        ),
        (
            "a throw-in that is a snapback",
            "..OO.....\n.OXXO....\n.OX.XO...\n.OXXXO...\n..OOO....\n.........\n.........",
        ),
    ]);
}

/// A stone on the vital point of the only eye makes it one eye: three in a row, the bulky five. The walls are alive,
/// the stone inside stays. Where the vital point is free its owner takes it and lives.
#[test]
fn a_big_eye_with_a_stone_on_its_vital_point_is_one_eye() {
    these_are_dead(&[
        ("three in a row", "XXXXXXX\nXXXXX.X\nOOOOXXX\n.X.OX.X", "XXXXXXX\nXXXXX.X\n####XXX\n.X.#X.X"),
        ("bulky five", "XXXXXXX\nOOOXX.X\n..OOXXX\n.X.OX.X", "XXXXXXX\n###XX.X\n..##XXX\n.X.#X.X"),
    ]);
    nothing_is_dead(&[
        ("three in a row, free", "XXXXXXX\nXXXXX.X\nOOOOXXX\n...OX.X"),
        ("bulky five, free", "XXXXXXX\nOOOXX.X\n..OOXXX\n...OX.X"),
        ("flower of six, free", "XXXXXXX\nOOOXXXX\nO.OOX.X\n...OXXX\n..OOX.X"),
        ("four in a row", "XXXXXXXX\nXXXXXX.X\nOOOOOXXX\n..X.OX.X"),
    ]);
}
