//! A position turned and coloured in one fixed way, so that its mirror images and its colour swap are all read
//! as the same position: a bounded search is not symmetric by itself.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Deref;

use crate::{Board, Color, Point, Size};

/// No chain.
pub(super) const NONE: usize = usize::MAX;

/// A chain of the frame.
pub(super) struct Chain {
    /// Whose it is.
    pub(super) color: Color,
    /// Its stones, ascending.
    pub(super) stones: Vec<usize>,
    /// Its liberties, each once.
    pub(super) liberties: Vec<usize>,
}

/// The up to four places beside one, ascending.
#[derive(Clone, Copy)]
pub(super) struct Near {
    places: [usize; 4],
    count: usize,
}

impl Near {
    /// Those of a place on a board of that shape.
    fn of(place: usize, columns: usize, rows: usize) -> Self {
        let (column, row) = (place % columns, place / columns);
        let beside = [
            (row > 0, place.wrapping_sub(columns)),
            (column > 0, place.wrapping_sub(1)),
            (column + 1 < columns, place + 1),
            (row + 1 < rows, place + columns),
        ];
        let mut near = Self { places: [0; 4], count: 0 };
        for (_, n) in beside.into_iter().filter(|&(is_there, _)| is_there) {
            near.places[near.count] = n;
            near.count += 1;
        }
        near
    }
}

impl<'a> IntoIterator for &'a Near {
    type Item = &'a usize;
    type IntoIter = std::slice::Iter<'a, usize>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Deref for Near {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        self.places.get(..self.count).unwrap_or_default()
    }
}

/// The stones in canonical form, as chains. Places are indices in row order.
pub(super) struct Frame {
    /// The stone on each place.
    pub(super) stones: Vec<Option<Color>>,
    /// The places beside each.
    pub(super) near: Vec<Near>,
    /// The chain on each place, or [`NONE`].
    pub(super) chain: Vec<usize>,
    /// All chains, in the order of their first stones.
    pub(super) chains: Vec<Chain>,
    /// Columns of the turned board.
    pub(super) columns: usize,
    /// Rows of the turned board.
    pub(super) rows: usize,
    /// The point of the board that each place is.
    points: Vec<Point>,
    /// Whether the colours are swapped.
    swapped: bool,
}

/// Where a place of the turned board lies on the board: the eight turns and mirrors are the eight sets of three bits.
fn turned(size: Size, turn: u8, columns: usize, place: usize) -> usize {
    let (mut column, mut row) = (place % columns, place / columns);
    if turn & 4 != 0 {
        (column, row) = (row, column);
    }
    let (width, height) = (usize::from(size.columns()), usize::from(size.rows()));
    if turn & 1 != 0 {
        column = width - 1 - column;
    }
    if turn & 2 != 0 {
        row = height - 1 - row;
    }
    row * width + column
}

impl Frame {
    /// The canonical forms of the stones: of all turns and colourings those that are first in order, with no more columns than rows.
    /// There are several of a position that is its own mirror image.
    pub(super) fn of(board: &Board) -> Vec<Self> {
        let size = board.size();
        let points: Vec<Point> = size.points().collect();
        let plain: Vec<u8> =
            points.iter().map(|&p| board.stone(p).map_or(0, |c| 1 + u8::from(c == Color::White))).collect();
        let (width, height) = (usize::from(size.columns()), usize::from(size.rows()));
        let columns = width.min(height);
        let mut best: Vec<u8> = Vec::new();
        let mut ways: Vec<(Vec<usize>, bool)> = Vec::new();
        for turn in (0..8).filter(|turn| if turn & 4 == 0 { columns == width } else { columns == height }) {
            let places: Vec<usize> = (0..size.area()).map(|p| turned(size, turn, columns, p)).collect();
            for swap in [false, true] {
                let seen = |&from: &usize| match plain[from] {
                    0 => 0,
                    code if swap => 3 - code,
                    code => code,
                };
                let order = places.iter().map(seen).cmp(best.iter().copied());
                if ways.is_empty() || order == Ordering::Less {
                    best = places.iter().map(seen).collect();
                    ways.clear();
                }
                if ways.is_empty() || order == Ordering::Equal {
                    ways.push((places.clone(), swap));
                }
            }
        }
        let color = |code: &u8| [None, Some(Color::Black), Some(Color::White)][usize::from(*code)];
        let stones: Vec<Option<Color>> = best.iter().map(color).collect();
        let frame = |(places, swapped): (Vec<usize>, bool)| {
            let points = places.into_iter().map(|place| points[place]).collect();
            Self::new(stones.clone(), points, columns, size.area() / columns, swapped)
        };
        ways.into_iter().map(frame).collect()
    }

