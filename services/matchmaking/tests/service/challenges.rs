//! Games by agreement, and whom one never wants to meet.

use std::time::Duration;

use nigiri_proto::{
    game::v1::{Color, GameSettings, NoClock, TimeControl, time_control::Control},
    matchmaking::v1::{
        AcceptChallengeRequest, AcceptChallengeResponse, BlockPlayerRequest, CancelChallengeRequest,
        Challenge, ChallengeState, CreateChallengeRequest, DeclineChallengeRequest, Ended, EndedReason,
        GetChallengeRequest, ListBlockedPlayersRequest, ListChallengesRequest, UnblockPlayerRequest,
        WatchChallengesRequest, block_player_request, find_match_response,
        watch_challenges_response::Message,
    },
};
use platform::{auth::Role, convert::to_proto_duration, status::reason_of};
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt;

use crate::{
    fakes::Mode,
    world::{Person, World, quick},
};

fn weiqi() -> GameSettings {
    GameSettings {
        preset: "weiqi".to_owned(),
        board_size: 13,
        komi: 7.5,
        watch_key: "the key".to_owned(),
        ..GameSettings::default()
    }
}

fn wanted(request_id: &str, opponent_name: &str) -> CreateChallengeRequest {
    CreateChallengeRequest {
        request_id: request_id.to_owned(),
        settings: Some(weiqi()),
        opponent_name: opponent_name.to_owned(),
        ..CreateChallengeRequest::default()
    }
}

impl Person {
    async fn challenge(&mut self, request: CreateChallengeRequest) -> Result<Challenge, Status> {
        Ok(self.challenges.create_challenge(request).await?.into_inner().challenge.unwrap())
    }

    async fn see(&mut self, code: &str) -> Result<Challenge, Status> {
        let request = GetChallengeRequest { code: code.to_owned() };
        Ok(self.challenges.get_challenge(request).await?.into_inner().challenge.unwrap())
    }

    async fn accept(&mut self, code: &str) -> Result<AcceptChallengeResponse, Status> {
        let request = AcceptChallengeRequest { code: code.to_owned() };
        Ok(self.challenges.accept_challenge(request).await?.into_inner())
    }

    async fn decline(&mut self, code: &str) -> Result<(), Status> {
        let request = DeclineChallengeRequest { code: code.to_owned() };
        self.challenges.decline_challenge(request).await.map(drop)
    }

    async fn withdraw(&mut self, code: &str) -> Result<(), Status> {
        let request = CancelChallengeRequest { code: code.to_owned() };
        self.challenges.cancel_challenge(request).await.map(drop)
    }

    async fn open_challenges(&mut self) -> Vec<String> {
        let answer = self.challenges.list_challenges(ListChallengesRequest {}).await.unwrap().into_inner();
        answer.challenges.into_iter().map(|challenge| challenge.code).collect()
    }

    async fn block(&mut self, name: &str) -> Result<(), Status> {
        let player = Some(block_player_request::Player::Name(name.to_owned()));
        self.blocks.block_player(BlockPlayerRequest { player }).await.map(drop)
    }
}

fn reason<T: std::fmt::Debug>(result: Result<T, Status>) -> String {
    reason_of(&result.unwrap_err()).unwrap()
}

async fn heard(
    stream: &mut Streaming<nigiri_proto::matchmaking::v1::WatchChallengesResponse>,
) -> Option<(String, ChallengeState)> {
    loop {
        match stream.message().await.unwrap().unwrap().message.unwrap() {
            Message::Challenge(challenge) => {
                let state = challenge.state();
                return Some((challenge.code, state));
            }
            Message::CaughtUp(_) => return None,
            Message::Quiet(_) => {}
            Message::Draining(_) => panic!("nobody drains"),
        }
    }
}

