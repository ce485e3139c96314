//! Single rules, each with the boundary where it turns.
#![allow(missing_docs, reason = "a test")]

use std::{sync::Arc, time::Duration};

use kernel::PlayerId;
use pairing::{Candidate, Colors, Kinds, POINT, Rules, pair};
use uuid::Uuid;

fn player(number: u128) -> PlayerId {
    PlayerId::from_uuid(Uuid::from_u128(number))
}

fn candidate(number: u128, points: i64, millis: u64) -> Candidate {
    Candidate {
        player: player(number),
        ratings: [points * POINT; 3],
        waited: Duration::from_millis(millis),
        kinds: Kinds(1),
        colors: Colors::Any,
        below: u32::MAX,
        above: u32::MAX,
        sheltered: false,
        content: 400,
        last_opponent: None,
        avoids: Arc::default(),
    }
}

fn meet(a: &Candidate, b: &Candidate) -> bool {
    let rules = Rules::default();
    assert_eq!(rules.meeting(a, b).is_some(), rules.meeting(b, a).is_some(), "it is mutual");
    rules.meeting(a, b).is_some()
}

/// Both sides' windows hold; they open with waiting, pause at 400 points, and go on after 30 s so that nobody starves.
#[test]
fn windows_open_with_waiting_and_both_must_hold() {
    let rules = Rules::default();
    let after = |seconds| rules.window(Duration::from_secs(seconds));
    assert_eq!([0, 1, 10, 25, 30, 31, 60].map(after), [100, 112, 220, 400, 400, 412, 760]);
    assert_eq!(rules.window(Duration::MAX), u32::MAX);
    let long = candidate(1, 1_200, 20_000);
    assert!(meet(&long, &candidate(2, 1_300, 0)));
    assert!(!meet(&long, &candidate(2, 1_301, 0)), "the newcomer accepts 100 points and no more");
    assert!(meet(&long, &candidate(2, 1_312, 1_000)));
}

/// A player's own range holds to the point, in either direction, and the other's too: B is not matched with A when A's range
/// excludes B, whatever B accepts.
#[test]
fn a_match_is_never_one_sided() {
    let picky = Candidate { below: 20, above: 50, ..candidate(1, 1_200, 5_000) };
    for (points, fits) in [(1_179, false), (1_180, true), (1_250, true), (1_251, false)] {
        assert_eq!(meet(&picky, &candidate(2, points, 5_000)), fits, "{points}");
    }
}

/// A new or weak player never meets somebody stronger by 400 points or more, however long both wait; weaker ones they do.
#[test]
fn the_sheltered_are_spared_the_strong_for_good() {
    let new = Candidate { sheltered: true, ..candidate(1, 1_000, 600_000) };
    assert!(meet(&new, &candidate(2, 1_399, 600_000)));
    assert!(!meet(&new, &candidate(2, 1_400, 600_000)));
    assert!(meet(&new, &candidate(2, 600, 600_000)));
}

/// Somebody whom one never meets is never met, from either side; nor is who wants the same colour.
#[test]
fn the_shunned_and_those_of_one_colour_never_meet() {
    let other = candidate(2, 1_200, 600_000);
    let shy = Candidate { avoids: [player(2)].into(), ..candidate(1, 1_200, 600_000) };
    assert!(!meet(&shy, &other));
    let black = |number| Candidate { colors: Colors::Black, ..candidate(number, 1_200, 0) };
    assert!(!meet(&black(1), &black(2)));
    assert!(meet(&black(1), &Candidate { colors: Colors::White, ..candidate(2, 1_200, 0) }));
    assert!(meet(&black(1), &candidate(2, 1_200, 0)));
}

/// With three who suit each other, the two who have just met do not meet again; when nobody else is there they do, but not before both have
/// waited for a moment.
#[test]
fn those_who_just_met_are_kept_apart_while_others_are_near() {
    let rules = Rules::default();
    let mut pool = vec![candidate(1, 1_200, 9_000), candidate(2, 1_200, 9_000), candidate(3, 1_299, 0)];
    pool[0].last_opponent = Some(player(2));
    let pairs = pair(&pool, &rules);
    assert_eq!(pairs.len(), 1);
    assert!(pairs[0].a == 2 || pairs[0].b == 2, "{pairs:?}");
    pool.pop();
    assert_eq!(pair(&pool, &rules).len(), 1, "nobody else is there");
    pool[1].waited = rules.rematch_after - Duration::from_millis(1);
    assert_eq!(pair(&pool, &rules), [], "somebody else may come yet");
}

