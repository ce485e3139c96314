//! A board whose dead stones are known, and who can reach what on it.

use crate::set::Set;
use crate::{Color, Point, Size};

/// The stones, living and dead, with the neighbours of each point.
pub(super) struct Ground<'a> {
    pub(super) size: Size,
    pub(super) living: &'a [Option<Color>],
    pub(super) dead: &'a [Option<Color>],
    beside: Vec<Vec<usize>>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(size: Size, living: &'a [Option<Color>], dead: &'a [Option<Color>]) -> Self {
        let beside = |p| size.neighbours(p).map(|n| size.index(n)).collect();
        Self { size, living, dead, beside: size.points().map(beside).collect() }
    }

    pub(super) fn points(&self) -> std::ops::Range<usize> {
        0..self.living.len()
    }

    /// The points beside one.
    pub(super) fn beside(&self, point: usize) -> &[usize] {
        &self.beside[point]
    }

    pub(super) fn is_edge(&self, point: usize) -> bool {
        self.beside[point].len() < 4
    }

    /// The stone on a point, living or dead.
    pub(super) fn stone(&self, point: usize) -> Option<Color> {
        self.living[point].or(self.dead[point])
    }

    pub(super) fn is_empty(&self, point: usize) -> bool {
        self.stone(point).is_none()
    }

    /// Whether no living stone of the opponent bars the way of that colour.
    pub(super) fn is_open(&self, point: usize, color: Color) -> bool {
        self.living[point] != Some(color.opposite())
    }

    /// The points that are connected to some of `from` within `within`.
    pub(super) fn flood(&self, from: impl IntoIterator<Item = usize>, within: impl Fn(usize) -> bool) -> Set {
        let mut set = Set::default();
        let mut open: Vec<usize> = from.into_iter().filter(|&p| within(p)).collect();
        while let Some(point) = open.pop() {
            if set.insert(point) {
                open.extend(self.beside(point).iter().filter(|&&n| !set.contains(n) && within(n)));
            }
        }
        set
    }

    /// The connected parts of a set.
    pub(super) fn parts(&self, set: &Set) -> Vec<Set> {
        let mut rest = *set;
        let mut parts = Vec::new();
        while let Some(first) = rest.iter().next() {
            let part = self.flood([first], |p| set.contains(p));
            rest = rest.minus(&part);
            parts.push(part);
        }
        parts
    }

    /// What living stones of a colour reach without passing living stones of the opponent, nor, where there are `barriers`, beyond
    /// the opponent's.
    pub(super) fn reach(&self, color: Color, barriers: &[Option<Color>]) -> Set {
        let from: Vec<usize> = self.points().filter(|&p| self.living[p] == Some(color)).collect();
        self.spread(from, |p| self.is_open(p, color), |p| barriers[p] == Some(color.opposite()))
    }

    /// As [`Self::flood`], but points that `stops` holds for are entered and not left.
    pub(super) fn spread(
        &self,
        from: impl IntoIterator<Item = usize>,
        enters: impl Fn(usize) -> bool,
        stops: impl Fn(usize) -> bool,
    ) -> Set {
        let mut set = Set::default();
        let mut open: Vec<usize> = from.into_iter().filter(|&p| enters(p)).collect();
        while let Some(point) = open.pop() {
            if set.insert(point) && !stops(point) {
                open.extend(self.beside(point).iter().filter(|&&n| !set.contains(n) && enters(n)));
            }
        }
        set
    }

    /// Empty points that one side guards so well that the other gains nothing by pushing through: for each such
    /// point, its guard.
    pub(super) fn barriers(&self) -> Vec<Option<Color>> {
        let mut barriers = vec![None; self.living.len()];
        for color in Color::BOTH {
            for point in self.size.points().filter(|&p| self.is_empty(self.size.index(p))) {
                if BARRIERS.iter().any(|shape| (0..8).any(|turn| self.fits(shape, point, turn, color))) {
                    barriers[self.size.index(point)] = Some(color);
                }
            }
        }
        barriers
    }

    /// Whether a shape, turned and mirrored in one of eight ways, lies around its centre on the board.
    fn fits(&self, shape: &Shape, centre: Point, turn: u8, color: Color) -> bool {
        shape.iter().all(|&(x, y, what)| {
            let (x, y) = if turn & 1 == 0 { (x, y) } else { (y, x) };
            let (x, y) = (if turn & 2 == 0 { x } else { -x }, if turn & 4 == 0 { y } else { -y });
            let point = centre.column().checked_add_signed(x).zip(centre.row().checked_add_signed(y));
            let point = point.map(|(c, r)| Point::new(c, r)).filter(|&p| self.size.contains(p));
            match (what, point.map(|p| self.size.index(p))) {
                (Part::Beyond, place) => place.is_none(),
                (_, None) => false,
                (Part::Stone, Some(p)) => self.living[p] == Some(color),
                (Part::Mine, Some(p)) => {
                    self.is_empty(p)
                        || self.living[p] == Some(color)
                        || self.dead[p] == Some(color.opposite())
                }
                (Part::Any, Some(_)) => true,
            }
        })
    }
}

/// What a barrier asks of a point around its centre.
#[derive(Clone, Copy)]
enum Part {
    /// A living stone of the guard.
    Stone,
    /// No living stone of the opponent, no dead one of the guard.
    Mine,
    /// Off the board.
    Beyond,
    /// On the board.
    Any,
}

/// Columns and rows from the centre, which is empty.
type Shape = [(i8, i8, Part)];

/// The shapes that hold a gap: bamboo-like joints and hanging connections in the open, and their kind on the edge.
const BARRIERS: &[&Shape] = {
    use Part::{Any, Beyond, Mine, Stone};
    &[
        &[(0, 1, Stone), (1, 1, Stone), (1, 0, Mine), (0, -1, Stone), (1, -1, Mine)],
        &[
            (-1, 1, Mine),
            (0, 1, Stone),
            (1, 1, Any),
            (-1, 0, Mine),
            (1, 0, Mine),
            (-1, -1, Mine),
            (0, -1, Stone),
            (1, -1, Any),
        ],
        &[
            (-1, 1, Stone),
            (0, 1, Mine),
            (1, 1, Mine),
            (-1, 0, Mine),
            (1, 0, Stone),
            (-1, -1, Stone),
            (0, -1, Mine),
            (1, -1, Mine),
        ],
        &[(-1, 1, Any), (0, 1, Mine), (1, 1, Any), (-1, 0, Stone), (1, 0, Stone), (0, -1, Beyond)],
        &[(0, 1, Stone), (1, 1, Stone), (1, 0, Mine), (0, -1, Beyond)],
        &[(-1, 1, Mine), (0, 1, Stone), (1, 1, Any), (-1, 0, Mine), (1, 0, Mine), (0, -1, Beyond)],
    ]
};
