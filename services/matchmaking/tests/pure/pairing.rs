use std::time::Duration;

use kernel::PlayerId;
use matchmaking::{
    pairing::{Candidate, REMATCH_AFTER, alone, cost, pair, window},
    ticket::{Presets, Rating},
};
use proptest::prelude::*;
use uuid::Uuid;

fn player(number: u128) -> PlayerId {
    PlayerId::from_uuid(Uuid::from_u128(number))
}

fn candidate(number: u128, points: i32, seconds: u64) -> Candidate {
    Candidate {
        player: player(number),
        rating: Rating::points(points),
        waited: Duration::from_secs(seconds),
        accepts: Presets::default().with(goban::Preset::Quick),
        last_opponent: None,
    }
}

/// The presets at these bits.
fn presets(bits: u8) -> Presets {
    let all = goban::Preset::OFFERED.into_iter().enumerate();
    all.filter(|(bit, _)| bits & (1 << bit) != 0)
        .fold(Presets::default(), |set, (_, preset)| set.with(preset))
}

/// What a set of pairs costs, those who are left alone included. Fails if somebody is in two pairs or a pair may not meet.
fn total(pool: &[Candidate], pairs: &[(usize, usize)]) -> i64 {
    let mut taken = vec![false; pool.len()];
    let mut sum = 0;
    for (a, b) in pairs {
        for index in [*a, *b] {
            assert!(!std::mem::replace(&mut taken[index], true), "{index} is in two pairs");
        }
        sum += cost(&pool[*a], &pool[*b]).expect("they may not meet");
    }
    sum + pool.iter().zip(taken).filter(|(_, taken)| !taken).map(|(c, _)| alone(c)).sum::<i64>()
}

/// The least cost by trying everything.
fn brute_force(pool: &[Candidate]) -> i64 {
    let Some((first, rest)) = pool.split_first() else { return 0 };
    let mut best = alone(first) + brute_force(rest);
    for (index, partner) in rest.iter().enumerate() {
        if let Some(cost) = cost(first, partner) {
            let others: Vec<_> =
                rest.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, c)| c.clone()).collect();
            best = best.min(cost + brute_force(&others));
        }
    }
    best
}

/// The best of first come first served: the longest wait chooses the nearest.
fn first_come(pool: &[Candidate]) -> i64 {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(pool[*index].waited));
    let mut pairs = Vec::new();
    while let Some(first) = (!order.is_empty()).then(|| order.remove(0)) {
        let near =
            order.iter().enumerate().filter_map(|(place, b)| Some((cost(&pool[first], &pool[*b])?, place)));
        if let Some((_, place)) = near.min() {
            pairs.push((first, order.remove(place)));
        }
    }
    total(pool, &pairs)
}

