//! Bots of third parties: what they say, who is shown them, and that they get no more games than they want.

use std::time::Duration;

use ledger::{Ledger, Notice};
use nigiri_proto::{
    events::v1::FinishedNotice,
    game::v1::{Color, GameSettings, time_control::Control},
    matchmaking::v1::{
        AcceptChallengeRequest, AiLevel, BlockPlayerRequest, BotAccepts, ClockKind, CreateChallengeRequest,
        ListReadyBotsRequest, OfferBotRequest, OfferBotResponse, ReadyBot, StartAiGameRequest,
        StartAiGameResponse, block_player_request, find_match_response::Message,
    },
};
use platform::{auth::Role, status::reason_of};
use prost::Message as _;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::{
    fakes::Mode,
    world::{Person, Search, World, eventually, quick_or_ai},
};

/// Weiqi on 13 or 9 lines without a clock, `max_games` at once.
fn offer(max_games: u32) -> OfferBotRequest {
    let accepts = BotAccepts {
        preset: "weiqi".to_owned(),
        board_sizes: vec![13, 9],
        clocks: vec![ClockKind::None.into()],
        max_handicap: 0,
    };
    OfferBotRequest { level: AiLevel::Normal.into(), accepts: vec![accepts], max_games, leaving: false }
}

fn by_name(name: &str, request_id: &str) -> StartAiGameRequest {
    StartAiGameRequest {
        bot_name: name.to_owned(),
        request_id: request_id.to_owned(),
        ..StartAiGameRequest::default()
    }
}

impl Person {
    async fn offer(&mut self, request: OfferBotRequest) -> OfferBotResponse {
        self.client.offer_bot(request).await.unwrap().into_inner()
    }

    async fn start(&mut self, request: StartAiGameRequest) -> Result<StartAiGameResponse, Status> {
        self.client.start_ai_game(request).await.map(tonic::Response::into_inner)
    }

    async fn bots(&mut self, request: ListReadyBotsRequest) -> Vec<ReadyBot> {
        self.client.list_ready_bots(request).await.unwrap().into_inner().bots
    }

    /// The names of the bots that would begin another game.
    async fn ready(&mut self) -> Vec<String> {
        let bots = self.bots(ListReadyBotsRequest::default()).await;
        bots.into_iter().map(|bot| bot.player.unwrap().name).collect()
    }
}

fn reason<T: std::fmt::Debug>(result: Result<T, Status>) -> String {
    reason_of(&result.unwrap_err()).unwrap()
}

/// The game is over, and the game service says so.
async fn finish(world: &World, game_id: &str) {
    world.fakes.over.lock().insert(game_id.to_owned());
    let seats = world.fakes.game(game_id).seats;
    let notice = FinishedNotice { game_id: game_id.to_owned(), seats, ..FinishedNotice::default() };
    let notice = Notice { topic: "finished".to_owned(), payload: notice.encode_to_vec().into() };
    world.ledger.publish(game_id, notice).await.unwrap();
}

/// A bot is listed at every replica with its owner, what it plays and its free places, and played by name by its usual game: unrated, marked, without a clock. Of many
/// who want its last place at the same time, wherever they ask, one has it; the others are told how many it plays. The same request is the same game; a game that is over makes room.
#[tokio::test]
async fn a_bot_gets_no_more_games_than_it_wants() {
    let world = World::paused().await;
    let nodes = [world.node().await, world.node().await];
    let mut bot = world.with_role(nodes[0].channel(), "Gnu", Role::Bot, false);
    world.with_role(nodes[0].channel(), "Owner", Role::Player, false);
    assert_eq!(bot.offer(offer(2)).await.free_places, Some(2));
    let mut people: Vec<_> =
        (0..6).map(|number| world.person(&nodes[number % 2], &format!("Player {number}"))).collect();
    let listed =
        eventually(async || people[1].clone().bots(ListReadyBotsRequest::default()).await.pop()).await;
    let player = listed.player.clone().unwrap();
    assert_eq!((player.name.as_str(), player.bot, listed.owner_name.as_str()), ("Gnu", true, "Owner"));
    assert_eq!((listed.max_games, listed.free_places, listed.level()), (2, Some(2), AiLevel::Normal));
    assert_eq!((listed.accepts, listed.ratings), (offer(2).accepts, vec![]));

    let asked = people.iter_mut().map(|person| person.start(by_name("Gnu", "1")));
    let answers = futures::future::join_all(asked).await;
    let (begun, full): (Vec<_>, Vec<_>) =
        answers.into_iter().enumerate().partition(|(_, answer)| answer.is_ok());
    assert_eq!((begun.len(), world.fakes.games.lock().len()), (2, 2));
    for (_, answer) in full {
        let status = answer.unwrap_err();
        assert_eq!(
            (status.code(), reason_of(&status).as_deref()),
            (Code::ResourceExhausted, Some("BOT_FULL"))
        );
        assert_eq!(status.get_details_error_info().unwrap().metadata["max_games"], "2");
    }
    let (winner, answer) = begun.into_iter().next().unwrap();
    let answer = answer.unwrap();
    assert_eq!(people[winner].start(by_name("Gnu", "1")).await.unwrap(), answer, "the same request");
    let made = world.fakes.game(&answer.game_id);
    let settings = made.settings.unwrap();
    assert_eq!((settings.preset.as_str(), settings.board_size, settings.rated), ("weiqi", 9, false));
    assert!(matches!(settings.time_control.unwrap().control, Some(Control::None(_))));
    assert_eq!(made.seats.iter().filter(|seat| seat.bot && seat.name == "Gnu").count(), 1);

    let loser = (0..6).find(|number| {
        !world
            .fakes
            .games
            .lock()
            .values()
            .any(|game| game.seats.iter().any(|seat| seat.player_id == people[*number].id.to_string()))
    });
    let loser = &mut people[loser.unwrap()];
    assert_eq!(loser.ready().await, Vec::<String>::new(), "nobody is offered a bot without room");
    let all = ListReadyBotsRequest { full_too: true, ..ListReadyBotsRequest::default() };
    assert_eq!(loser.bots(all).await[0].free_places, Some(0));
    assert_eq!(bot.offer(offer(2)).await.free_places, Some(0), "what it says again changes nothing");
    finish(&world, &answer.game_id).await;
    eventually(async || (!loser.clone().ready().await.is_empty()).then_some(())).await;
    loser.start(by_name("Gnu", "2")).await.unwrap();
    assert_eq!(bot.offer(offer(2)).await.free_places, Some(0));
    assert_eq!(bot.offer(offer(0)).await.free_places, None, "without a limit");
    loser.start(by_name("Gnu", "3")).await.unwrap();
}