    fn new(
        stones: Vec<Option<Color>>,
        points: Vec<Point>,
        columns: usize,
        rows: usize,
        swapped: bool,
    ) -> Self {
        let near = (0..stones.len()).map(|place| Near::of(place, columns, rows)).collect();
        let chain = vec![NONE; stones.len()];
        let mut frame = Self { stones, near, chain, chains: Vec::new(), columns, rows, points, swapped };
        for place in 0..frame.stones.len() {
            if let (Some(color), NONE) = (frame.stones[place], frame.chain[place]) {
                frame.add_chain(place, color);
            }
        }
        frame
    }

    fn add_chain(&mut self, from: usize, color: Color) {
        let number = self.chains.len();
        let mut stones = vec![from];
        let mut liberties = Vec::new();
        self.chain[from] = number;
        let mut done = 0;
        while let Some(&stone) = stones.get(done) {
            done += 1;
            for &n in &self.near[stone] {
                match self.stones[n] {
                    None => liberties.push(n),
                    Some(there) if there == color && self.chain[n] == NONE => {
                        self.chain[n] = number;
                        stones.push(n);
                    }
                    Some(_) => {}
                }
            }
        }
        stones.sort_unstable();
        liberties.sort_unstable();
        liberties.dedup();
        self.chains.push(Chain { color, stones, liberties });
    }

    /// The points of the board that those places are, in order.
    pub(super) fn points(&self, places: impl IntoIterator<Item = usize>) -> Vec<Point> {
        let mut points: Vec<Point> = places.into_iter().map(|place| self.points[place]).collect();
        points.sort_unstable();
        points
    }

    /// What is known of each point of the board, in the frame's places and colours.
    pub(super) fn seen(&self, size: Size, known: &[Option<Color>]) -> Vec<Option<Color>> {
        let color = |c: Color| if self.swapped { c.opposite() } else { c };
        self.points.iter().map(|&p| known[size.index(p)].map(color)).collect()
    }

    /// Pairs of a colour's chains with two or more liberties in common, and these: the narrowest, worth the least for eyes, first.
    pub(super) fn shared_liberties(&self, color: Color) -> Vec<([usize; 2], Vec<usize>)> {
        let mut shared: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
        for place in (0..self.stones.len()).filter(|&p| self.stones[p].is_none()) {
            let mut beside: Vec<usize> = self.near[place].iter().map(|&n| self.chain[n]).collect();
            beside.retain(|&c| c != NONE && self.chains[c].color == color);
            beside.sort_unstable();
            beside.dedup();
            for (i, &a) in beside.iter().enumerate() {
                for &b in &beside[i + 1..] {
                    shared.entry([a, b]).or_default().push(place);
                }
            }
        }
        let room = |place: usize| self.near[place].iter().filter(|&&n| self.stones[n].is_none()).count();
        shared.values_mut().for_each(|points| points.sort_by_key(|&p| (room(p), p)));
        shared.into_iter().filter(|(_, points)| points.len() > 1).collect()
    }

    /// The numbers of a colour's chains.
    pub(super) fn chains_of(&self, color: Color) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.chains.len()).filter(move |&c| self.chains[c].color == color)
    }
}
