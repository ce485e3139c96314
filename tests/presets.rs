//! Every preset to its end over the public API: between people and against the house's bots, with marks, disputes and handicaps.
#![allow(missing_docs, reason = "a test")]

use std::time::Duration;

use futures::StreamExt;
use nigiri_client::{AiLevel, Color, Game, GameId, Session, Watched, reason};
use nigiri_proto::game::v1::{
    CreateGameRequest, EndReason, GameOptions, GameSettings, NoClock, Seat, TimeControl, TurnState,
    game_event::Event, game_service_client::GameServiceClient, time_control::Control,
};
use platform::network::Peer;
use testkit::{World, eventually, per_move};

const PATIENCE: Duration = Duration::from_secs(60);

/// A game of two people, as matchmaking makes one: Black's hand on it and White's.
async fn begin(world: &World, name: &str, settings: GameSettings) -> [Game; 2] {
    let players = [world.guest("Honinbo").await, world.guest("Meijin").await];
    world.game(name, [&players[0], &players[1]], settings).await
}

/// Two walls; behind White's a black stone that cannot live. 20 moves.
async fn walls(players: &[Game; 2]) {
    let mut ply = 0;
    for row in 1..=9 {
        for (player, column) in players.iter().zip(['F', 'G']) {
            player.play(ply, &format!("{column}{row}")).await.expect("a legal move");
            ply += 1;
        }
    }
    players[0].play(18, "J5").await.expect("a legal move");
    players[1].play(19, "H5").await.expect("a legal move");
}

/// Both pass; the preview before the second pass.
async fn pass_twice(players: &[Game; 2], first: usize, ply: u32) -> String {
    players[first].pass(ply).await.expect("a pass");
    let preview = players[first].preview_score().await.expect("a preview");
    assert_eq!(preview.ply, ply + 1);
    players[1 - first].pass(ply + 1).await.expect("a pass");
    preview.result
}

/// The state of a running game, or the result of one that is over with its dead stones.
async fn look(game: &Game) -> Result<TurnState, (String, EndReason, Vec<String>)> {
    let mut watch = game.watch(None);
    let first = tokio::time::timeout(PATIENCE, watch.next()).await.expect("a snapshot in time");
    let Some(Ok(Watched::Snapshot(snapshot))) = first else { panic!("no snapshot: {first:?}") };
    match snapshot.result {
        None => Ok(snapshot.state.expect("a state")),
        Some(result) => {
            let dead = snapshot.verdict.map(|verdict| verdict.dead).unwrap_or_default();
            Err((result.text.clone(), result.reason(), dead))
        }
    }
}

async fn over(game: &Game, text: &str, dead: &[&str]) {
    let (found, reason, stones) = look(game).await.expect_err("the game is over");
    assert_eq!((found.as_str(), reason), (text, EndReason::Score));
    assert_eq!(stones, dead);
    let preview = game.preview_score().await.expect("a preview");
    assert_eq!(preview.result, text, "what was counted stands");
}

/// The server counts at once, and what it previews is what it counts: in `quick` what is not clearly dead lives; in `territory` the best estimate
/// takes it, as a prisoner.
#[tokio::test(flavor = "multi_thread")]
async fn quick_and_territory_are_counted_at_once() {
    let world = World::with(&["--bots=false"]).await;
    for (preset, komi, text, dead) in
        [("quick", 7.0, "B+38", &[][..]), ("territory", 6.5, "B+20.5", &["J5"][..])]
    {
        let players = begin(&world, preset, per_move(preset, komi, 60)).await;
        walls(&players).await;
        assert_eq!(pass_twice(&players, 0, 20).await, text);
        over(&players[1], text, dead).await;
    }
    world.stop().await;
}

