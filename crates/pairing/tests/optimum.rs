//! The matching against its proof, and against trying everything.
#![allow(missing_docs, reason = "a test")]

use std::{collections::HashMap, sync::Arc, time::Duration};

use kernel::PlayerId;
use pairing::{
    Candidate, Colors, Kinds, POINT, Pair, Rules,
    blossom::{self, Edge, Effort, Matching},
    pair,
};
use proptest::prelude::*;
use uuid::Uuid;

fn player(number: usize) -> PlayerId {
    PlayerId::from_uuid(Uuid::from_u128(number as u128))
}

fn candidate(number: usize, points: i64, millis: u64) -> Candidate {
    Candidate {
        player: player(number),
        ratings: [points * POINT; 3],
        waited: Duration::from_millis(millis),
        kinds: Kinds(1),
        colors: Colors::Any,
        below: u32::MAX,
        above: u32::MAX,
        sheltered: false,
        content: 100,
        last_opponent: None,
        avoids: Arc::default(),
    }
}

fn rules() -> Rules {
    Rules { boards: [0b1111, 0b1_1111_0000, 0], ..Rules::default() }
}

/// The greatest value by trying everything: over all sets of vertices.
fn brute_force(count: usize, edges: &[Edge]) -> i64 {
    let mut values = vec![vec![0; count]; count];
    for edge in edges {
        values[edge.a as usize][edge.b as usize] = edge.value;
        values[edge.b as usize][edge.a as usize] = edge.value;
    }
    let mut best = vec![0_i64; 1 << count];
    for set in 1..1_usize << count {
        let first = set.trailing_zeros() as usize;
        let rest = set & (set - 1);
        best[set] = best[rest];
        for other in (0..count).filter(|other| rest & (1 << other) != 0 && values[first][*other] > 0) {
            best[set] = best[set].max(values[first][other] + best[rest & !(1 << other)]);
        }
    }
    best[(1 << count) - 1]
}

/// What a matching is worth; fails if it is not symmetric or uses an edge that is not there.
fn worth(edges: &[Edge], matching: &Matching) -> i64 {
    let values: HashMap<(u32, u32), i64> = edges
        .iter()
        .flat_map(|edge| [((edge.a, edge.b), edge.value), ((edge.b, edge.a), edge.value)])
        .collect();
    let mut sum = 0;
    for (a, b) in (0_u32..).zip(&matching.partners) {
        if let Some(b) = *b {
            assert_eq!(matching.partners[b as usize], Some(a));
            sum += values[&(a, b)];
        }
    }
    sum / 2
}

/// Checks the proof: prices and charges cover every edge, and add up to no more than the matching is worth.
fn prove(edges: &[Edge], matching: &Matching) {
    let cover = |a: u32, b: u32| {
        let around =
            matching.blossoms.iter().filter(|(members, _)| members.contains(&a) && members.contains(&b));
        matching.prices[a as usize]
            + matching.prices[b as usize]
            + around.map(|(_, charge)| charge).sum::<i64>()
    };
    for edge in edges {
        assert!(cover(edge.a, edge.b) >= 2 * edge.value, "{edge:?} is worth more than its ends");
    }
    assert!(matching.prices.iter().all(|price| *price >= 0));
    let charges = matching.blossoms.iter().map(|(members, charge)| charge * ((members.len() as i64 - 1) / 2));
    let bound = matching.prices.iter().sum::<i64>() + charges.sum::<i64>();
    assert_eq!(bound, 2 * worth(edges, matching), "the proof does not meet the matching");
}

fn edges_of(pool: &[Candidate], rules: &Rules) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (a, left) in (0..).zip(pool) {
        for (b, right) in (0..).zip(pool).skip(a as usize + 1) {
            edges.extend(rules.meeting(left, right).map(|meeting| Edge { a, b, value: meeting.value }));
        }
    }
    edges
}

/// What pairs are worth; fails if somebody is in two, or two may not meet.
fn total(pool: &[Candidate], rules: &Rules, pairs: &[Pair]) -> i64 {
    let mut taken = vec![false; pool.len()];
    let mut sum = 0;
    for pair in pairs {
        for place in [pair.a, pair.b] {
            assert!(!std::mem::replace(&mut taken[place], true), "{place} is in two pairs");
        }
        let meeting = rules.meeting(&pool[pair.a], &pool[pair.b]).expect("they may not meet");
        assert_eq!(meeting.kind, pair.kind);
        sum += meeting.value;
    }
    sum
}

fn graph(vertices: std::ops::Range<usize>, values: i64) -> impl Strategy<Value = (usize, Vec<Edge>)> {
    vertices.prop_flat_map(move |count| {
        let all: Vec<(u32, u32)> =
            (0..count as u32).flat_map(|a| (a + 1..count as u32).map(move |b| (a, b))).collect();
        // About a third of the edges is there; few different values make many blossoms.
        let value = prop_oneof![2 => Just(0), 1 => 1..=values];
        proptest::collection::vec(value, all.len()).prop_map(move |values| {
            let edges = all.iter().zip(values).filter(|(_, value)| *value > 0);
            (count, edges.map(|((a, b), value)| Edge { a: *a, b: *b, value }).collect())
        })
    })
}

