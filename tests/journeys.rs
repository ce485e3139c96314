//! What people do, from sign-in to rating, over the public API of a whole system in one process.
#![allow(missing_docs, reason = "a test")]

use std::time::Duration;

use futures::{StreamExt, future::join};
use nigiri_client::{AiLevel, Color, Error, Finding, Game, GameId, Session, Watched, reason};
use nigiri_proto::{
    game::v1::{EndReason, GameResult, GameUpdate, ListLiveGamesRequest, game_event::Event},
    matchmaking::v1::{CreateChallengeRequest, EndedReason, FindMatchRequest, MatchSettings, Matched},
};
use platform::status::reason_of;
use testkit::{World, eventually, per_move};
use tonic_types::StatusExt;

const PATIENCE: Duration = Duration::from_secs(20);

fn quick(rated: bool, allow_ai: bool) -> FindMatchRequest {
    FindMatchRequest {
        accepts: vec![MatchSettings { preset: "quick".into(), ..MatchSettings::default() }],
        rated,
        allow_ai,
        ..FindMatchRequest::default()
    }
}

async fn find(session: &Session, request: FindMatchRequest) -> Matched {
    let mut search = session.find_match(request);
    let found = async {
        while let Some(finding) = search.next().await {
            if let Finding::Matched(matched) = finding.expect("the search goes on") {
                return matched;
            }
        }
        panic!("the search ended without a game");
    };
    tokio::time::timeout(PATIENCE, found).await.expect("a game in time")
}

fn game(session: &Session, id: &str) -> Game {
    session.game(id.parse::<GameId>().expect("a game's id"))
}

/// Both sides of a new game: Black first.
async fn pair(world: &World, rated: bool) -> (Session, Session, String) {
    let (a, b) = (world.guest("Honinbo").await, world.guest("Meijin").await);
    let (of_a, of_b) = join(find(&a, quick(rated, false)), find(&b, quick(rated, false))).await;
    assert_eq!(of_a.game_id, of_b.game_id, "both are in one game");
    assert_eq!(of_a.rated, rated);
    let opposite = of_a.opponent.clone().expect("an opponent");
    assert_eq!((opposite.player_id, opposite.bot), (b.player().id, false));
    match (of_a.color(), of_b.color()) {
        (Color::Black, Color::White) => (a, b, of_a.game_id),
        (Color::White, Color::Black) => (b, a, of_a.game_id),
        other => panic!("the colours are not opposite: {other:?}"),
    }
}

/// All updates from a snapshot to the end, and the result.
async fn follow(game: Game, after: Option<u64>) -> (Vec<GameUpdate>, GameResult) {
    let mut updates = Vec::new();
    let mut result = None;
    let mut watch = game.watch(after);
    while let Some(watched) = tokio::time::timeout(PATIENCE, watch.next()).await.expect("an event in time") {
        match watched.expect("the stream goes on") {
            Watched::Snapshot(snapshot) => result = snapshot.result,
            Watched::Update(update) => {
                if let Some(Event::Finished(end)) = update.events.last().and_then(|event| event.event.clone())
                {
                    result = end.result;
                }
                updates.push(GameUpdate { server_time: None, ..*update });
            }
            _ => {}
        }
    }
    (updates, result.expect("a result"))
}