/// In `weiqi` both must agree on what the server proposes; whoever disputes it plays on, and the next two passes count every stone as alive.
#[tokio::test(flavor = "multi_thread")]
async fn weiqi_is_agreed_on_or_played_out() {
    let world = World::with(&["--bots=false"]).await;
    let [black, white] = begin(&world, "agreed", per_move("weiqi", 7.5, 60)).await;
    let players = [black, white];
    walls(&players).await;
    assert_eq!(pass_twice(&players, 0, 20).await, "B+19.5");
    let state = look(&players[0]).await.expect("the game goes on");
    let agreement = state.agreement.expect("a proposal");
    let verdict = agreement.verdict.expect("a verdict");
    assert_eq!((agreement.version, verdict.dead.as_slice()), (1, &["J5".to_owned()][..]));
    assert!(verdict.doubt.is_some_and(|doubt| doubt.unsettled.is_empty()), "how sure it is");
    let marked = players[1].mark_chain(1, "J5", false).await.expect_err("area scoring");
    assert!(marked.is(reason::NOT_IN_THIS_GAME), "{marked}");
    let stale = players[1].accept_score(2).await.expect_err("no such version");
    assert!(stale.is(reason::STALE_SCORE), "{stale}");
    players[1].accept_score(1).await.expect("accepted");
    players[0].accept_score(1).await.expect("accepted");
    over(&players[0], "B+19.5", &["J5"]).await;

    let players = begin(&world, "disputed", per_move("weiqi", 7.5, 60)).await;
    walls(&players).await;
    pass_twice(&players, 0, 20).await;
    players[1].dispute_score(1).await.expect("disputed");
    let state = look(&players[0]).await.expect("the game goes on");
    assert_eq!((state.turn(), state.agreement), (Color::Black, None), "who passed first moves");
    assert_eq!(pass_twice(&players, 0, 22).await, "B+37.5");
    over(&players[0], "B+37.5", &[]).await;
    world.stop().await;
}

/// In `igo` the players may mark chains, each mark a version that both must accept; after a dispute the next two passes count by the best estimate.
#[tokio::test(flavor = "multi_thread")]
async fn igo_is_marked_and_agreed_on() {
    let world = World::with(&["--bots=false"]).await;
    let players = begin(&world, "marked", per_move("igo", 6.5, 60)).await;
    walls(&players).await;
    pass_twice(&players, 0, 20).await;
    players[1].accept_score(1).await.expect("accepted");
    players[0].mark_chain(1, "J5", false).await.expect("marked");
    let raced = players[1].accept_score(1).await.expect_err("another version is proposed now");
    assert!(raced.is(reason::STALE_SCORE), "{raced}");
    players[1].mark_chain(2, "J5", true).await.expect("marked");
    players[0].accept_score(3).await.expect("accepted");
    assert!(look(&players[0]).await.is_ok(), "both must accept");
    players[1].accept_score(3).await.expect("accepted");
    over(&players[0], "B+20.5", &["J5"]).await;

    let players = begin(&world, "igo disputed", per_move("igo", 6.5, 60)).await;
    walls(&players).await;
    pass_twice(&players, 0, 20).await;
    players[0].dispute_score(1).await.expect("disputed");
    assert_eq!(pass_twice(&players, 0, 22).await, "B+20.5");
    over(&players[0], "B+20.5", &["J5"]).await;
    world.stop().await;
}

/// Each preset against a bot of the house, with handicaps and on other boards, to its end: the person only passes, the bot accepts what the server
/// proposes, and plays on after a dispute.
#[tokio::test(flavor = "multi_thread")]
async fn every_preset_ends_against_a_bot() {
    let world = World::with(&["--bot-delay", "0s"]).await;
    let person = world.guest("Student").await;
    let stones =
        |handicap, free_placement| GameOptions { handicap, free_placement, ..GameOptions::default() };
    for (preset, side, options, disputes) in [
        ("quick", 9, None, false),
        ("territory", 9, None, false),
        ("weiqi", 7, None, true),
        ("igo", 9, Some(stones(3, false)), false),
        ("igo", 9, Some(stones(2, true)), true),
    ] {
        let time_control = Some(TimeControl { control: Some(Control::None(NoClock {})) });
        let wanted = GameSettings { board_size: side, time_control, options, ..per_move(preset, 6.5, 60) };
        let begun = eventually("a bot", PATIENCE, || async {
            person.start_ai_game_of(AiLevel::Easy, Color::Black, Some(wanted.clone())).await.ok()
        })
        .await;
        let game = person.game(begun.game_id.parse().expect("an id"));
        let ended = tokio::time::timeout(PATIENCE, pass_to_the_end(&game, disputes)).await;
        let result = ended.unwrap_or_else(|_| panic!("{preset} on {side} lines does not end"));
        assert!(result.contains('+') || result == "Draw", "{preset}: {result}");
    }
    world.stop().await;
}