/// A link shows what is to be played before it is accepted, and makes one game, with the first who accepts, as often as they say so. Whoever comes later
/// learns that it has been taken, and neither the game nor its key.
#[tokio::test]
async fn a_link_makes_one_game_however_often_it_is_used() {
    let world = World::paused().await;
    let nodes = [world.node().await, world.node().await];
    let mut ann = world.person(&nodes[0], "Ann");
    let (mut bob, mut cem) = (world.person(&nodes[1], "Bob"), world.person(&nodes[0], "Cem"));
    let request = CreateChallengeRequest { color: Color::White.into(), ..wanted("1", "") };
    let challenge = ann.challenge(request.clone()).await.unwrap();
    assert_eq!(ann.challenge(request).await.unwrap(), challenge, "the same request is the same challenge");
    let code = challenge.code.as_str();
    assert_eq!((code.len(), challenge.url.as_str()), (22, &*format!("/join/{code}")));
    assert_eq!(challenge.settings, Some(weiqi()));

    let seen = bob.see(code).await.unwrap();
    assert_eq!((seen.state(), seen.challenger.unwrap().name.as_str()), (ChallengeState::Open, "Ann"));
    assert_eq!(seen.settings.unwrap(), GameSettings { watch_key: String::new(), ..weiqi() });
    assert_eq!(reason(ann.accept(code).await), "OWN_CHALLENGE");

    let mut again = bob.clone();
    let (first, second, other) = tokio::join!(bob.accept(code), again.accept(code), cem.accept(code));
    let (winner, loser) = if first.is_ok() { (&mut bob, &mut cem) } else { (&mut cem, &mut bob) };
    let game = winner.accept(code).await.unwrap();
    for accepted in [first, second, other].into_iter().flatten() {
        assert_eq!((&accepted.game_id, accepted.color()), (&game.game_id, Color::Black));
    }
    assert_eq!(reason(loser.accept(code).await), "CHALLENGE_CLOSED");
    assert_eq!(world.fakes.games.lock().len(), 1);
    let made = world.fakes.game(&game.game_id);
    assert_eq!(made.settings, Some(weiqi()));
    let seats: Vec<_> = made.seats.iter().map(|seat| (seat.color(), seat.player_id.clone())).collect();
    assert_eq!(seats, [(Color::Black, winner.id.to_string()), (Color::White, ann.id.to_string())]);

    let (own, foreign) = (ann.see(code).await.unwrap(), loser.see(code).await.unwrap());
    assert_eq!((own.state(), own.game_id), (ChallengeState::Accepted, game.game_id));
    assert_eq!((foreign.state(), foreign.game_id.as_str()), (ChallengeState::Accepted, ""));
    assert_eq!((foreign.opponent, ann.open_challenges().await.len()), (None, 0));
}

/// A challenge by name is seen, accepted and declined by that player alone; both hear of it at once, at whatever replica.
#[tokio::test]
async fn a_challenge_by_name_is_for_that_player_alone() {
    let world = World::paused().await;
    let nodes = [world.node().await, world.node().await];
    let (mut ann, mut cem) = (world.person(&nodes[0], "Ann"), world.person(&nodes[0], "Cem"));
    let mut bob = world.person(&nodes[1], "Bob");
    let mut of_ann = ann.challenges.watch_challenges(WatchChallengesRequest {}).await.unwrap().into_inner();
    assert_eq!(heard(&mut of_ann).await, None);
    let code = ann.challenge(wanted("1", "Bob")).await.unwrap().code;
    for refused in [
        cem.see(&code).await.map(drop),
        cem.accept(&code).await.map(drop),
        cem.decline(&code).await,
        bob.withdraw(&code).await,
        ann.decline(&code).await,
        bob.see("no code").await.map(drop),
    ] {
        assert_eq!(reason(refused), "CHALLENGE_NOT_FOUND");
    }
    let mut of_bob = bob.challenges.watch_challenges(WatchChallengesRequest {}).await.unwrap().into_inner();
    assert_eq!(heard(&mut of_bob).await, Some((code.clone(), ChallengeState::Open)));
    assert_eq!(heard(&mut of_bob).await, None);
    assert_eq!((bob.open_challenges().await, cem.open_challenges().await.len()), (vec![code.clone()], 0));
    assert_eq!(heard(&mut of_ann).await, Some((code.clone(), ChallengeState::Open)));
    bob.decline(&code).await.unwrap();
    bob.decline(&code).await.unwrap();
    for stream in [&mut of_ann, &mut of_bob] {
        assert_eq!(heard(stream).await, Some((code.clone(), ChallengeState::Declined)));
    }
    assert_eq!(reason(bob.accept(&code).await), "CHALLENGE_CLOSED");
    assert_eq!(reason(ann.withdraw(&code).await), "CHALLENGE_CLOSED");
    assert!(world.fakes.games.lock().is_empty());
}