/// Each reason for which a bot is not had by name says so; a list can be asked for those alone that would play something.
#[tokio::test]
async fn what_a_bot_would_not_do_is_said() {
    let world = World::paused().await;
    let node = world.node().await;
    let mut ann = world.person(&node, "Ann");
    let mut bot = world.with_role(node.channel(), "Gnu", Role::Bot, false);
    assert_eq!(reason(ann.start(by_name("Gnu", "1")).await), "BOT_NOT_READY");
    assert_eq!(reason(ann.start(by_name("Nobody", "1")).await), "PLAYER_NOT_FOUND");
    assert_eq!(reason(ann.start(by_name("Ann", "1")).await), "PLAYER_NOT_FOUND");
    bot.offer(offer(1)).await;
    world.bot(&node, "All", AiLevel::Hard).await;
    let large = GameSettings { preset: "weiqi".to_owned(), board_size: 19, ..GameSettings::default() };
    let wish = StartAiGameRequest { settings: Some(large.clone()), ..by_name("Gnu", "1") };
    let status = ann.start(wish).await.unwrap_err();
    assert_eq!((status.code(), reason_of(&status).as_deref()), (Code::InvalidArgument, Some("BOT_DECLINES")));
    let found = status.get_details_bad_request().unwrap().field_violations;
    let found: Vec<_> = found.iter().map(|one| (one.field.as_str(), one.description.as_str())).collect();
    assert_eq!(found, [("settings.board_size", "it plays weiqi on boards of 13, 9 lines")]);
    let wanted = ListReadyBotsRequest { settings: Some(large), ..ListReadyBotsRequest::default() };
    let names: Vec<_> = ann.bots(wanted).await.into_iter().map(|bot| bot.player.unwrap().name).collect();
    assert_eq!(names, ["All"]);
    let mut page = ListReadyBotsRequest { page_size: 1, ..ListReadyBotsRequest::default() };
    let first = ann.client.list_ready_bots(page.clone()).await.unwrap().into_inner();
    page.page_token = first.next_page_token;
    let second = ann.client.list_ready_bots(page).await.unwrap().into_inner();
    let names: Vec<_> =
        first.bots.into_iter().chain(second.bots).map(|bot| bot.player.unwrap().name).collect();
    assert_eq!((names, second.next_page_token.as_str()), (vec!["All".to_owned(), "Gnu".to_owned()], ""));
    let player = Some(block_player_request::Player::Name("Gnu".to_owned()));
    ann.blocks.block_player(BlockPlayerRequest { player }).await.unwrap();
    assert_eq!(reason(ann.start(by_name("Gnu", "1")).await), "BLOCKED");

    let mut bob = world.person(&node, "Bob");
    bot.offer(OfferBotRequest { leaving: true, ..OfferBotRequest::default() }).await;
    assert_eq!(
        (bob.ready().await, reason(bob.start(by_name("Gnu", "1")).await)),
        (vec!["All".to_owned()], "BOT_NOT_READY".to_owned())
    );
    bot.offer(offer(1)).await;
    bob.start(by_name("Gnu", "1")).await.unwrap();
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(
        reason(bob.start(by_name("Gnu", "2")).await),
        "BOT_NOT_READY",
        "a bot that says no more is gone"
    );
    assert_eq!(bot.offer(offer(1)).await.free_places, Some(0), "its game goes on");
}

