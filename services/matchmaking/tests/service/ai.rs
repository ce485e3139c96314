//! People who meet an AI.

use std::time::Duration;

use nigiri_proto::{
    game::v1::{Color, time_control::Control},
    matchmaking::v1::{
        AiLevel, Ended, EndedReason, FindMatchRequest, StartAiGameRequest, find_match_response::Message,
    },
};
use platform::{auth::Role, convert::from_proto_duration, status::reason_of};
use tokio::time::Instant;
use tonic::Code;

use crate::world::{World, quick, quick_or_ai};

/// After 20 s an AI of about the player's strength fills in: marked, unrated though a rated game was asked for, by the clock of the setting.
/// Somebody who wants no AI waits on.
#[tokio::test]
async fn an_ai_fills_in_when_nobody_comes() {
    let world = World::paused().await;
    let (node, other) = (world.node().await, world.node().await);
    let hard = world.bot(&node, "Hard", AiLevel::Hard).await;
    world.bot(&node, "Easy", AiLevel::Easy).await;
    let mut member = world.with_role(other.channel(), "Member", Role::Player, false);
    let mut purist = world.with_role(other.channel(), "Purist", Role::Player, false);
    world.fakes.ratings.lock().insert(member.id.to_string(), 1_500);
    world.fakes.ratings.lock().insert(purist.id.to_string(), 2_500);
    let (mut alone, _) = purist.queue(FindMatchRequest { rated: true, ..quick() }).await;
    let begin = Instant::now();
    let (search, queued) = member.queue(FindMatchRequest { rated: true, ..quick_or_ai() }).await;
    assert_eq!(from_proto_duration(queued.ai_after.unwrap()), Duration::from_secs(20));
    let matched = search.matched().await;
    assert!((20_000..20_700).contains(&begin.elapsed().as_millis()), "{:?}", begin.elapsed());
    let opponent = matched.opponent.unwrap();
    assert_eq!((opponent.player_id, opponent.bot, matched.rated), (hard.to_string(), true, false));
    let game = world.fakes.game(&matched.game_id);
    assert_eq!(game.seats.iter().filter(|seat| seat.bot).count(), 1);
    let settings = game.settings.unwrap();
    assert!(!settings.rated && matches!(settings.time_control.unwrap().control, Some(Control::PerMove(_))));
    while from_proto_duration(alone.progress().await.waited.unwrap()) < Duration::from_secs(30) {}
}

/// While no bot is ready the ticket goes on waiting and says so; an offer ends after 30 s unless it is repeated; the nearest level is
/// better than none.
#[tokio::test]
async fn a_ticket_waits_for_a_bot_and_says_so() {
    let world = World::paused().await;
    let node = world.node().await;
    world.bot(&node, "Gone", AiLevel::Normal).await;
    tokio::time::sleep(Duration::from_secs(31)).await;
    let (mut search, _) = world.person(&node, "Ann").queue(quick_or_ai()).await;
    let progress = loop {
        let progress = search.progress().await;
        if progress.waiting_for_bot {
            break progress;
        }
    };
    assert_eq!(from_proto_duration(progress.waited.unwrap()).as_secs(), 20);
    let easy = world.bot(&node, "Easy", AiLevel::Easy).await;
    assert_eq!(search.matched().await.opponent.unwrap().player_id, easy.to_string());
}

/// A game against an AI of one's choice: no clock, unrated, the colour that was asked for, at once; the same request is the same
/// game, also when another bot would be chosen now or none is there.
#[tokio::test]
async fn an_ai_game_begins_at_once_and_once_for_each_request() {
    let world = World::paused().await;
    let node = world.node().await;
    let mut ann = world.person(&node, "Ann");
    let ask = |color: Color, request: &str| StartAiGameRequest {
        level: AiLevel::Easy.into(),
        color: color.into(),
        request_id: request.to_owned(),
        ..StartAiGameRequest::default()
    };
    let none = ann.client.start_ai_game(ask(Color::White, "1")).await.unwrap_err();
    assert_eq!((none.code(), reason_of(&none).as_deref()), (Code::Unavailable, Some("NO_BOT")));
    let easy = world.bot(&node, "Easy", AiLevel::Easy).await;
    let first = ann.client.start_ai_game(ask(Color::White, "1")).await.unwrap().into_inner();
    assert_eq!(first.color(), Color::White);
    let opponent = first.opponent.clone().unwrap();
    assert_eq!(
        (opponent.player_id.clone(), opponent.bot, opponent.color()),
        (easy.to_string(), true, Color::Black)
    );
    let settings = world.fakes.game(&first.game_id).settings.unwrap();
    assert!(!settings.rated && matches!(settings.time_control.unwrap().control, Some(Control::None(_))));

    let other = ann.client.start_ai_game(ask(Color::Black, "1")).await.unwrap().into_inner();
    assert_eq!(other.color(), Color::Black, "nobody who asks for Black is given White");
    assert_ne!(
        other.game_id, first.game_id,
        "who wishes something else under the same id does not get the old game"
    );
    tokio::time::sleep(Duration::from_secs(31)).await;
    let again = ann.client.start_ai_game(ask(Color::White, "1")).await.unwrap().into_inner();
    assert_eq!(again, first, "nor does the absence of bots lose it");

    world.bot(&node, "Easy", AiLevel::Easy).await;
    let mut colors = Vec::new();
    for request in 2..12 {
        let random = ask(Color::Unspecified, &request.to_string());
        let begun = ann.client.start_ai_game(random.clone()).await.unwrap().into_inner();
        assert_eq!(ann.client.start_ai_game(random).await.unwrap().into_inner(), begun);
        colors.push(begun.color());
    }
    assert!(colors.contains(&Color::Black) && colors.contains(&Color::White), "{colors:?}");
    let bob =
        world.person(&node, "Bob").client.start_ai_game(ask(Color::White, "1")).await.unwrap().into_inner();
    assert_ne!(bob.game_id, first.game_id, "a request is its player's own");
}

