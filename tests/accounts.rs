//! What happens to accounts reaches games, tickets and leaderboards.
#![allow(missing_docs, reason = "a test")]

use std::time::{Duration, Instant};

use futures::StreamExt;
use ledger::{Append, AppendError, Deadline, Guard, LogName, Notice, Refused};
use nigiri_client::{Color, FindMatch, Finding, Game, GameId, Session, Watched};
use nigiri_proto::{
    events::v1::{AccountNotice, PlayerBanned, PlayerMerged, account_notice::Event},
    game::v1::{
        EndReason, GameResult, GameSettings, GetGameRequest, HaveMetRequest, ListGamesRequest,
        ListLiveGamesRequest, game_event, game_service_client::GameServiceClient,
    },
    matchmaking::v1::{FindMatchRequest, MatchSettings},
    rating::v1::ListLeadersRequest,
    session::v1::{DeleteAccountRequest, RenamePlayerRequest},
};
use platform::{auth::ACCOUNTS, network::Peer, status::reason_of};
use prost::Message;
use testkit::{World, eventually, per_move};

const PATIENCE: Duration = Duration::from_secs(60);

/// How soon other services act on what happened, when the machine is not busy.
const SOON: Duration = Duration::from_secs(1);

/// A game of two people in which both have moved once, and which is in the list of live games.
async fn begin(world: &World, players: [&Session; 2], name: &str, rated: bool) -> [Game; 2] {
    let settings = GameSettings { rated, ..per_move("quick", 7.0, 30) };
    let games = world.game(name, players, settings).await;
    let id = games[0].id();
    games[0].play(0, "C3").await.expect("a move");
    games[1].play(1, "D4").await.expect("a move");
    eventually("the game is listed", PATIENCE, || async {
        let list = players[0].games().list_live_games(ListLiveGamesRequest::default()).await.ok()?;
        list.into_inner().games.iter().any(|game| game.game_id == id.to_string()).then_some(())
    })
    .await;
    games
}

/// Says to all services what the session service would.
async fn tell(world: &World, player: &str, event: Event) {
    let tokens_expire_time = Some(prost_types::Timestamp { seconds: 4_000_000_000, nanos: 0 });
    let notice = AccountNotice {
        notice_id: uuid::Uuid::now_v7().to_string(),
        player_id: player.to_owned(),
        revision: 1,
        tokens_expire_time,
        event: Some(event),
        ..AccountNotice::default()
    };
    let payload = notice.encode_to_vec();
    let mut expected = 0;
    loop {
        let append = Append {
            log: LogName::new(ACCOUNTS).expect("a name"),
            expected,
            payload: payload.clone().into(),
            guard: Guard::default(),
            deadline: Deadline::Keep,
            notices: vec![Notice { topic: ACCOUNTS.to_owned(), payload: payload.clone().into() }],
        };
        match world.ledger().append(append).await {
            Ok(_) => return,
            Err(AppendError::Refused(Refused::Conflict { last })) => expected = last,
            Err(error) => panic!("{error}"),
        }
    }
}

/// How a game ends, as somebody sees it who watches.
async fn ending(watcher: &Game) -> GameResult {
    let mut watch = watcher.watch(None);
    while let Some(watched) = watch.next().await {
        match watched.expect("a watch") {
            // It was over before the stream was open.
            Watched::Snapshot(snapshot) if snapshot.result.is_some() => {
                return snapshot.result.expect("a result");
            }
            Watched::Update(update) => {
                for event in update.events {
                    if let Some(game_event::Event::Finished(finished)) = event.event {
                        return finished.result.expect("a result");
                    }
                }
            }
            _ => {}
        }
    }
    panic!("the watch ended without the end of the game");
}