/// What makes no game, or nobody can accept, is refused when it is made; time and its player end a challenge; nobody has too many open.
#[tokio::test]
async fn challenges_are_refused_expire_and_are_withdrawn() {
    let world = World::paused().await;
    let node = world.node().await;
    let (mut ann, mut bob) = (world.person(&node, "Ann"), world.person(&node, "Bob"));
    let with = |settings| CreateChallengeRequest { settings, ..wanted("x", "") };
    let small = GameSettings { board_size: 3, ..weiqi() };
    let rated = GameSettings { rated: true, ..weiqi() };
    let short = CreateChallengeRequest {
        valid_for: Some(to_proto_duration(Duration::from_secs(59))),
        ..wanted("x", "")
    };
    for (request, expected) in [
        (with(None), "INVALID_REQUEST"),
        (with(Some(small)), "INVALID_SETTINGS"),
        (with(Some(rated)), "RATED_NEEDS_ACCOUNT"),
        (short, "INVALID_REQUEST"),
        (wanted("", ""), "INVALID_REQUEST"),
        (wanted("x", "Nobody"), "PLAYER_NOT_FOUND"),
        (wanted("x", "Ann"), "OWN_CHALLENGE"),
    ] {
        assert_eq!(reason(ann.challenge(request).await), expected);
    }
    let minute = to_proto_duration(Duration::from_secs(60));
    let brief = CreateChallengeRequest { valid_for: Some(minute), ..wanted("brief", "") };
    let brief = ann.challenge(brief).await.unwrap().code;
    for number in 1..20 {
        ann.challenge(wanted(&number.to_string(), "")).await.unwrap();
    }
    assert_eq!(reason(ann.challenge(wanted("20", "")).await), "TOO_MANY_CHALLENGES");
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(bob.see(&brief).await.unwrap().state(), ChallengeState::Expired);
    assert_eq!(reason(bob.accept(&brief).await), "CHALLENGE_CLOSED");
    let next = ann.challenge(wanted("20", "")).await.unwrap().code;
    ann.withdraw(&next).await.unwrap();
    ann.withdraw(&next).await.unwrap();
    let status = bob.accept(&next).await.unwrap_err();
    assert_eq!(
        (status.code(), reason_of(&status).unwrap().as_str()),
        (Code::FailedPrecondition, "CHALLENGE_CLOSED")
    );
    assert!(world.fakes.games.lock().is_empty());
}

/// While no game can be made an acceptance stands: nobody else gets the challenge, and its game is made as soon as that is possible, whoever asks, or
/// nobody does.
#[tokio::test]
async fn an_acceptance_outlives_an_outage_of_the_game_service() {
    let world = World::paused().await;
    let node = world.node().await;
    let (mut ann, mut bob, mut cem) =
        (world.person(&node, "Ann"), world.person(&node, "Bob"), world.person(&node, "Cem"));
    let code = ann.challenge(wanted("1", "")).await.unwrap().code;
    *world.fakes.mode.lock() = Mode::Away;
    assert_eq!(reason(bob.accept(&code).await), "PEER_UNAVAILABLE");
    assert_eq!(reason(cem.accept(&code).await), "CHALLENGE_CLOSED");
    *world.fakes.mode.lock() = Mode::Makes;
    let mut stream = ann.challenges.watch_challenges(WatchChallengesRequest {}).await.unwrap().into_inner();
    let mut asked = world.fakes.asked.subscribe();
    tokio::time::timeout(Duration::from_secs(30), asked.changed()).await.unwrap().unwrap();
    assert_eq!(heard(&mut stream).await, None);
    let game = bob.accept(&code).await.unwrap().game_id;
    assert_eq!(ann.see(&code).await.unwrap().game_id, game);
    assert_eq!(world.fakes.games.lock().len(), 1);
}

