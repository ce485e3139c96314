//! People who meet people.

use std::{collections::BTreeMap, time::Duration};

use nigiri_proto::{
    game::v1::{Color, time_control::Control},
    matchmaking::v1::{Ended, EndedReason, FindMatchRequest, find_match_response::Message},
};
use platform::{convert::from_proto_duration, status::reason_of};
use tokio::time::Instant;
use tonic::Code;

use crate::world::{Person, World, quick};

/// Two who ask, at one replica or at two, get one game at once: opposite colours, the settings of `quick`, each the other's opponent.
#[tokio::test]
async fn two_strangers_meet_and_sit_opposite_each_other() {
    let mut world = World::paused().await;
    world.rated_guests = true;
    let (first, second) = (world.node().await, world.node().await);
    for (at, rated) in [(&first, false), (&second, true)] {
        let (mut ann, mut bob) = (world.person(&first, "Ann"), world.person(at, "Bob"));
        let wish = FindMatchRequest { rated, seen_game_id: Some(String::new()), ..quick() };
        world.fakes.over.lock().extend(world.fakes.games.lock().keys().cloned());
        let begin = Instant::now();
        let (a, queued) = ann.queue(wish.clone()).await;
        assert_eq!((queued.rating, queued.ai_after), (1_200, None));
        let (b, _) = bob.queue(wish).await;
        let (a, b) = (a.matched().await, b.matched().await);
        assert!(begin.elapsed() < Duration::from_secs(if rated { 4 } else { 1 }), "{:?}", begin.elapsed());
        assert_eq!(a.game_id, b.game_id);
        assert_eq!(a.color() as i32 + b.color() as i32, 3, "one is Black, one is White");
        assert_eq!((a.rated, b.rated), (rated, rated));
        assert_eq!(a.opponent.unwrap().player_id, bob.id.to_string());
        let opponent = b.opponent.unwrap();
        assert_eq!((opponent.name.as_str(), opponent.bot), ("Ann", false));
        let game = world.fakes.game(&a.game_id);
        let colors: Vec<_> = game.seats.iter().map(|seat| seat.color()).collect();
        assert_eq!(colors, [Color::Black, Color::White]);
        let settings = game.settings.unwrap();
        assert_eq!((settings.preset.as_str(), settings.board_size, settings.komi), ("quick", 9, 7.0));
        assert_eq!((settings.rated, settings.move_limit), (rated, 300));
        let Some(Control::PerMove(clock)) = settings.time_control.unwrap().control else {
            panic!("no clock")
        };
        assert_eq!(from_proto_duration(clock.time.unwrap()), Duration::from_secs(30));
    }
    assert_eq!(world.fakes.games.lock().len(), 2);
}

/// Two of unequal strength wait until both their windows have opened far enough, and hear meanwhile how it goes; rated and unrated
/// tickets do not meet.
#[tokio::test]
async fn windows_open_with_waiting_until_two_meet() {
    let world = World::paused().await;
    let node = world.node().await;
    let (mut weak, mut strong) = (world.person(&node, "Weak"), world.person(&node, "Strong"));
    let mut member = world.with_role(node.channel(), "Member", platform::auth::Role::Player, false);
    world.fakes.ratings.lock().insert(strong.id.to_string(), 1_350);
    let (mut other, _) = member.queue(FindMatchRequest { rated: true, ..quick() }).await;
    let (mut weak, _) = weak.queue(quick()).await;
    let begin = Instant::now();
    let (strong, queued) = strong.queue(quick()).await;
    assert_eq!(queued.rating, 1_350);
    let first = weak.progress().await;
    assert_eq!((first.rating_window, first.open_tickets, first.waiting_for_bot), (112, 3, false));
    assert_eq!(from_proto_duration(first.waited.unwrap()).as_secs(), 1);
    weak.matched().await;
    strong.matched().await;
    // 150 points apart: 100 and 12 a second reach that after 4.2 s, and a wave comes at most 0.6 s later.
    let waited = begin.elapsed();
    assert!((4_160..4_900).contains(&waited.as_millis()), "{waited:?}");
    while other.progress().await.open_tickets > 1 {}
}

