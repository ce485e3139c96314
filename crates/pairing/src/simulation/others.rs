//! How others pair, written from their public descriptions.

use super::{Waiting, policy::micros};
use crate::{
    POINT,
    blossom::{self, Edge, Effort},
};

/// First come first served: each of those who look, in the order of their coming, takes the first other within the window.
pub(super) fn first_come(
    queue: &[Waiting],
    window: f64,
    looks: impl Fn(&Waiting) -> bool,
) -> Vec<(usize, usize)> {
    let mut taken = vec![false; queue.len()];
    let mut pairs = Vec::new();
    for (place, one) in queue.iter().enumerate() {
        if taken[place] || !looks(one) {
            continue;
        }
        let suits = |other: &usize| {
            *other != place && !taken[*other] && (queue[*other].rating - one.rating).abs() <= window
        };
        if let Some(other) = (0..queue.len()).find(suits) {
            taken[place] = true;
            taken[other] = true;
            pairs.push((place, other));
        }
    }
    pairs
}

/// A matching of as many as possible, with the least sum of gaps less 12 points for each missed wave.
pub(super) fn waves(queue: &[Waiting]) -> Vec<(usize, usize)> {
    // More than any sum of gaps, so that as many as possible meet.
    let many = 100_000 * POINT;
    let mut order: Vec<usize> = (0..queue.len()).collect();
    order.sort_by(|a, b| queue[*a].rating.total_cmp(&queue[*b].rating));
    let mut edges = Vec::new();
    for (a, left) in (0_u32..).zip(&order) {
        for (b, right) in (0_u32..).zip(&order).skip(a as usize + 1).take(60) {
            let (left, right) = (queue[*left], queue[*right]);
            let missed = f64::from(left.missed) + f64::from(right.missed);
            let score = (left.rating - right.rating).abs() - 12.0 * missed;
            if score <= left.rating.max(right.rating) / 15.0 {
                edges.push(Edge { a, b, value: many - micros(score) });
            }
        }
    }
    let Ok(count) = u32::try_from(queue.len()) else { return Vec::new() };
    let matching = blossom::best(count, &edges, Effort { first: 24, second: 1_000 });
    let pairs = (0_usize..).zip(&matching.partners);
    pairs
        .filter_map(|(a, b)| b.map(|b| (a, b as usize)))
        .filter(|(a, b)| a < b)
        .map(|(a, b)| (order[a], order[b]))
        .collect()
}