/// The names of both seats in a game's record.
async fn names(session: &Session, game: &Game) -> Vec<String> {
    let request = GetGameRequest { game_id: game.id().to_string(), ..GetGameRequest::default() };
    let record = session.games().get_game(request).await.expect("a record").into_inner().record;
    let events = record.expect("a record").entries.into_iter().flat_map(|entry| entry.events);
    let created = events.filter_map(|event| match event.event {
        Some(game_event::Event::Created(created)) => Some(created),
        _ => None,
    });
    created.flat_map(|created| created.seats).map(|seat| seat.name).collect()
}

/// The names on the leaderboard of 9x9.
async fn leaders(session: &Session) -> Vec<String> {
    let request =
        ListLeadersRequest { board_size: 9, include_provisional: true, ..ListLeadersRequest::default() };
    let list = session.ratings().list_leaders(request).await.expect("a leaderboard").into_inner();
    list.leaders.into_iter().map(|leader| leader.name).collect()
}

/// The search of somebody who is in the queue.
async fn queued(session: &Session) -> FindMatch {
    let mut search = session.find_match(FindMatchRequest {
        accepts: vec![MatchSettings { preset: "quick".into(), ..MatchSettings::default() }],
        ..FindMatchRequest::default()
    });
    while !matches!(search.next().await, Some(Ok(Finding::Queued(_)))) {}
    search
}

/// Waits until a search has ended, which must not be by a match.
async fn out_of_the_queue(mut search: FindMatch) {
    let out = async {
        loop {
            match search.next().await {
                Some(Ok(Finding::Ended(_))) | Some(Err(_)) | None => break,
                Some(Ok(Finding::Matched(matched))) => panic!("{matched:?}"),
                Some(Ok(_)) => {}
            }
        }
    };
    tokio::time::timeout(PATIENCE, out).await.expect("out of the queue");
}

/// Whoever is banned is out of the call, out of the queue and out of the game: the opponent has won, and sees it within a second.
#[tokio::test(flavor = "multi_thread")]
async fn a_banned_player_loses_game_and_place() {
    let world = World::with(&["--bots=false"]).await;
    let (cheat, other) = (world.guest("Cheat").await, world.guest("Other").await);
    let [_, hand] = begin(&world, [&cheat, &other], "banned", false).await;
    let waiting = world.guest("Queued").await;
    let search = queued(&waiting).await;

    let seen = tokio::spawn(async move { ending(&hand).await });
    let since = Instant::now();
    tell(&world, &cheat.player().id, Event::Banned(PlayerBanned::default())).await;
    tell(&world, &waiting.player().id, Event::Banned(PlayerBanned::default())).await;
    let result = tokio::time::timeout(PATIENCE, seen).await.expect("an end").expect("seen");
    let took = since.elapsed();
    assert_eq!((result.reason(), result.winner()), (EndReason::Adjudication, Color::White));
    assert!(took < SOON * 5, "{took:?}");
    println!("the ban ended the game after {took:?}");
    let refused = cheat.game(GameId::derive("banned")).resign().await.expect_err("banned");
    assert!(refused.is("BANNED"), "{refused}");
    out_of_the_queue(search).await;
}

/// Whoever deletes their account resigns, and their name is nowhere any more: not in the record, not on the leaderboard.
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_player_is_forgotten_everywhere() {
    let world = World::with(&["--bots=false"]).await;
    let (gone, other) = (world.guest("Forgetme").await, world.guest("Other").await);
    let earlier = begin(&world, [&gone, &other], "earlier", true).await;
    earlier[0].resign().await.expect("resigned");
    eventually("the game has counted", PATIENCE, async || {
        leaders(&other).await.contains(&"Forgetme".to_owned()).then_some(())
    })
    .await;

    let [_, hand] = begin(&world, [&gone, &other], "now", true).await;
    let seen = tokio::spawn(async move { ending(&hand).await });
    gone.sessions().delete_account(DeleteAccountRequest {}).await.expect("deleted");
    let result = tokio::time::timeout(PATIENCE, seen).await.expect("an end").expect("seen");
    assert_eq!((result.reason(), result.winner()), (EndReason::Resignation, Color::White));
    for game in [&earlier[1], &other.game(GameId::derive("now"))] {
        eventually("the record has the neutral name", PATIENCE, async || {
            let names = names(&other, game).await;
            (names == ["deleted", "Other"]).then_some(())
        })
        .await;
    }
    eventually("only who is still there is on the leaderboard", PATIENCE, async || {
        (leaders(&other).await == ["Other"]).then_some(())
    })
    .await;
}

