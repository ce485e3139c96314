//! Chains of one colour that cannot be cut: for each two of a group there is a way over pairs of points that are liberties of both chains.
//! When the opponent plays on one point of a pair, the answer is the other. No point serves in two pairs, and nothing
//! else is played on any.

use std::collections::BTreeMap;

use super::frame::{Frame, NONE};
use crate::Color;

/// The groups of one colour.
pub(super) struct Groups {
    /// The chains of each.
    pub(super) chains: Vec<Vec<usize>>,
    /// The points of the pairs, and whatever else must be left alone.
    pub(super) links: Vec<bool>,
}

fn find(parent: &[usize], mut chain: usize) -> usize {
    while parent[chain] != chain {
        chain = parent[chain];
    }
    chain
}

impl Groups {
    /// Groups of that colour's chains. Chains that are `alive` already need no pair between them.
    pub(super) fn of(frame: &Frame, color: Color, alive: &[bool]) -> Self {
        let mut shared: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for place in (0..frame.stones.len()).filter(|&p| frame.stones[p].is_none()) {
            let mut beside: Vec<usize> = frame.near[place].iter().map(|&n| frame.chain[n]).collect();
            beside.retain(|&c| c != NONE && frame.chains[c].color == color);
            beside.sort_unstable();
            beside.dedup();
            for (i, &a) in beside.iter().enumerate() {
                for &b in &beside[i + 1..] {
                    shared.entry((a, b)).or_default().push(place);
                }
            }
        }
        let mut parent: Vec<usize> = (0..frame.chains.len()).collect();
        let mut links = vec![false; frame.stones.len()];
        let room = |place: usize| frame.near[place].iter().filter(|&&n| frame.stones[n].is_none()).count();
        for ((a, b), mut points) in shared {
            let (first, second) = (find(&parent, a), find(&parent, b));
            points.retain(|&p| !links[p]);
            // Narrow points are worth the least for eyes.
            points.sort_by_key(|&p| (room(p), p));
            if let ([one, other, ..], false, false) = (&points[..], first == second, alive[a] && alive[b]) {
                links[*one] = true;
                links[*other] = true;
                parent[second] = first;
            }
        }
        let mut chains: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for chain in frame.chains_of(color) {
            chains.entry(find(&parent, chain)).or_default().push(chain);
        }
        Self { chains: chains.into_values().collect(), links }
    }
}