/// Passes whenever it is Black's turn, after having put the free stones; disputes once, if so, and then accepts.
async fn pass_to_the_end(game: &Game, mut disputes: bool) -> String {
    let mut watch = game.watch(None);
    let mut put = ["C3", "G7"].iter();
    let mut last = None;
    let mut free = 0;
    while let Some(watched) = watch.next().await {
        let state = match watched.expect("the stream goes on") {
            Watched::Snapshot(snapshot) => {
                let options = snapshot.settings.and_then(|settings| settings.options).unwrap_or_default();
                free = if options.free_placement { options.handicap } else { 0 };
                snapshot.state
            }
            Watched::Update(update) => {
                if let Some(Event::Finished(end)) = update.events.last().and_then(|last| last.event.clone()) {
                    return end.result.expect("a result").text;
                }
                update.state
            }
            _ => None,
        };
        let Some(state) = state else { continue };
        // What changes no position asks nothing new.
        let question = (state.ply, state.agreement.as_ref().map(|agreement| agreement.version));
        if state.turn() != Color::Black && question.1.is_none() || last.replace(question) == Some(question) {
            continue;
        }
        let answered = match &state.agreement {
            Some(agreement) if std::mem::take(&mut disputes) => game.dispute_score(agreement.version).await,
            Some(agreement) => game.accept_score(agreement.version).await,
            None if state.move_number < free => game.play(state.ply, put.next().expect("a point")).await,
            None => game.pass(state.ply).await,
        };
        answered.expect("an answer to the position as it stands");
    }
    panic!("the stream ended before the game");
}

/// Moves until one of White's, or the end of the patience: what White played, and the state after it.
async fn next_of_white(game: &Game, after: u64) -> (String, TurnState) {
    let mut watch = game.watch(Some(after));
    let next = async {
        while let Some(watched) = watch.next().await {
            let Watched::Update(update) = watched.expect("the stream goes on") else { continue };
            for event in &update.events {
                match &event.event {
                    Some(Event::MovePlayed(played)) if played.color() == Color::White => {
                        return (played.point.clone(), update.state.expect("a state"));
                    }
                    _ => {}
                }
            }
        }
        panic!("the stream ended before the AI moved");
    };
    tokio::time::timeout(PATIENCE, next).await.expect("an answer in time")
}

/// A move that is taken back while the AI thinks about it is not answered any more; the next one is. Taking back after the answer takes the answer back, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_take_back_crosses_the_ais_answer() {
    let world = World::with(&["--bot-delay", "500ms"]).await;
    let person = world.guest("Student").await;
    let begun = eventually("a bot", PATIENCE, || async {
        person.start_ai_game(AiLevel::Easy, Color::Black).await.ok()
    })
    .await;
    let game = person.game(begun.game_id.parse().expect("an id"));
    game.play(0, "E5").await.expect("a move");
    game.request_takeback(1).await.expect("taken back at once");
    let state = look(&game).await.expect("the game goes on");
    assert_eq!((state.move_number, state.turn()), (0, Color::Black));
    let played = game.play(state.ply, "C3").await.expect("a move");
    let (_, state) = next_of_white(&game, played).await;
    assert_eq!((state.move_number, state.turn()), (2, Color::Black));
    game.request_takeback(state.ply).await.expect("taken back at once");
    let state = look(&game).await.expect("the game goes on");
    assert_eq!((state.move_number, state.turn()), (0, Color::Black), "the reply, too");
    let again = game.play(state.ply, "G7").await.expect("a move");
    next_of_white(&game, again).await;
    world.stop().await;
}

/// A turn that no program takes waits, however long; the first one that comes gets it.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_waits_for_a_program_that_is_away() {
    let world = World::with(&["--bots=false"]).await;
    let person = world.guest("Student").await;
    let secret = platform::testing::secret();
    let bot = world.client().sign_in_bot("Nigiri Hard", secret.expose()).await.expect("a bot");
    let id = GameId::derive("alone");
    let seat = |session: &Session, color: Color, bot| Seat {
        color: color.into(),
        player_id: session.player().id,
        name: session.player().name,
        bot,
        ..Seat::default()
    };
    let time_control = Some(TimeControl { control: Some(Control::None(NoClock {})) });
    let request = CreateGameRequest {
        game_id: id.to_string(),
        settings: Some(GameSettings { time_control, ..per_move("weiqi", 7.5, 60) }),
        seats: vec![seat(&person, Color::Black, false), seat(&bot, Color::White, true)],
    };
    let channel = world.context().channel("test", Peer::Game).expect("a channel");
    GameServiceClient::new(channel).create_game(request).await.expect("a game");
    let game = person.game(id);
    let played = game.play(0, "E5").await.expect("a move");
    // One stream takes the turn and goes away without a move; the next one gets it again.
    for last in [false, true] {
        let mut turns = bot.turns(1);
        let turn = tokio::time::timeout(PATIENCE, turns.next()).await.expect("a turn in time");
        let turn = turn.expect("the stream goes on").expect("a turn");
        assert_eq!((turn.game_id.clone(), turn.moves.len()), (id.to_string(), 1));
        if last {
            bot.game(id).play(1, "C3").await.expect("a move");
        }
    }
    assert_eq!(next_of_white(&game, played).await.0, "C3");
    world.stop().await;
}