/// A player's new name is on the leaderboard soon, and in the next game; games that have begun keep the old one.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_name_is_shown_soon() {
    let world = World::with(&["--bots=false"]).await;
    let (player, other) = (world.guest("Before").await, world.guest("Other").await);
    let games = begin(&world, [&player, &other], "renamed", true).await;
    games[0].resign().await.expect("resigned");
    eventually("the game has counted", PATIENCE, async || {
        leaders(&other).await.contains(&"Before".to_owned()).then_some(())
    })
    .await;
    let since = Instant::now();
    let request = RenamePlayerRequest { name: "Afterwards".to_owned() };
    player.sessions().rename_player(request).await.expect("renamed");
    eventually("the leaderboard has the new name", PATIENCE, async || {
        leaders(&other).await.contains(&"Afterwards".to_owned()).then_some(())
    })
    .await;
    let took = since.elapsed();
    println!("the new name was on the leaderboard after {took:?}");
    assert!(took < SOON * 5, "{took:?}");
    assert_eq!(names(&other, &games[1]).await, ["Before", "Other"]);
}

/// A guest who becomes part of an account: the account plays the guest's game on, and finds it among its own afterwards; a ticket that a guest
/// has open ends. Whether two have
/// met is told to services, and to nobody else.
#[tokio::test(flavor = "multi_thread")]
async fn a_merged_players_games_are_the_accounts() {
    let world = World::with(&["--bots=false"]).await;
    let (guest, account, other) =
        (world.guest("Passing").await, world.guest("Account").await, world.guest("Other").await);
    let [_, hand] = begin(&world, [&guest, &other], "merged", false).await;
    let channel = world.context().channel("test", Peer::Game).expect("a channel");
    let have_met = async || {
        let request = HaveMetRequest { player_id: account.player().id, other_id: other.player().id };
        GameServiceClient::new(channel.clone()).have_met(request).await.expect("told").into_inner().met
    };
    assert!(!have_met().await);
    let waiting = world.guest("Waiting").await;
    let search = queued(&waiting).await;
    let into = PlayerMerged { into_player_id: account.player().id, into_name: account.player().name };
    tell(&world, &guest.player().id, Event::Merged(into.clone())).await;
    tell(&world, &waiting.player().id, Event::Merged(into)).await;
    out_of_the_queue(search).await;

    let mine = account.game(GameId::derive("merged"));
    eventually("the account plays on", PATIENCE, async || mine.play(2, "E5").await.ok()).await;
    hand.play(3, "F5").await.expect("a move");
    mine.resign().await.expect("resigned");
    let request = ListGamesRequest { player_id: account.player().id, ..ListGamesRequest::default() };
    eventually("the game is the account's", PATIENCE, async || {
        let list = account.games().list_games(request.clone()).await.ok()?.into_inner();
        list.games.iter().any(|game| game.game_id == mine.id().to_string()).then_some(())
    })
    .await;
    eventually("the record is the account's", PATIENCE, async || {
        (names(&other, &mine).await == ["Account", "Other"]).then_some(())
    })
    .await;
    assert!(have_met().await);
    let asked = HaveMetRequest { player_id: guest.player().id, other_id: other.player().id };
    let refused = other.games().have_met(asked).await.expect_err("not for players");
    assert_eq!(reason_of(&refused).as_deref(), Some("ROLE_REQUIRED"));
}