/// Who begins a game by a challenge is out of the queue, and hears why.
#[tokio::test]
async fn whoever_begins_a_game_by_a_challenge_leaves_the_queue() {
    let world = World::paused().await;
    let node = world.node().await;
    let (mut ann, mut bob) = (world.person(&node, "Ann"), world.person(&node, "Bob"));
    let code = ann.challenge(wanted("1", "Bob")).await.unwrap().code;
    let (search, _) = ann.queue(quick()).await;
    bob.accept(&code).await.unwrap();
    let ended = Ended { reason: EndedReason::Playing.into() };
    assert_eq!(search.last().await, find_match_response::Message::Ended(ended));
    assert_eq!(reason(ann.cancel().await), "NO_TICKET");
}

/// Nobody plays two people by a clock at once: in such a game nobody accepts a challenge, and nobody accepts theirs, from the moment on in which it was agreed; the challenge
/// stays open until the game is over. Games without a clock, and against bots, are no such games.
#[tokio::test]
async fn nobody_accepts_a_challenge_while_they_play() {
    let world = World::paused().await;
    let nodes = [world.node().await, world.node().await];
    let [mut ann, mut bob] = ["Ann", "Bob"].map(|name| world.person(&nodes[0], name));
    let [mut cem, mut dan] = ["Cem", "Dan"].map(|name| world.person(&nodes[1], name));
    let mut codes = Vec::new();
    for (person, request) in [(&ann, "1"), (&cem, "2"), (&dan, "3"), (&ann, "4")] {
        codes.push(person.clone().challenge(wanted(request, "")).await.unwrap().code);
    }
    let no_clock = Some(TimeControl { control: Some(Control::None(NoClock {})) });
    let calm = GameSettings { time_control: no_clock, ..weiqi() };
    let calm = CreateChallengeRequest { settings: Some(calm), ..wanted("5", "") };
    codes.push(dan.challenge(calm).await.unwrap().code);
    let mut elsewhere = world.person(&nodes[1], "Bob");
    let (first, second) = tokio::join!(bob.accept(&codes[0]), elsewhere.accept(&codes[1]));
    assert!(first.is_ok() ^ second.is_ok(), "two devices, one game: {first:?} {second:?}");
    let game = first.as_ref().or(second.as_ref()).unwrap().game_id.clone();
    let (taken, open) = if first.is_ok() { (0, 1) } else { (1, 0) };
    for _ in 0..2 {
        for code in [&codes[open], &codes[2]] {
            let refused = bob.accept(code).await.unwrap_err();
            assert_eq!(
                (refused.code(), reason_of(&refused).as_deref()),
                (Code::FailedPrecondition, Some("ALREADY_PLAYING"))
            );
            assert_eq!(refused.get_details_error_info().unwrap().metadata["game_id"], game);
        }
        if taken == 0 {
            assert_eq!(reason(dan.accept(&codes[3]).await), "OPPONENT_PLAYING");
        }
        tokio::time::sleep(Duration::from_secs(11)).await;
    }
    assert_eq!(bob.accept(&codes[taken]).await.unwrap().game_id, game, "again the same");
    bob.accept(&codes[4]).await.unwrap();
    world.fakes.over.lock().insert(game.clone());
    assert_ne!(bob.accept(&codes[2]).await.unwrap().game_id, game);

    // Who has just been matched, and who is about to play.
    let (one, _) = cem.queue(quick()).await;
    let (other, _) = world.person(&nodes[0], "Eve").queue(quick()).await;
    let game = tokio::join!(one.matched(), other.matched()).0.game_id;
    let code = ann.challenge(wanted("6", "")).await.unwrap().code;
    let refused = cem.accept(&code).await.unwrap_err();
    assert_eq!(refused.get_details_error_info().unwrap().metadata["game_id"], game);
}