/// While nothing changes any more something is still said, so that a client can tell a quiet queue from a dead server; the last word is
/// the cancel's, and it is final: the player is out, and a second cancel finds nothing.
#[tokio::test]
async fn a_cancelled_ticket_ends_at_once_and_never_meets_anybody() {
    let world = World::paused().await;
    let (first, second) = (world.node().await, world.node().await);
    let mut ann = world.person(&first, "Ann");
    let (search, _) = ann.queue(quick()).await;
    // Through the other replica: any one serves any ticket.
    world.person(&second, "Ann").cancel().await.unwrap();
    let ended = Message::Ended(Ended { reason: EndedReason::Cancelled.into() });
    assert_eq!(search.last().await, ended);
    let (mut bob, _) = world.person(&second, "Bob").queue(quick()).await;
    for _ in 0..10 {
        assert_eq!(bob.progress().await.open_tickets, 1);
    }
    let refused = ann.cancel().await.unwrap_err();
    assert_eq!((refused.code(), reason_of(&refused).as_deref()), (Code::NotFound, Some("NO_TICKET")));
    assert!(world.fakes.games.lock().is_empty());
}

/// A cancel races a match through another replica, many times: either the cancel wins and there is no game with that player, or it is told
/// the game and both players get it. Never both, never neither.
#[tokio::test]
async fn a_cancel_races_a_match_and_one_of_them_wins() {
    let world = World::paused().await;
    let (first, second) = (world.node().await, world.node().await);
    let (mut cancelled, mut matched, mut played) = (0, 0, BTreeMap::new());
    for round in 0..32_usize {
        world.fakes.over.lock().extend(world.fakes.games.lock().keys().cloned());
        // Opponents change from round to round, since those who just met are kept apart for a while.
        let names = [format!("Ann {}", round % 4), format!("Bob {}", (round + round / 4) % 4)];
        let mut ann = world.person(&first, &names[0]);
        let mut elsewhere = world.person(&second, &names[0]);
        let mut bob = world.person(if round % 2 == 0 { &first } else { &second }, &names[1]);
        let (a, _) = ann.queue(quick()).await;
        let late = async {
            for _ in 0..round * 6 {
                tokio::task::yield_now().await;
            }
            elsewhere.cancel().await
        };
        let ((mut b, _), cancel) = tokio::join!(bob.queue(quick()), late);
        let games = |person: &Person| {
            let id = person.id.to_string();
            let games = world.fakes.games.lock();
            games.values().filter(|game| game.seats.iter().any(|seat| seat.player_id == id)).count()
        };
        let before = played.insert(names[0].clone(), games(&ann)).unwrap_or_default();
        match cancel {
            Ok(()) => {
                cancelled += 1;
                assert!(matches!(a.last().await, Message::Ended(_)));
                let next = b.next().await;
                assert!(matches!(next, Message::Progress(_)), "round {round}: {next:?}");
                bob.cancel().await.unwrap();
                assert_eq!(games(&ann), before, "a cancelled ticket has a game");
            }
            Err(status) => {
                matched += 1;
                let reason = reason_of(&status).unwrap();
                let game = a.matched().await.game_id;
                assert_eq!(game, b.matched().await.game_id);
                played.insert(names[0].clone(), games(&ann));
                // Told while the game is being made; once it is there, the ticket is history.
                assert!(["TICKET_MATCHED", "NO_TICKET"].contains(&reason.as_str()), "{status}");
            }
        }
    }
    assert!(cancelled > 0 && matched > 0, "{cancelled} cancelled, {matched} matched: no race");
}

/// Forty who come at once through two replicas all get a game, each with one other.
#[tokio::test]
async fn a_crowd_at_two_replicas_is_paired_without_a_rest() {
    let world = World::paused().await;
    let nodes = [world.node().await, world.node().await];
    let searches = (0..40_usize).map(|number| {
        let mut person = world.person(&nodes[number % 2], &format!("Player {number}"));
        world
            .fakes
            .ratings
            .lock()
            .insert(person.id.to_string(), 1_000 + i32::try_from(number * 37 % 400).unwrap());
        async move { person.queue(quick()).await.0.matched().await.game_id }
    });
    let begin = Instant::now();
    let mut games = futures::future::join_all(searches).await;
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    games.sort();
    games.dedup();
    assert_eq!((games.len(), world.fakes.games.lock().len()), (20, 20));
}