/// Two strangers ask for an opponent, meet, play to two passes, see the same events and the same result, find the game in the
/// archive, and their ratings have moved by the same amount in opposite directions.
#[tokio::test(flavor = "multi_thread")]
async fn two_strangers_meet_play_and_are_rated() {
    let world = World::with(&["--bots=false"]).await;
    let (black, white, id) = pair(&world, true).await;
    let spectator = world.guest("Kibitzer").await;
    let (of_black, of_white) = (game(&black, &id), game(&white, &id));
    let watching = tokio::spawn(follow(game(&white, &id), Some(0)));
    let third = tokio::spawn(follow(game(&spectator, &id), Some(0)));
    for (ply, (player, point)) in
        [(&of_black, "C5"), (&of_white, "G5"), (&of_black, "C3"), (&of_white, "G3")].into_iter().enumerate()
    {
        let sequence = player.play(ply as u32, point).await.expect("a legal move");
        assert_eq!(sequence, ply as u64 + 2);
    }
    of_black.pass(4).await.expect("a pass");
    of_white.pass(5).await.expect("a pass");
    let (seen, result) = watching.await.expect("a watcher");
    let (seen_too, result_too) = third.await.expect("a watcher");
    assert_eq!((&seen, &result), (&seen_too, &result_too));
    let numbers: Vec<u64> = seen.iter().map(|update| update.sequence).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]);
    // Two stones each, nothing is surrounded by one colour: White wins by the komi.
    assert_eq!((result.text.as_str(), result.reason()), ("W+7", EndReason::Score));

    let archived = eventually("the archive", PATIENCE, || async {
        of_black.record().await.ok().filter(|record| record.archived)
    })
    .await;
    let told: Vec<_> = archived.entries.iter().map(|entry| (entry.sequence, entry.events.clone())).collect();
    let streamed: Vec<_> = seen.iter().map(|update| (update.sequence, update.events.clone())).collect();
    assert_eq!(told, streamed);

    let rated = eventually("the ratings", PATIENCE, || async {
        black.game_rating(id.parse().expect("an id")).await.ok()
    })
    .await;
    let sum: i64 = rated.changes.iter().map(|change| change.after_micros - change.before_micros).sum();
    assert_eq!((rated.changes.len(), sum), (2, 0));
    let rating = |session: &Session| {
        let (session, id) = (session.clone(), session.player_id().expect("an id"));
        async move { session.rating(id, 9).await.expect("a rating").micros }
    };
    assert_eq!((rating(&black).await, rating(&white).await), (1_180_000_000, 1_220_000_000));
    world.stop().await;
}

/// A watcher who comes back with the last number that they saw gets exactly what they missed, soon after and long after, also when the
/// log has gone and only the archive is left.
#[tokio::test(flavor = "multi_thread")]
async fn watcher_resumes_without_gaps() {
    let world = World::with(&["--bots=false", "--game-log-keep", "1ms"]).await;
    let (black, white, id) = pair(&world, false).await;
    let players = [game(&black, &id), game(&white, &id)];
    let columns = "ABCDEFGHJ";
    // Forty stones: more than the replica keeps at hand.
    for ply in 0..40u32 {
        let (row, column) = (ply / 9 + if ply % 2 == 0 { 1 } else { 5 }, (ply % 9) as usize);
        let point = format!("{}{row}", &columns[column..=column]);
        if players[ply as usize % 2].play(ply, &point).await.is_err() {
            players[ply as usize % 2].pass(ply).await.expect("a pass");
        }
    }
    players[0].resign().await.expect("a resignation");
    let (all, result) = follow(players[1].clone(), Some(0)).await;
    assert_eq!(result.text, "W+R");
    for after in [1, 17, 39, 41] {
        let (rest, same) = follow(players[1].clone(), Some(after)).await;
        assert_eq!((rest.as_slice(), &same), (&all[after as usize..], &result), "after {after}");
    }
    eventually("the archive", PATIENCE, || async {
        players[0].record().await.ok().filter(|record| record.archived)
    })
    .await;
    let fresh = world.guest("Latecomer").await;
    let (late, same) = follow(game(&fresh, &id), Some(5)).await;
    assert_eq!((late.as_slice(), &same), (&all[5..], &result));
    world.stop().await;
}