/// Whoever has accepted a challenge, or whose own was accepted, is not sent into another game by the queue, though the game service cannot make theirs yet: the one
/// who was matched with them waits on.
#[tokio::test]
async fn a_match_yields_to_an_accepted_challenge() {
    let world = World::paused().await;
    let nodes = [world.node().await, world.node().await];
    let [mut ann, mut bob] = ["Ann", "Bob"].map(|name| world.person(&nodes[0], name));
    *world.fakes.mode.lock() = Mode::Away;
    let code = ann.challenge(wanted("1", "")).await.unwrap().code;
    assert_eq!(reason(bob.accept(&code).await), "PEER_UNAVAILABLE");
    for (mut person, other) in [(ann, "Cem"), (bob, "Dan")] {
        let (search, _) = person.queue(quick()).await;
        let mut other = world.person(&nodes[1], other);
        let (mut waiting, _) = other.queue(quick()).await;
        let ended = Ended { reason: EndedReason::Refused.into() };
        assert_eq!(search.last().await, find_match_response::Message::Ended(ended));
        waiting.progress().await;
        other.cancel().await.unwrap();
    }
    *world.fakes.mode.lock() = Mode::Makes;
    let made = crate::world::eventually(async || world.fakes.games.lock().keys().next().cloned()).await;
    assert_eq!(world.fakes.games.lock().len(), 1);
    let seats = world.fakes.game(&made).seats.into_iter().map(|seat| seat.name).collect::<Vec<_>>();
    assert!(seats.contains(&"Ann".to_owned()) && seats.contains(&"Bob".to_owned()), "{seats:?}");
}

/// A player who is matched by the queue of one replica and accepts a challenge at another at the same moment has one game, whichever it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_and_an_acceptance_at_the_same_moment_give_one_game() {
    let world = World::running().await;
    let nodes = [world.node().await, world.node().await];
    let mut by_challenge = 0;
    for round in 0..40_u64 {
        let name = |who: &str| format!("{who} {round}");
        let mut ann = world.person(&nodes[1], &name("Ann"));
        let mut bob = [&nodes[0], &nodes[1]].map(|node| world.person(node, &name("Bob")));
        let mut cem = world.person(&nodes[0], &name("Cem"));
        let code = ann.challenge(wanted("1", "")).await.unwrap().code;
        let (search, _) = bob[0].queue(quick()).await;
        let matching = async {
            let (waiting, _) = cem.queue(quick()).await;
            // Whoever is not matched with Bob meets nobody.
            let last = tokio::time::timeout(Duration::from_millis(300), waiting.last()).await;
            cem.cancel().await.ok();
            last.is_ok()
        };
        let accepting = async {
            tokio::time::sleep(Duration::from_micros(round * 150)).await;
            bob[1].accept(&code).await
        };
        let (_, accepted) = tokio::join!(matching, accepting);
        drop(search);
        let games = world.fakes.games.lock();
        let of_bob = games.values().filter(|game| game.seats.iter().any(|seat| seat.name == name("Bob")));
        let of_bob: Vec<_> = of_bob.map(|game| game.game_id.clone()).collect();
        match accepted {
            Ok(accepted) => {
                by_challenge += 1;
                assert_eq!(of_bob, [accepted.game_id], "round {round}");
            }
            Err(refused) => {
                assert_eq!(
                    reason_of(&refused).as_deref(),
                    Some("ALREADY_PLAYING"),
                    "round {round}: {refused:?}"
                );
                assert_eq!(of_bob.len(), 1, "round {round}");
            }
        }
    }
    println!("{by_challenge} of 40 by the challenge");
}

/// A third party's bot accepts a challenge that is addressed to it, and is shown as a bot; a bot of the house cannot be challenged.
#[tokio::test]
async fn somebodys_bot_accepts_challenges() {
    let world = World::paused().await;
    let node = world.node().await;
    let mut ann = world.person(&node, "Ann");
    let mut bot = world.with_role(node.channel(), "Gnu", Role::Bot, false);
    world.with_role(node.channel(), "House", Role::Bot, false);
    for player in world.fakes.players.lock().values_mut().filter(|player| player.name == "House") {
        player.owner_id.clear();
    }
    assert_eq!(reason(ann.challenge(wanted("1", "House")).await), "PLAYER_NOT_FOUND");
    let code = ann.challenge(wanted("2", "Gnu")).await.unwrap().code;
    assert_eq!(bot.open_challenges().await, [code.as_str()]);
    let game = bot.accept(&code).await.unwrap().game_id;
    let seats = world.fakes.game(&game).seats;
    assert!(seats.iter().all(|seat| seat.bot == (seat.name == "Gnu")), "{seats:?}");
    assert_eq!(reason(bot.challenge(wanted("3", "Ann")).await), "ROLE_REQUIRED");
}

