//! Turns, mirrors and colours.

use goban::{Board, Color, Point, Rng, Size, estimate, playout};

/// A quarter turn with the colours swapped gives the same dead stones in their new places, also on a board that is not square; and
/// the same question has the same answer.
#[test]
fn a_turn_and_a_swap_of_colours_change_only_places_and_colours() {
    for (size, seed) in
        [(Size::square(7).unwrap(), 1), (Size::new(5, 8).unwrap(), 2), (Size::square(9).unwrap(), 3)]
    {
        // The middle of a random game has all kinds of half-dead stones.
        let board = playout::stopped(size, size.area(), &mut Rng::new(seed));
        let turned = Size::new(size.rows(), size.columns()).unwrap();
        let place = |p: Point| Point::new(p.row(), size.columns() - 1 - p.column());
        let stones = |color: Color| board.stones(color).map(place).collect::<Vec<_>>();
        let image = Board::with_stones(turned, &stones(Color::White), &stones(Color::Black)).unwrap();
        let (ours, theirs) = (estimate(&board), estimate(&image));
        let mut dead: Vec<Point> = ours.dead.iter().copied().map(place).collect();
        dead.sort_unstable();
        assert_eq!(dead, theirs.dead, "\n{board}");
        for point in size.points() {
            assert_eq!(ours.leaning[size.index(point)], -theirs.leaning[turned.index(place(point))]);
        }
        assert_eq!(ours, estimate(&board));
    }
}

/// A board that is its own image under a swap of colours has no dead stone whose twin is alive.
#[test]
fn symmetric_boards_have_symmetric_answers() {
    let board = Board::parse(
        "
        . . . . . . .
        . X . X . O .
        . . X . O . .
        . X O . X O .
        . . X . O . .
        . X . O . O .
        . . . . . . .",
    )
    .unwrap();
    let dead = estimate(&board).dead;
    for &point in &dead {
        assert!(dead.contains(&Point::new(6 - point.column(), 6 - point.row())), "{point} of {dead:?}");
    }
}