/// Who begins a game against an AI of their choice is out of the queue, and hears why; that game keeps nobody from looking for a person again.
#[tokio::test]
async fn whoever_begins_an_ai_game_leaves_the_queue() {
    let world = World::paused().await;
    let node = world.node().await;
    world.bot(&node, "Normal", AiLevel::Normal).await;
    let mut ann = world.person(&node, "Ann");
    let (search, _) = ann.queue(quick()).await;
    let request = StartAiGameRequest { request_id: "x".to_owned(), ..StartAiGameRequest::default() };
    ann.client.start_ai_game(request).await.unwrap();
    let ended = Ended { reason: EndedReason::Playing.into() };
    assert_eq!(search.last().await, Message::Ended(ended));
    let (mut search, _) = ann.queue(quick()).await;
    search.progress().await;
}

/// Who keeps looking is given an AI in the meantime: the ticket stands with its waiting time and is paired with nobody, says whether somebody waits, and is
/// paired again when that game is over.
#[tokio::test]
async fn the_search_for_a_person_goes_on_beside_an_ai() {
    let world = World::paused().await;
    let node = world.node().await;
    let (mut ann, mut bob) = (world.person(&node, "Ann"), world.person(&node, "Bob"));
    world.bot(&node, "Normal", AiLevel::Normal).await;
    let (mut a, _) = ann.queue(FindMatchRequest { keep_looking: true, ..quick_or_ai() }).await;
    let game = loop {
        match a.next().await {
            Message::FilledIn(filled_in) => break filled_in.game.unwrap(),
            Message::Progress(progress) => assert_eq!(progress.playing_game_id, ""),
            other => panic!("{other:?}"),
        }
    };
    assert!(game.opponent.unwrap().bot && world.fakes.games.lock().contains_key(&game.game_id));
    let first = a.progress().await;
    assert_eq!((&first.playing_game_id, first.person_waits, first.ai_after), (&game.game_id, false, None));
    let (mut b, _) = bob.queue(quick()).await;
    while !a.progress().await.person_waits {}
    for _ in 0..10 {
        b.progress().await;
    }
    assert_eq!(world.fakes.games.lock().len(), 1, "nobody is taken out of a game");
    world.fakes.over.lock().insert(game.game_id.clone());
    let (a, b) = tokio::join!(a.matched(), b.matched());
    assert_eq!((&a.game_id, a.opponent.unwrap().name.as_str()), (&b.game_id, "Bob"));
}

/// Where experience says that nobody comes, an AI does not wait for the usual time; it does again when that experience has aged.
#[tokio::test]
async fn an_ai_comes_sooner_when_nobody_ever_comes() {
    let mut world = World::paused().await;
    world.args.matchmaking_ai_soonest = Duration::from_secs(5);
    let node = world.node().await;
    let mut waits = Vec::new();
    for round in 0..10 {
        world.bot(&node, "Normal", AiLevel::Normal).await;
        let begin = Instant::now();
        let (search, _) = world.person(&node, &format!("Player {round}")).queue(quick_or_ai()).await;
        search.matched().await;
        waits.push(begin.elapsed().as_secs());
    }
    assert_eq!(waits, [20, 20, 20, 20, 20, 20, 20, 20, 5, 5]);
    tokio::time::sleep(Duration::from_secs(1_800)).await;
    world.bot(&node, "Normal", AiLevel::Normal).await;
    let begin = Instant::now();
    world.person(&node, "Later").queue(quick_or_ai()).await.0.matched().await;
    assert_eq!(begin.elapsed().as_secs(), 20);
}
