//! Benson's algorithm for one colour.

use crate::{Board, Color, Point, Size};

const NONE: usize = usize::MAX;

/// The chains of one colour, and the regions between them: connected points without a stone of that colour.
pub(super) struct Regions {
    size: Size,
    color: Color,
    /// For each point, which chain or region it belongs to; the other is [`NONE`].
    chain_of: Vec<usize>,
    region_of: Vec<usize>,
    chains: usize,
    regions: Vec<Region>,
    stones: Vec<Option<Color>>,
}

struct Region {
    points: Vec<Point>,
    /// Chains beside it, each once.
    chains: Vec<usize>,
}

/// Which chains are pass-alive and which regions have no other chain around them.
pub(super) struct Alive {
    chains: Vec<bool>,
    held: Vec<bool>,
}

impl Alive {
    pub(super) fn holds(&self, regions: &Regions, index: usize) -> bool {
        match regions.chain_of[index] {
            NONE => self.held[regions.region_of[index]],
            chain => self.chains[chain],
        }
    }
}

impl Regions {
    pub(super) fn of(board: &Board, color: Color) -> Self {
        let size = board.size();
        let stones: Vec<Option<Color>> = size.points().map(|p| board.stone(p)).collect();
        let mut this = Self {
            size,
            color,
            chain_of: vec![NONE; size.area()],
            region_of: vec![NONE; size.area()],
            chains: 0,
            regions: Vec::new(),
            stones,
        };
        for point in size.points() {
            let index = size.index(point);
            if this.is_own(index) && this.chain_of[index] == NONE {
                let number = this.chains;
                this.flood(point).into_iter().for_each(|p| this.chain_of[size.index(p)] = number);
                this.chains += 1;
            }
        }
        for point in size.points() {
            let index = size.index(point);
            if !this.is_own(index) && this.region_of[index] == NONE {
                let (number, points) = (this.regions.len(), this.flood(point));
                let mut chains: Vec<usize> = points.iter().flat_map(|&p| this.chains_beside(p)).collect();
                chains.sort_unstable();
                chains.dedup();
                points.iter().for_each(|&p| this.region_of[size.index(p)] = number);
                this.regions.push(Region { points, chains });
            }
        }
        this
    }

    fn is_own(&self, index: usize) -> bool {
        self.stones[index] == Some(self.color)
    }

    /// The points connected to one that are, like it, own stones or not.
    fn flood(&self, from: Point) -> Vec<Point> {
        let own = self.is_own(self.size.index(from));
        let mut seen = vec![false; self.size.area()];
        seen[self.size.index(from)] = true;
        let mut points = vec![from];
        let mut done = 0;
        while let Some(&point) = points.get(done) {
            done += 1;
            for n in self.size.neighbours(point) {
                let index = self.size.index(n);
                if !seen[index] && self.is_own(index) == own {
                    seen[index] = true;
                    points.push(n);
                }
            }
        }
        points
    }

    fn chains_beside(&self, point: Point) -> impl Iterator<Item = usize> + '_ {
        self.size.neighbours(point).map(|n| self.chain_of[self.size.index(n)]).filter(|&c| c != NONE)
    }

    /// Whether all empty points of a region (with `suicide`, all its points) are beside that chain.
    fn is_vital(&self, region: &Region, chain: usize, suicide: bool) -> bool {
        let must_touch = |p: &&Point| suicide || self.stones[self.size.index(**p)].is_none();
        region.points.iter().filter(must_touch).all(|&p| self.chains_beside(p).any(|c| c == chain))
    }

    /// Benson's two steps until nothing changes: drop chains with fewer than two vital regions, and regions
    /// beside a dropped chain.
    pub(super) fn pass_alive(&self, suicide: bool) -> Alive {
        let vital: Vec<Vec<usize>> = self
            .regions
            .iter()
            .map(|r| r.chains.iter().copied().filter(|&c| self.is_vital(r, c, suicide)).collect())
            .collect();
        let mut chains = vec![true; self.chains];
        let mut kept = vec![true; self.regions.len()];
        loop {
            let mut eyes = vec![0_u32; self.chains];
            for (region, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
                vital[region].iter().for_each(|&c| eyes[c] += 1);
            }
            let dropped = (0..self.chains).filter(|&c| chains[c] && eyes[c] < 2).collect::<Vec<_>>();
            if dropped.is_empty() {
                break;
            }
            dropped.iter().for_each(|&c| chains[c] = false);
            for (kept, region) in kept.iter_mut().zip(&self.regions) {
                *kept = *kept && region.chains.iter().all(|&c| chains[c]);
            }
        }
        let held = (0..self.regions.len())
            .map(|r| {
                let region = &self.regions[r];
                kept[r] && !region.chains.is_empty() && (!vital[r].is_empty() || self.has_no_two_eyes(region))
            })
            .collect();
        Alive { chains, held }
    }

    /// Whether a region has no room for two eyes of the opponent: an eye is a point that no stone of this
    /// colour touches, and two eyes are not beside each other.
    fn has_no_two_eyes(&self, region: &Region) -> bool {
        let inner: Vec<Point> =
            region.points.iter().copied().filter(|&p| self.chains_beside(p).next().is_none()).collect();
        let beside = |a: Point, b: Point| a.row().abs_diff(b.row()) + a.column().abs_diff(b.column()) == 1;
        match inner[..] {
            [] | [_] => true,
            [a, b] => beside(a, b),
            _ => false,
        }
    }
}