/// One command sent twice is one move with one answer; two commands for one ply are one move and one refusal, from wherever they
/// come.
#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_command_is_one_move() {
    use nigiri_proto::game::v1::PlayMoveRequest;
    let world = World::with(&["--bots=false"]).await;
    let (black, _white, id) = pair(&world, false).await;
    let request = |point: &str, command: &str| PlayMoveRequest {
        game_id: id.clone(),
        ply: 0,
        point: point.into(),
        command_id: command.into(),
        ..Default::default()
    };
    let send = |point: &str, command: &str| {
        let (request, mut games) = (request(point, command), black.games());
        async move { games.play_move(request).await.map(|answer| answer.into_inner().sequence) }
    };
    let twice = futures::future::join_all((0..8).map(|_| send("E5", "one"))).await;
    assert!(twice.iter().all(|answer| answer.as_ref().is_ok_and(|&sequence| sequence == 2)), "{twice:?}");
    let reason = |status: tonic::Status| platform::status::reason_of(&status).unwrap_or_default();
    assert_eq!(send("E5", "two").await.map_err(reason), Err("STALE_PLY".to_owned()));
    assert_eq!(send("D5", "one").await.map_err(reason), Err("COMMAND_ID_REUSED".to_owned()));
    world.stop().await;
}

/// Whoever does not move in time loses, with nobody connected: the store's clock decides. Nobody has moved twice: an abort instead.
#[tokio::test(flavor = "multi_thread")]
async fn time_runs_out_by_the_stores_clock() {
    let world = World::with(&["--bots=false"]).await;
    let (a, b) = (world.guest("Sente").await, world.guest("Gote").await);
    for (moves, text, reason) in [(2, "W+T", EndReason::Time), (1, "Void", EndReason::Abort)] {
        let [of_black, _] = world.game(text, [&a, &b], per_move("quick", 7.0, 1)).await;
        let id = of_black.id().to_string();
        for (ply, (player, point)) in [(&a, "C5"), (&b, "G5")].into_iter().take(moves).enumerate() {
            game(player, &id).play(ply as u32, point).await.expect("a legal move");
        }
        let (_, result) = follow(game(&a, &id), None).await;
        assert_eq!((result.text.as_str(), result.reason()), (text, reason));
    }
    world.stop().await;
}

/// When nobody comes, an AI fills in: it is marked, the game is unrated, and it answers a move.
#[tokio::test(flavor = "multi_thread")]
async fn an_ai_fills_in_when_nobody_comes() {
    let world = World::with(&["--matchmaking-ai-after", "300ms", "--bot-delay", "0s"]).await;
    let person = world.guest("Alone").await;
    let matched = find(&person, quick(true, true)).await;
    let opponent = matched.opponent.clone().expect("an opponent");
    assert!(opponent.bot && !matched.rated);
    answer_once(&person, &matched.game_id, matched.color()).await;
    world.stop().await;
}

/// A game against an AI of one's choice, in the colour of one's choice, has no clock, and the AI plays.
#[tokio::test(flavor = "multi_thread")]
async fn an_ai_plays_when_asked() {
    let world = World::with(&["--bot-delay", "0s"]).await;
    let person = world.guest("Student").await;
    for (level, color) in [(AiLevel::Easy, Color::Black), (AiLevel::Normal, Color::White)] {
        let begun =
            eventually("a bot", PATIENCE, || async { person.start_ai_game(level, color).await.ok() }).await;
        assert_eq!(begun.color(), color);
        answer_once(&person, &begun.game_id, color).await;
        game(&person, &begun.game_id).resign().await.expect("a resignation");
    }
    world.stop().await;
}

/// Plays until the AI has made a move.
async fn answer_once(person: &Session, id: &str, color: Color) {
    let game = game(person, id);
    if color == Color::Black {
        game.play(0, "E5").await.expect("a legal move");
    }
    let mut watch = game.watch(Some(0));
    let theirs = async {
        while let Some(watched) = watch.next().await {
            let Ok(Watched::Update(update)) = watched else { continue };
            for event in update.events {
                match event.event {
                    Some(Event::MovePlayed(played)) if played.color() != color => return,
                    _ => {}
                }
            }
        }
        panic!("the game ended before the AI moved");
    };
    tokio::time::timeout(PATIENCE, theirs).await.expect("an answer in time");
}

/// The game in which somebody is, if that is why they were refused.
fn in_the_way<T>(answer: Result<T, Error>) -> Option<GameId> {
    answer.err().filter(|error| error.is(reason::ALREADY_PLAYING)).and_then(|error| error.game())
}

