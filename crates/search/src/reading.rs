//! Reading: does a chain get away?

use goban::{Board, Color, Point};

/// Moves that a ladder is followed for.
const DEPTH: u32 = 40;

/// Whether the chain on that point, with its owner to move and one liberty left, can be saved by a move there: by running out, or by taking one
/// of the chains that besiege it. Looks along ladders only.
pub(crate) fn escapes(board: &Board, chain: Point, by: Point) -> bool {
    let Some(color) = board.stone(chain) else { return false };
    runs(board, color, chain, by, DEPTH)
}

/// The owner plays on `by`; then the attacker tries to take the chain.
fn runs(board: &Board, color: Color, chain: Point, by: Point, depth: u32) -> bool {
    if !board.is_legal_simple(color, by) {
        return false;
    }
    let mut after = board.clone();
    after.play_unchecked(color, by);
    match after.liberties(chain) {
        0 | 1 => false,
        2 => depth > 0 && !is_caught(&after, color, chain, depth - 1),
        _ => true,
    }
}

/// The chain has two liberties and the attacker is to move: can it be driven to its end?
fn is_caught(board: &Board, color: Color, chain: Point, depth: u32) -> bool {
    board.liberty_points(chain).into_iter().any(|point| {
        if !board.is_legal_simple(color.opposite(), point) {
            return false;
        }
        let mut after = board.clone();
        after.play_unchecked(color.opposite(), point);
        let Some(last) = after.atari(chain) else { return false };
        // Taking the stone that gives atari is a way out as well as running.
        let ways = [Some(last), after.atari(point)];
        !ways.into_iter().flatten().any(|by| runs(&after, color, chain, by, depth))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stone in a ladder is lost on an empty board and saved by a stone in the ladder's way; a chain whose besieger can be taken is saved by
    /// taking it.
    #[test]
    fn ladders_are_followed_to_their_end() {
        let drawing = "
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . O . . . . . .
            . O X . . . . . .
            . . O O . . . . .";
        let board = Board::parse(drawing).unwrap();
        let point = |text: &str| text.parse::<Point>().unwrap();
        assert_eq!(board.atari(point("C2")), Some(point("D2")));
        assert!(!escapes(&board, point("C2"), point("D2")));
        let mut broken = board;
        for breaker in ["E4", "F5"] {
            broken.play_unchecked(Color::Black, point(breaker));
        }
        assert!(escapes(&broken, point("C2"), point("D2")));

        // Nowhere to run for C1, but E1 takes a besieger.
        let capture = Board::parse(
            "
            . . . . . . .
            . . . . . . .
            . . O O O . .
            . O . X O X .
            . O X O . X .",
        )
        .unwrap();
        assert_eq!(capture.atari(point("C1")), Some(point("C2")));
        assert!(!escapes(&capture, point("C1"), point("C2")));
        assert!(escapes(&capture, point("C1"), point("E1")));
    }
}
