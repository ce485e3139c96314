//! Shapes of 3x3 points around an empty one where a fight is likely to be decided.
//!
//! The idea, and which kinds of shapes are worth it (hane, cuts, moves at the edge), are from S. Gelly, Y. Wang, R. Munos and O. Teytaud,
//! "Modification of UCT with patterns in Monte-Carlo Go", 2006.

use std::sync::OnceLock;

/// `X` and `O` are the two colours, whoever moves; `.` is empty, `#` beyond the edge; `x` is anything but `X`, `o` anything but
/// `O`, `?` anything. The middle is the point itself. The top row comes first.
const SHAPES: [&str; 15] = [
    // Hane: around the head of a stone, from an own one.
    "XOX ... ???",
    "XO. ... ?.?",
    "XO? X.. x.?",
    // A diagonal contact that is about to become a fight.
    ".O. X.. ...",
    // Cuts: between two stones that nothing holds together, or where only one side does.
    "XO? O.o ?o?",
    "XO? O.X ???",
    "?X? O.O ooo",
    "OX? o.O ???",
    "?X? O.O oXo",
    // At the edge: chasing, blocking, cutting.
    "X.? O.? ###",
    "OX? X.O ###",
    "?X? x.O ###",
    "?XO x.x ###",
    "?OX X.O ###",
    "XO? ... ###",
];

/// The places of a shape's eight outer points, row by row, in the bits of [`goban::grid::Grid::surroundings`].
const SHIFTS: [u32; 8] = [12, 6, 14, 2, 4, 8, 0, 10];

/// The outer points after a quarter turn, and after a reflection, row by row.
const TURN: [usize; 8] = [5, 3, 0, 6, 1, 7, 4, 2];
const MIRROR: [usize; 8] = [2, 1, 0, 4, 3, 7, 6, 5];

/// Whether the eight cells around an empty one make such a shape.
#[inline]
pub(crate) fn is_shape(table: &[bool], surroundings: u16) -> bool {
    table.get(usize::from(surroundings)).copied().unwrap_or(false)
}

/// For all surroundings, whether they are such a shape.
pub(crate) fn table() -> &'static [bool] {
    static TABLE: OnceLock<Box<[bool]>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = vec![false; 1 << 16];
        for shape in SHAPES {
            let mut points = read(shape);
            for _ in 0..4 {
                for image in [points, MIRROR.map(|i| points[i])] {
                    add(&mut table, &image, 0, 0);
                    add(&mut table, &image.map(swapped), 0, 0);
                }
                points = TURN.map(|i| points[i]);
            }
        }
        table.into()
    })
}

/// What may be on each outer point: a set of colour codes, one bit each.
fn read(shape: &str) -> [u8; 8] {
    let mut sets = [0; 8];
    let outer = shape.bytes().filter(|b| *b != b' ').enumerate().filter(|(i, _)| *i != 4);
    for (set, (_, letter)) in sets.iter_mut().zip(outer) {
        *set = match letter {
            b'.' => 0b0001,
            b'X' => 0b0010,
            b'O' => 0b0100,
            b'#' => 0b1000,
            b'x' => 0b1101,
            b'o' => 0b1011,
            _ => 0b1111,
        };
    }
    sets
}

/// The set with the two colours exchanged.
const fn swapped(set: u8) -> u8 {
    set & 0b1001 | (set & 0b0010) << 1 | (set & 0b0100) >> 1
}

/// Marks all surroundings that the sets allow, from the outer point `at` on.
fn add(table: &mut [bool], sets: &[u8; 8], at: usize, surroundings: u16) {
    let (Some(&set), Some(&shift)) = (sets.get(at), SHIFTS.get(at)) else {
        table[usize::from(surroundings)] = true;
        return;
    };
    for code in (0..4_u16).filter(|code| set & (1 << code) != 0) {
        add(table, sets, at + 1, surroundings | code << shift);
    }
}

#[cfg(test)]
mod tests {
    use goban::grid::{Grid, OnGrid};
    use goban::{Board, Point};

    use super::*;

    struct At(Point);

    impl OnGrid for At {
        type Output = u16;
        fn run<const S: usize, const N: usize>(self, grid: &Grid<S, N>) -> u16 {
            grid.surroundings(grid.locate(self.0))
        }
    }

    /// The hane at the head of two stones and a cut at the edge are shapes, however the board is turned and whoever moves; a point
    /// between friends, and one in the open, are none.
    #[test]
    fn contact_shapes_are_known_from_all_sides() {
        let shape = |rows: &str| {
            let board = Board::parse(rows).unwrap();
            is_shape(table(), board.on_grid(At("B2".parse().unwrap())))
        };
        for hane in ["XO. ... ...", "... O.. X..", ".OX ... ...", "OX. ... ...", "... ..O ..X"] {
            assert!(shape(&hane.replace(' ', "\n")), "{hane}");
        }
        for quiet in ["... ... ...", "XX. X.. ...", "X.. ... ..."] {
            assert!(!shape(&quiet.replace(' ', "\n")), "{quiet}");
        }
    }
}