fn pools(sizes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<Candidate>> {
    let one = (900_i32..1_500, 0_u64..60, proptest::option::of(0_u128..8), 1_u8..8);
    proptest::collection::vec(one, sizes).prop_map(|all| {
        let numbered = all.into_iter().enumerate();
        numbered
            .map(|(number, (points, seconds, met, accepts))| Candidate {
                accepts: presets(accepts),
                last_opponent: met.map(player),
                ..candidate(number as u128, points, seconds)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// For pools no larger than the band there is no better matching; every pair may meet and nobody is in two.
    #[test]
    fn small_pools_are_paired_at_the_least_possible_cost(pool in pools(0..=8)) {
        prop_assert_eq!(total(&pool, &pair(&pool)), brute_force(&pool));
    }

    /// Whatever the order in which tickets are looked at, the pairs are the same; nobody is left alone beside somebody whom they could
    /// meet; and where all want the same game, it is never worse than first come first served.
    #[test]
    fn larger_pools_are_paired_alike_everywhere_and_no_worse_than_first_come(
        pool in pools(9..=40), mixed in any::<bool>()
    ) {
        let same = |c: Candidate| Candidate { accepts: presets(1), ..c };
        let pool: Vec<_> = if mixed { pool } else { pool.into_iter().map(same).collect() };
        let pairs = pair(&pool);
        let ours = total(&pool, &pairs);
        let mut reversed = pool.clone();
        reversed.reverse();
        prop_assert_eq!(names(&pool, &pairs), names(&reversed, &pair(&reversed)));
        let mut alone: Vec<_> = (0..pool.len()).filter(|i| !pairs.iter().any(|(a, b)| a == i || b == i)).collect();
        alone.sort_by_key(|index| (pool[*index].rating, pool[*index].player));
        for near in alone.windows(2) {
            prop_assert_eq!(cost(&pool[near[0]], &pool[near[1]]), None);
        }
        prop_assert!(mixed || ours <= first_come(&pool), "{} > {}", ours, first_come(&pool));
    }
}

/// The pairs by the players' ids, in a fixed order.
fn names(pool: &[Candidate], pairs: &[(usize, usize)]) -> Vec<[PlayerId; 2]> {
    let pair = |(a, b): &(usize, usize)| {
        let (a, b) = (pool[*a].player, pool[*b].player);
        [a.min(b), a.max(b)]
    };
    let mut names: Vec<_> = pairs.iter().map(pair).collect();
    names.sort();
    names
}

/// Both sides' windows hold; they open with waiting, pause at 400 points, and go on after 30 s so that nobody starves.
#[test]
fn windows_open_with_waiting_and_both_must_hold() {
    let after = |seconds| window(Duration::from_secs(seconds));
    assert_eq!([0, 1, 10, 25, 30, 31, 60].map(after), [100, 112, 220, 400, 400, 412, 760]);
    assert_eq!(window(Duration::MAX), u32::MAX);
    let (long, short) = (candidate(1, 1_200, 20), candidate(2, 1_320, 0));
    assert_eq!(cost(&long, &short), None, "the newcomer accepts 100 points and no more");
    let later = Candidate { waited: Duration::from_secs(2), ..short };
    assert!(cost(&long, &later).is_some());
}

/// With three who suit each other, the two who have just met do not meet again, and who waited longest is not left out.
#[test]
fn those_who_just_met_are_kept_apart_and_long_waits_go_first() {
    let mut pool = vec![candidate(1, 1_200, 9), candidate(2, 1_200, 9), candidate(3, 1_290, 0)];
    pool[0].last_opponent = Some(player(2));
    let pairs = pair(&pool);
    assert_eq!(pairs.len(), 1);
    assert!([0, 1].contains(&pairs[0].0) && pairs[0].1 == 2, "{pairs:?}");
    pool.pop();
    assert_eq!(pair(&pool).len(), 1, "nobody else is there: they meet again");
    pool[1].waited = REMATCH_AFTER - Duration::from_millis(1);
    assert_eq!(pair(&pool), [], "somebody else may come yet");

    let queue = [candidate(1, 1_200, 1), candidate(2, 1_205, 0), candidate(3, 1_280, 20)];
    let pairs = pair(&queue);
    assert!(pairs.iter().any(|(a, b)| [*a, *b].contains(&2)), "the longest wait is left alone: {pairs:?}");
}

/// A big pool is one pass along the line: this size would take minutes if the cost grew with the square.
#[test]
fn a_pool_of_twenty_thousand_is_paired_in_one_pass() {
    let pool: Vec<_> = (0..20_000_u32)
        .map(|n| candidate(u128::from(n), 600 + i32::try_from(n * 7919 % 1_800).unwrap(), u64::from(n % 40)))
        .collect();
    let pairs = pair(&pool);
    assert!(pairs.len() > 9_990, "{}", pairs.len());
    let worst = pairs.iter().map(|(a, b)| (pool[*a].rating.0 - pool[*b].rating.0).abs()).max();
    assert!(worst <= Some(10_000_000), "{worst:?}");
}