/// Who names no bot is given none that has no room, would not play it, or is blocked, neither at once nor when an AI fills in; a ticket waits on and says so.
#[tokio::test]
async fn nobody_is_given_a_bot_that_would_not_play() {
    let world = World::paused().await;
    let node = world.node().await;
    let mut bot = world.with_role(node.channel(), "Gnu", Role::Bot, false);
    let mut ann = world.person(&node, "Ann");
    let any = |request_id: &str| by_name("", request_id);
    bot.offer(offer(1)).await;
    assert_eq!(reason(ann.start(any("1")).await), "NO_BOT", "it does not play quick");
    let quick = OfferBotRequest { accepts: Vec::new(), ..offer(1) };
    bot.offer(quick.clone()).await;
    let (mut people, mut searches) = ([world.person(&node, "Bob"), world.person(&node, "Cem")], Vec::new());
    for person in &mut people {
        // Nobody suits the other: one wants no weaker opponent.
        let rating = 1_000 + 400 * i32::try_from(searches.len()).unwrap();
        world.fakes.ratings.lock().insert(person.id.to_string(), rating);
        searches.push(person.queue(quick_or_ai()).await.0);
    }
    tokio::time::sleep(Duration::from_secs(19)).await;
    bot.offer(quick.clone()).await;
    let waits = searches.iter_mut().map(async |search: &mut Search| {
        loop {
            match search.next().await {
                Message::Progress(progress) if progress.waiting_for_bot => return true,
                Message::Progress(_) => {}
                Message::Matched(_) => return false,
                other => panic!("{other:?}"),
            }
        }
    });
    assert_eq!(futures::future::join_all(waits).await.into_iter().filter(|waits| *waits).count(), 1);
    assert_eq!(world.fakes.games.lock().len(), 1, "one place, one game");
    assert_eq!(reason(ann.start(any("2")).await), "NO_BOT");
    bot.offer(OfferBotRequest { max_games: 0, ..quick }).await;
    let begun = ann.start(any("3")).await.unwrap();
    assert_eq!(begun.opponent.unwrap().name, "Gnu");
    let player = Some(block_player_request::Player::Name("Gnu".to_owned()));
    ann.blocks.block_player(BlockPlayerRequest { player }).await.unwrap();
    assert_eq!(reason(ann.start(any("4")).await), "NO_BOT");
}

/// A place that was given for a game that is never made is free again after a while, and until then the same request makes the game; a game that the bot came to by itself
/// counts from its next offer on.
#[tokio::test]
async fn places_are_put_right_by_the_next_offers() {
    let world = World::paused().await;
    let node = world.node().await;
    let [mut ann, mut bob, mut cem] = ["Ann", "Bob", "Cem"].map(|name| world.person(&node, name));
    let mut bot = world.with_role(node.channel(), "Gnu", Role::Bot, false);
    bot.offer(offer(1)).await;
    *world.fakes.mode.lock() = Mode::Away;
    assert_eq!(reason(ann.start(by_name("Gnu", "1")).await), "PEER_UNAVAILABLE");
    *world.fakes.mode.lock() = Mode::Makes;
    assert_eq!(bot.offer(offer(1)).await.free_places, Some(0));
    assert_eq!(reason(bob.start(by_name("Gnu", "1")).await), "BOT_FULL");
    let game = ann.start(by_name("Gnu", "1")).await.unwrap().game_id;
    finish(&world, &game).await;
    eventually(async || (bot.clone().offer(offer(1)).await.free_places == Some(1)).then_some(())).await;

    *world.fakes.mode.lock() = Mode::Away;
    assert_eq!(reason(ann.start(by_name("Gnu", "2")).await), "PEER_UNAVAILABLE");
    *world.fakes.mode.lock() = Mode::Makes;
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert_eq!(bot.offer(offer(1)).await.free_places, Some(1), "it was never made");

    let challenge = CreateChallengeRequest {
        request_id: "1".to_owned(),
        settings: Some(GameSettings { preset: "weiqi".to_owned(), board_size: 9, ..GameSettings::default() }),
        color: Color::Black.into(),
        opponent_name: "Gnu".to_owned(),
        ..CreateChallengeRequest::default()
    };
    let code = cem.challenges.create_challenge(challenge).await.unwrap().into_inner().challenge.unwrap().code;
    bot.challenges.accept_challenge(AcceptChallengeRequest { code }).await.unwrap();
    assert_eq!(bot.offer(offer(1)).await.free_places, Some(0));
    assert_eq!(reason(bob.start(by_name("Gnu", "2")).await), "BOT_FULL");
    // What makes no game takes no place.
    assert_eq!(bot.offer(offer(2)).await.free_places, Some(1));
    *world.fakes.mode.lock() = Mode::Refuses(None);
    assert_eq!(reason(bob.start(by_name("Gnu", "3")).await), "INTERNAL");
    assert_eq!(bot.offer(offer(2)).await.free_places, Some(1));
}