fn pools(size: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<Candidate>> {
    let tastes = (0_usize..4, prop_oneof![3 => Just(u32::MAX), 1 => 50_u32..300], any::<bool>(), 5_u32..=100);
    let one =
        (900_i64..1_500, -60_i64..60, 0_u64..60_000, 1_u64..512, proptest::option::of(0_usize..8), tastes);
    proptest::collection::vec(one, size).prop_map(|all| {
        let numbered = all.into_iter().enumerate();
        numbered
            .map(|(number, (points, other, millis, kinds, met, (colors, above, sheltered, content)))| {
                Candidate {
                    ratings: [points * POINT, (points + other) * POINT, 0],
                    kinds: Kinds(kinds),
                    colors: [Colors::Any, Colors::Any, Colors::Black, Colors::White][colors],
                    above,
                    sheltered,
                    content,
                    last_opponent: met.map(player),
                    avoids: met.into_iter().map(|met| player(met + 1)).filter(|_| number % 3 == 0).collect(),
                    ..candidate(number, points, millis)
                }
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// In any small graph the matching is worth as much as the best that there is, and its proof holds.
    #[test]
    fn small_graphs_are_matched_at_the_optimum((count, edges) in graph(0..13, 12)) {
        let matching = blossom::best(count as u32, &edges, Effort::EXACT);
        prop_assert_eq!(worth(&edges, &matching), brute_force(count, &edges));
        prove(&edges, &matching);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// In larger graphs, with blossoms within blossoms, the proof holds; so the matching is the best.
    #[test]
    fn larger_graphs_are_proved_to_be_at_the_optimum((count, edges) in graph(20..60, 5)) {
        prove(&edges, &blossom::best(count as u32, &edges, Effort::EXACT));
    }

    /// Pools of a dozen with all their tastes are paired at the optimum, whatever the order in which they are given.
    #[test]
    fn small_pools_are_paired_at_the_optimum(pool in pools(0..=13)) {
        let rules = rules();
        let pairs = pair(&pool, &rules);
        let best = total(&pool, &rules, &pairs);
        prop_assert_eq!(best, brute_force(pool.len(), &edges_of(&pool, &rules)));
        let mut reversed = pool.clone();
        reversed.reverse();
        prop_assert_eq!(names(&pool, &pairs), names(&reversed, &pair(&reversed, &rules)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Pools of some hundreds are paired at the optimum over all pairs that there are.
    #[test]
    fn pools_of_hundreds_are_paired_at_the_optimum(pool in pools(150..=400)) {
        let rules = rules();
        let edges = edges_of(&pool, &rules);
        let best = blossom::best(pool.len() as u32, &edges, Effort::EXACT);
        prove(&edges, &best);
        let pairs = pair(&pool, &rules);
        prop_assert_eq!(total(&pool, &rules, &pairs), worth(&edges, &best));
        // So nobody is left who could meet somebody who is left.
        let met: Vec<usize> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
        let left = |place: u32| !met.contains(&(place as usize));
        prop_assert!(!edges.iter().any(|edge| left(edge.a) && left(edge.b)));
    }
}

/// The pairs by the players' ids, in a fixed order.
fn names(pool: &[Candidate], pairs: &[Pair]) -> Vec<[PlayerId; 2]> {
    let name = |pair: &Pair| {
        let (a, b) = (pool[pair.a].player, pool[pair.b].player);
        [a.min(b), a.max(b)]
    };
    let mut names: Vec<_> = pairs.iter().map(name).collect();
    names.sort();
    names
}

/// Ten thousand who wait at once are paired within a hundredth of the optimum, both when all want the same game and when tastes differ.
/// The optimum is bounded from above by prices that cover every pair there is: those of the matching of the neighbours, raised where a
/// pair farther apart is worth more.
#[test]
fn ten_thousand_are_paired_within_a_hundredth_of_the_optimum() {
    let rules = rules();
    for kinds in [1_u64, 0b1_1010_1101] {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64
        };
        let pool: Vec<Candidate> = (0..10_000)
            .map(|number| {
                // A bell of ratings, waits up to 1.5 s, and some of the kinds.
                let points = 400 + (0..4).map(|_| random() % 500).sum::<i64>();
                let taste = if kinds == 1 { 1 } else { kinds & random() as u64 | 1 << (random() % 9) };
                let content = 3 + (random() % 20) as u32;
                Candidate {
                    kinds: Kinds(taste),
                    content,
                    ..candidate(number, points, (random() % 20_000) as u64)
                }
            })
            .collect();
        let pairs = pair(&pool, &rules);
        let ours = total(&pool, &rules, &pairs);
        // What all bring together is a bound as well: no gap is less than nothing.
        let brought = pool.iter().map(|one| rules.brings(one)).sum();
        let bound = upper_bound(&pool, &rules).min(brought);
        println!("kinds {kinds:b}: {} pairs, {ours} of at most {bound}", pairs.len());
        assert!(ours as f64 >= 0.99 * bound as f64, "{ours} of at most {bound}");
    }
}

fn upper_bound(pool: &[Candidate], rules: &Rules) -> i64 {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    order.sort_by_key(|place| (pool[*place].ratings[0], *place));
    let line: Vec<Candidate> = order.iter().map(|place| pool[*place].clone()).collect();
    let mut edges = Vec::new();
    for a in 0..line.len() {
        for b in (a + 1..line.len()).take(40) {
            edges.extend(rules.meeting(&line[a], &line[b]).map(|m| Edge {
                a: a as u32,
                b: b as u32,
                value: m.value,
            }));
        }
    }
    let matching = blossom::best(line.len() as u32, &edges, Effort::EXACT);
    let charges = matching.blossoms.iter().map(|(members, charge)| charge * ((members.len() as i64 - 1) / 2));
    let charges: i64 = charges.sum();
    let mut prices = matching.prices;
    for a in 0..line.len() {
        // The other edges, which no blossom helps to cover.
        for b in a + 41..line.len() {
            let Some(meeting) = rules.meeting(&line[a], &line[b]) else { continue };
            prices[b] += (2 * meeting.value - prices[a] - prices[b]).max(0);
        }
    }
    (prices.iter().sum::<i64>() + charges) / 2
}
