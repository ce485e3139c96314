//! The pairs that are looked at: neighbours in order of rating, for each kind of game.

use std::collections::HashSet;

use rayon::prelude::*;

use crate::{BOARDS, Rules, blossom::Edge, rules::Prepared};

/// So many places of a line are looked at for each neighbour that is wanted: more would not suit either.
const LOOKED_AT: usize = 4;

/// So many places of a line are one piece of work for a thread; smaller pools are not worth a second one.
const PIECE: usize = 4096;

/// For each kind of game, those who accept it, in order of their rating on its board.
pub(crate) struct Lines<'a> {
    pool: &'a [Prepared<'a>],
    rules: &'a Rules,
    lines: Vec<(u8, Vec<u32>)>,
}

impl<'a> Lines<'a> {
    pub fn new(pool: &'a [Prepared<'a>], rules: &'a Rules) -> Self {
        let mut lines = Vec::new();
        for board in 0..BOARDS {
            let on_board = |place: &u32| pool[*place as usize].kinds() & rules.boards[board] != 0;
            let all = (0..u32::try_from(pool.len()).unwrap_or(u32::MAX)).filter(on_board);
            let mut order: Vec<(i64, u32)> =
                all.map(|place| (pool[place as usize].rating(board), place)).collect();
            order.sort_unstable();
            let mut by_kind: Vec<Vec<u32>> = vec![Vec::new(); 64];
            for (_, place) in order {
                let mut kinds = pool[place as usize].kinds() & rules.boards[board];
                while kinds != 0 {
                    by_kind[kinds.trailing_zeros() as usize].push(place);
                    kinds &= kinds - 1;
                }
            }
            let numbered = (0_u8..).zip(by_kind).filter(|(_, line)| line.len() > 1);
            lines.extend(numbered);
        }
        Self { pool, rules, lines }
    }

    /// For everybody and each of their kinds, the next so many with whom a meeting is worth something.
    pub fn nearest(&self, wanted: usize) -> Vec<Edge> {
        let pieces: Vec<_> = self
            .lines
            .iter()
            .flat_map(|(kind, line)| (0..line.len()).step_by(PIECE).map(move |start| (*kind, line, start)))
            .collect();
        let search = |(kind, line, start): &(u8, &Vec<u32>, usize)| {
            let mut edges = Vec::new();
            for place in *start..line.len().min(start + PIECE) {
                let ahead = line[place + 1..].iter().take(wanted * LOOKED_AT);
                let found = ahead.filter_map(|other| self.edge(*kind, line[place], *other));
                edges.extend(found.take(wanted).flatten());
            }
            edges
        };
        if self.pool.len() <= PIECE {
            return pieces.iter().flat_map(search).collect();
        }
        // The pieces stay in their order: the answer does not depend on the threads.
        let found: Vec<Vec<Edge>> = pieces.par_iter().map(search).collect();
        found.concat()
    }

    /// The pairs whose value exceeds their prices: those could make the matching better.
    pub fn missing(&self, known: &[Edge], prices: &[i64]) -> Vec<Edge> {
        let known: HashSet<(u32, u32)> = known.iter().map(|edge| (edge.a, edge.b)).collect();
        let mut edges = Vec::new();
        for (kind, line) in &self.lines {
            for place in 0..line.len() {
                for other in &line[place + 1..] {
                    if let Some(Some(edge)) = self.edge(*kind, line[place], *other)
                        && prices[edge.a as usize] + prices[edge.b as usize] < 2 * edge.value
                        && !known.contains(&(edge.a, edge.b))
                    {
                        edges.push(edge);
                    }
                }
            }
        }
        edges
    }

    /// The edge between two neighbours of a line, if their meeting is worth something; none inside, if it is another line's.
    fn edge(&self, kind: u8, a: u32, b: u32) -> Option<Option<Edge>> {
        let (a, b) = (a.min(b), a.max(b));
        let meeting = self.rules.meets(&self.pool[a as usize], &self.pool[b as usize])?;
        Some((meeting.kind == kind).then_some(Edge { a, b, value: meeting.value }))
    }
}
