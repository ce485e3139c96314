//! One position for all that differ only by a turn, a mirror or a swap of colours, since a search with random playouts is not
//! symmetric by itself.

use crate::{Board, Color, Point, Size};

/// A way to turn, mirror and swap.
#[derive(Clone, Copy)]
pub(super) struct View {
    size: Size,
    transposed: bool,
    mirrored: bool,
    flipped: bool,
    swapped: bool,
}

impl View {
    /// All sixteen of a board.
    fn all(size: Size) -> impl Iterator<Item = Self> {
        (0..16_u8).map(move |bits| {
            let is = |bit: u8| bits & bit != 0;
            Self { size, transposed: is(1), mirrored: is(2), flipped: is(4), swapped: is(8) }
        })
    }

    /// Where a point goes.
    pub(super) fn point(self, point: Point) -> Point {
        let far = |at: u8, all: u8| all.saturating_sub(1).saturating_sub(at);
        let column = if self.mirrored { far(point.column(), self.size.columns()) } else { point.column() };
        let row = if self.flipped { far(point.row(), self.size.rows()) } else { point.row() };
        if self.transposed { Point::new(row, column) } else { Point::new(column, row) }
    }

    /// What a colour becomes.
    pub(super) const fn color(self, color: Color) -> Color {
        if self.swapped { color.opposite() } else { color }
    }

    /// 1, or -1 where colours are swapped: what a number that is Black's is multiplied by.
    pub(super) const fn sign(self) -> i32 {
        if self.swapped { -1 } else { 1 }
    }

    fn image(self, board: &Board) -> Option<Board> {
        let size =
            if self.transposed { Size::new(self.size.rows(), self.size.columns()).ok()? } else { self.size };
        let stones = |color: Color| -> Vec<Point> {
            let mut points: Vec<Point> = board.stones(self.color(color)).map(|p| self.point(p)).collect();
            points.sort_unstable();
            points
        };
        Board::with_stones(size, &stones(Color::Black), &stones(Color::White)).ok()
    }
}

/// The least of the sixteen images of a board, and all views that lead to it: several when the board is symmetric.
pub(super) fn canonical(board: &Board) -> Option<(Board, Vec<View>)> {
    let key = |image: &Board| -> (u8, Vec<Option<Color>>) {
        (image.size().columns(), image.size().points().map(|p| image.stone(p)).collect())
    };
    let mut images: Vec<_> = View::all(board.size())
        .filter_map(|view| view.image(board).map(|image| (key(&image), image, view)))
        .collect();
    images.sort_by(|a, b| a.0.cmp(&b.0));
    let least = images.first().map(|(key, ..)| key.clone())?;
    let views = images.iter().take_while(|(key, ..)| *key == least).map(|&(.., view)| view).collect();
    images.into_iter().next().map(|(_, image, _)| (image, views))
}