/// They play the first kind that both accept, on the board where they are nearest; without a common kind they do not meet.
#[test]
fn they_play_what_both_accept_where_they_are_nearest() {
    let rules = Rules { boards: [0b0011, 0b1100, 0], ..Rules::default() };
    let with = |number, kinds, ratings: [i64; 3]| Candidate {
        kinds: Kinds(kinds),
        ratings: ratings.map(|points| points * POINT),
        ..candidate(number, 0, 0)
    };
    let kind = |a: u64, b: u64| {
        let (a, b) = (with(1, a, [1_200, 1_500, 0]), with(2, b, [1_250, 1_510, 0]));
        rules.meeting(&a, &b).map(|meeting| meeting.kind)
    };
    assert_eq!([kind(0b1111, 0b1111), kind(0b0110, 0b0010), kind(0b1001, 0b0110)], [Some(2), Some(1), None]);
}

/// Where many come, a newcomer is content with near ones only, and with more after a while: the wide gap waits until the wait has paid for it.
#[test]
fn where_many_come_a_wide_gap_has_to_be_paid_for_by_waiting() {
    let rules = Rules::default();
    assert!(rules.content(0.0) == rules.widest && rules.content(1.0) < 5);
    assert!(rules.content(0.01) > rules.content(0.1));
    let crowded = |number, points, millis| Candidate { content: 10, ..candidate(number, points, millis) };
    assert!(meet(&crowded(1, 1_200, 0), &crowded(2, 1_210, 0)));
    assert!(!meet(&crowded(1, 1_200, 0), &crowded(2, 1_211, 0)));
    let patience = 30_000;
    assert!(meet(&crowded(1, 1_200, patience + 2_000), &crowded(2, 1_234, 0)), "10 and 2 s of 12");
    assert!(!meet(&crowded(1, 1_200, patience + 1_900), &crowded(2, 1_234, 0)));
}

/// In a large pool somebody is found even where all neighbours are out of the question: here one who shuns everybody but one who is two hundred places
/// away, among six hundred who all want Black. With 32 who are looked after at each wave it is everybody's turn within twenty.
#[test]
fn who_suits_none_of_the_neighbours_is_looked_after() {
    let black = |number: u128| Candidate {
        colors: Colors::Black,
        ..candidate(number, 1_000 + i64::try_from(number).unwrap_or(0), 60_000)
    };
    let mut pool: Vec<Candidate> = (0..600).map(black).collect();
    pool[300].colors = Colors::White;
    pool[300].avoids = (0..600).filter(|number| *number != 500).map(player).collect();
    let mut found = Vec::new();
    for _ in 0..20 {
        found.extend(pair(&pool, &Rules::default()).iter().map(|pair| [pair.a, pair.b]));
        pool.iter_mut().for_each(|one| one.waited += Duration::from_millis(500));
    }
    found.dedup();
    assert_eq!(found, [[300, 500]]);
}

/// Nobody in range waits for ever: two who are alone with each other, and whom nothing but their ratings keeps apart, meet after the
/// gap's worth of window; where many come and they could hope for somebody nearer, when the window has paid for it after their patience has ended.
#[test]
fn nobody_starves_beyond_the_stated_bound() {
    for gap in [0_u32, 100, 400, 1_000, 3_000] {
        let bound = match gap {
            ..=400 => gap.saturating_sub(100).div_ceil(12),
            _ => 30 + (gap - 400).div_ceil(12),
        };
        let at = |seconds: u32, content: u32| {
            let millis = u64::from(seconds) * 1000;
            let a = Candidate { content, ..candidate(1, 1_000, millis) };
            meet(&a, &Candidate { content, ..candidate(2, 1_000 + i64::from(gap), millis) })
        };
        assert!(at(bound, 400) || gap > 400, "{gap}");
        assert!(bound == 0 || !at(bound - 1, 400), "{gap}");
        assert!(at(bound.max(31 + gap / 24), 1), "{gap}");
    }
}