async fn challenge(session: &Session) -> String {
    let settings = Some(per_move("weiqi", 7.5, 60));
    let request = CreateChallengeRequest { settings, ..CreateChallengeRequest::default() };
    session.create_challenge(request).await.expect("a challenge").code
}

/// Waits until a game is in the list of those that a player plays.
async fn listed(player: &Session, game: GameId) {
    let listed = || async {
        let request = ListLiveGamesRequest { player_id: player.player().id, ..Default::default() };
        let page = player.live_games(&request).await.ok()?;
        page.games.iter().any(|listed| listed.game_id == game.to_string()).then_some(())
    };
    eventually("the list of live games", PATIENCE, listed).await;
}

/// Nobody plays two people by a clock at once, with the real services: in such a game, however it came about, nobody is matched and nobody accepts a challenge, from its first
/// moment on, and is told which game it is; nor is theirs accepted. When it is over they may.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_plays_two_people_by_a_clock_at_once() {
    let world = World::with(&["--bots=false"]).await;
    let (ann, bob, id) = pair(&world, false).await;
    let id = id.parse::<GameId>().expect("an id");
    let cem = world.guest("Kisei").await;
    let (of_cem, of_ann) = (challenge(&cem).await, challenge(&ann).await);
    // At once, and when the lists have it.
    for _ in 0..2 {
        assert_eq!(in_the_way(bob.accept_challenge(&of_cem).await), Some(id));
        let busy = cem.accept_challenge(&of_ann).await.expect_err("Ann plays");
        assert!(busy.is(reason::OPPONENT_PLAYING), "{busy}");
        listed(&bob, id).await;
        let request = FindMatchRequest { seen_game_id: Some(id.to_string()), ..quick(false, false) };
        let found = bob.matchmaking().find_match(request).await;
        let status = found.expect_err("Bob plays");
        assert_eq!(reason_of(&status).as_deref(), Some("ALREADY_PLAYING"), "{status:?}");
        let info = status.get_details_error_info().expect("details");
        assert_eq!(info.metadata.get("game_id"), Some(&id.to_string()));
    }
    bob.game(id).resign().await.expect("resigned");
    let accepted =
        eventually("the end", PATIENCE, || async { bob.accept_challenge(&of_cem).await.ok() }).await;
    let second = accepted.game_id.parse::<GameId>().expect("an id");
    assert_eq!(
        in_the_way(bob.accept_challenge(&challenge(&world.guest("Gosei").await).await).await),
        Some(second)
    );
    listed(&bob, second).await;
    let status = bob.matchmaking().find_match(quick(false, false)).await.expect_err("Bob plays again");
    assert_eq!(reason_of(&status).as_deref(), Some("ALREADY_PLAYING"), "{status:?}");
    world.stop().await;
}

/// Who waits for a rematch in the queue is out of it when the other agrees, and hears why; so is whoever has it in another tab.
#[tokio::test(flavor = "multi_thread")]
async fn a_rematch_takes_its_players_out_of_the_queue() {
    let world = World::with(&["--bots=false"]).await;
    let (black, white, id) = pair(&world, false).await;
    let [of_black, of_white] = [game(&black, &id), game(&white, &id)];
    of_black.play(0, "E5").await.expect("a move");
    of_white.play(1, "C3").await.expect("a move");
    of_black.resign().await.expect("resigned");
    of_white.request_rematch().await.expect("asked");
    let mut search = white.find_match(FindMatchRequest { seen_game_id: Some(id), ..quick(false, false) });
    let ended = async {
        while let Some(finding) = search.next().await {
            match finding.expect("the search goes on") {
                Finding::Queued(_) => drop(of_black.request_rematch().await.expect("agreed")),
                Finding::Ended(reason) => return reason,
                other => assert!(matches!(other, Finding::Progress(_)), "{other:?}"),
            }
        }
        panic!("the search ended without a word");
    };
    let reason = tokio::time::timeout(PATIENCE, ended).await.expect("out of the queue in time");
    assert_eq!(reason, EndedReason::Playing);
    world.stop().await;
}