/// Two of whom one has blocked the other never meet, whoever it was and also when both waited already; both keep their tickets with their waiting time, and each
/// meets the next who comes. No challenge goes either way. When the block ends, all is as before.
#[tokio::test]
async fn the_blocked_are_never_met() {
    let world = World::paused().await;
    let node = world.node().await;
    let [mut ann, mut bob, mut cem] = ["Ann", "Bob", "Cem"].map(|name| world.person(&node, name));
    world.fakes.ratings.lock().insert(bob.id.to_string(), 1_350);
    let open = ann.challenge(wanted("1", "Bob")).await.unwrap().code;
    // 150 points apart they meet after 4 s, by when one has blocked the other.
    let (mut a, _) = ann.queue(quick()).await;
    let (mut b, _) = bob.queue(quick()).await;
    bob.block("Ann").await.unwrap();
    bob.block("Ann").await.unwrap();
    for (person, name) in [(&mut ann, "Bob"), (&mut bob, "Ann")] {
        assert_eq!(reason(person.challenge(wanted("2", name)).await), "BLOCKED");
    }
    assert_eq!(bob.see(&open).await.unwrap().state(), ChallengeState::Cancelled);
    loop {
        let (mine, theirs) = (a.progress().await, b.progress().await);
        if mine.waited.unwrap().seconds >= 20 {
            assert!(theirs.waited.unwrap().seconds >= 19);
            break;
        }
    }
    assert!(world.fakes.games.lock().is_empty());
    let (c, _) = cem.queue(quick()).await;
    assert_eq!(c.matched().await.opponent.unwrap().name, "Ann", "the nearer one");
    let list = bob.blocks.list_blocked_players(ListBlockedPlayersRequest {}).await.unwrap().into_inner();
    assert_eq!((list.blocked.len(), list.blocked[0].name.as_str()), (1, "Ann"));
    assert!(
        ann.blocks
            .list_blocked_players(ListBlockedPlayersRequest {})
            .await
            .unwrap()
            .into_inner()
            .blocked
            .is_empty()
    );

    assert_eq!(reason(bob.block("Bob").await), "INVALID_REQUEST");
    assert_eq!(reason(bob.block("Nobody").await), "PLAYER_NOT_FOUND");
    let player_id = ann.id.to_string();
    bob.blocks.unblock_player(UnblockPlayerRequest { player_id }).await.unwrap();
    ann.challenge(wanted("3", "Bob")).await.unwrap();
}

/// Nobody blocks without end; blocking somebody again, or instead of another, is possible all the same.
#[tokio::test]
async fn nobody_blocks_more_than_five_hundred() {
    let world = World::paused().await;
    let node = world.node().await;
    let mut ann = world.person(&node, "Ann");
    let others: Vec<_> = (0..501).map(|number| world.person(&node, &format!("Player {number}")).id).collect();
    let by_id = |other: usize| BlockPlayerRequest {
        player: Some(block_player_request::Player::PlayerId(others[other].to_string())),
    };
    for other in 0..500 {
        ann.blocks.block_player(by_id(other)).await.unwrap();
    }
    assert_eq!(reason(ann.blocks.block_player(by_id(500)).await), "TOO_MANY_BLOCKS");
    ann.blocks.block_player(by_id(0)).await.unwrap();
    let player_id = others[0].to_string();
    ann.blocks.unblock_player(UnblockPlayerRequest { player_id }).await.unwrap();
    ann.blocks.block_player(by_id(500)).await.unwrap();
}
