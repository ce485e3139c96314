//! What tickets name: presets, boards, clocks, colours, ranges.

use std::time::Duration;

use goban::Preset;
use nigiri_proto::{
    game::v1::{Color, time_control::Control},
    matchmaking::v1::{FindMatchRequest, MatchSettings, Matched, Pace, find_match_response::Message},
};
use tokio::time::Instant;

use crate::world::{Search, World, quick};

fn accepts(list: &[(&str, &[u32], &[Pace])]) -> FindMatchRequest {
    let one = |(preset, sides, paces): &(&str, &[u32], &[Pace])| MatchSettings {
        preset: (*preset).to_owned(),
        board_sizes: sides.to_vec(),
        paces: paces.iter().map(|pace| (*pace).into()).collect(),
    };
    FindMatchRequest { accepts: list.iter().map(one).collect(), ..FindMatchRequest::default() }
}

fn board_and_clock(matched: &Matched) -> (String, u32, Control) {
    let settings = matched.settings.clone().unwrap();
    (settings.preset, settings.board_size, settings.time_control.unwrap().control.unwrap())
}

/// Two strangers who name a preset get its usual game: board, komi, move limit and clock are the preset's, for all four.
#[tokio::test]
async fn strangers_meet_for_each_of_the_four_presets() {
    let world = World::paused().await;
    let node = world.node().await;
    for preset in Preset::OFFERED {
        let (mut a, mut b) =
            (world.person(&node, &format!("A {preset}")), world.person(&node, &format!("B {preset}")));
        let wish = accepts(&[(preset.name(), &[], &[])]);
        let ((a, _), (b, _)) = tokio::join!(a.queue(wish.clone()), b.queue(wish));
        let (a, b) = tokio::join!(a.matched(), b.matched());
        assert_eq!((&a.game_id, &a.settings), (&b.game_id, &b.settings));
        let settings = world.fakes.game(&a.game_id).settings.unwrap();
        assert_eq!(a.settings.as_ref(), Some(&settings));
        let side = preset.sides()[0];
        assert_eq!((settings.preset.as_str(), settings.board_size), (preset.name(), u32::from(side)));
        assert_eq!(settings.komi, f64::from(preset.komi().half_points()) / 2.0);
        assert_eq!(settings.move_limit, if side == 19 { 1_200 } else { 300 });
        let clock = settings.time_control.unwrap().control.unwrap();
        match clock {
            Control::PerMove(clock) => assert!(preset != Preset::Igo && clock.time.unwrap().seconds == 30),
            Control::Byoyomi(clock) => {
                assert_eq!((preset, clock.periods), (Preset::Igo, 5));
                assert_eq!((clock.time.unwrap().seconds, clock.period.unwrap().seconds), (600, 30));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Two who accept several games play one that both accept; who has none in common with anybody waits.
#[tokio::test]
async fn they_play_what_both_accept() {
    let world = World::paused().await;
    let node = world.node().await;
    let [mut ann, mut bob, mut cem] = ["Ann", "Bob", "Cem"].map(|name| world.person(&node, name));
    let (mut cem, _) = cem.queue(accepts(&[("territory", &[], &[]), ("weiqi", &[13], &[])])).await;
    let wish = accepts(&[
        ("quick", &[], &[]),
        ("weiqi", &[9, 19], &[Pace::PerMove, Pace::Fischer]),
        ("igo", &[], &[]),
    ]);
    let (ann, _) = ann.queue(wish).await;
    let (bob, _) = bob.queue(accepts(&[("weiqi", &[19], &[Pace::Fischer, Pace::Byoyomi])])).await;
    let (ann, _) = tokio::join!(ann.matched(), bob.matched());
    let (preset, side, clock) = board_and_clock(&ann);
    assert_eq!((preset.as_str(), side), ("weiqi", 19));
    let Control::Fischer(clock) = clock else { panic!("{clock:?}") };
    let [time, increment, cap] = [clock.time, clock.increment, clock.cap].map(|time| time.unwrap().seconds);
    assert_eq!([time, increment, cap], [300, 10, 600]);
    while cem.progress().await.open_tickets > 1 {}
}

/// Who takes rated and unrated games alike meets somebody who takes only the one or only the other; with their like they play a rated game.
#[tokio::test]
async fn rated_and_unrated_meet_in_whoever_takes_both() {
    let mut world = World::paused().await;
    world.rated_guests = true;
    let node = world.node().await;
    let wish = |rated, unrated_too| FindMatchRequest { rated, unrated_too, ..quick() };
    for (other, rated) in [(wish(true, false), true), (wish(false, false), false), (wish(true, true), true)] {
        let names = [format!("Both {other:?}"), format!("Other {other:?}")];
        let [mut a, mut b] = names.map(|name| world.person(&node, &name));
        let ((a, _), (b, _)) = tokio::join!(a.queue(wish(true, true)), b.queue(other));
        let (a, b) = tokio::join!(a.matched(), b.matched());
        assert_eq!((a.rated, b.rated), (rated, rated));
    }
}

/// A colour that was asked for is had; two who want the same one never meet, and elsewhere than in unrated games of two presets none can be named.
#[tokio::test]
async fn colours_are_had_where_they_can_be_named() {
    let world = World::paused().await;
    let node = world.node().await;
    let [mut ann, mut bob, mut cem] = ["Ann", "Bob", "Cem"].map(|name| world.person(&node, name));
    let black = |wish| FindMatchRequest { color: Color::Black.into(), ..wish };
    for wish in [quick(), accepts(&[("weiqi", &[], &[]), ("quick", &[], &[])])] {
        assert!(ann.find(black(wish)).await.is_err());
    }
    let weiqi = || accepts(&[("weiqi", &[], &[])]);
    let (mut ann, _) = ann.queue(black(weiqi())).await;
    let (mut bob, _) = bob.queue(black(weiqi())).await;
    for _ in 0..40 {
        ann.progress().await;
        bob.progress().await;
    }
    let (cem, _) = cem.queue(weiqi()).await;
    assert_eq!(cem.matched().await.color(), Color::White);
}

/// Two who meet again, and so do not choose, have the other colour each time.
#[tokio::test]
async fn colours_are_swapped_when_two_meet_again() {
    let world = World::paused().await;
    let node = world.node().await;
    let [mut ann, mut bob] = ["Ann", "Bob"].map(|name| world.person(&node, name));
    let mut colors = Vec::new();
    for _ in 0..4 {
        let ((a, _), (b, _)) = tokio::join!(ann.queue(quick()), bob.queue(quick()));
        let (a, _) = tokio::join!(a.matched(), b.matched());
        world.fakes.over.lock().insert(a.game_id.clone());
        colors.push(a.color());
    }
    assert!(colors.windows(2).all(|two| two[0] != two[1]), "{colors:?}");
}

/// A range holds against whoever is outside of it for the whole wait, although they would have taken the other; somebody inside is met at once.
#[tokio::test]
async fn a_range_excludes_for_the_whole_wait() {
    let world = World::paused().await;
    let node = world.node().await;
    let [mut ann, mut strong, mut near] = ["Ann", "Strong", "Near"].map(|name| world.person(&node, name));
    world.fakes.ratings.lock().extend([(strong.id.to_string(), 1_260), (near.id.to_string(), 1_240)]);
    let (mut ann, _) = ann.queue(FindMatchRequest { stronger_by: Some(50), ..quick() }).await;
    let (mut strong, _) = strong.queue(quick()).await;
    let begin = Instant::now();
    // Long enough for both windows to open to the widest.
    while begin.elapsed() < Duration::from_secs(60) {
        tokio::select! { _ = ann.progress() => {}, _ = strong.progress() => {} }
    }
    let (near, _) = near.queue(quick()).await;
    let met = near.matched().await.opponent.unwrap();
    assert!(["Ann", "Strong"].contains(&met.name.as_str()));
}

/// The first message and all progress name the place; when tickets like it have come to games, the expected wait is what they waited.
#[tokio::test]
async fn place_and_expected_wait_are_told() {
    let world = World::paused().await;
    let node = world.node().await;
    let begin = Instant::now();
    let place = async |search: &mut Search, wanted: u32| {
        while search.progress().await.place != wanted {
            assert!(begin.elapsed() < Duration::from_secs(120), "never at place {wanted}");
        }
    };
    for round in 0..4 {
        // 150 points apart, so they meet after 4.2 s.
        let [mut a, mut b] =
            [format!("A {round}"), format!("B {round}")].map(|name| world.person(&node, &name));
        world.fakes.ratings.lock().insert(b.id.to_string(), 1_350);
        let (mut a, queued) = a.queue(quick()).await;
        assert_eq!((queued.place, queued.expected_wait), (1, None), "too few are known");
        tokio::time::sleep(Duration::from_millis(100)).await;
        let (mut b, _) = b.queue(quick()).await;
        place(&mut a, 1).await;
        place(&mut b, 2).await;
        tokio::join!(a.matched(), b.matched());
    }
    let (mut late, _) = world.person(&node, "Late").queue(quick()).await;
    loop {
        match late.next().await {
            Message::Progress(progress) if progress.expected_wait.is_some() => {
                let left = progress.expected_wait.unwrap().seconds;
                assert!((2..=4).contains(&left), "{left}");
                return;
            }
            Message::Progress(progress) => assert!(progress.waited.unwrap().seconds < 4, "{progress:?}"),
            other => panic!("{other:?}"),
        }
    }
}
