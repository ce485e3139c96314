//! The tower: operators see everything, and what they do is done, told, and written down.
#![allow(missing_docs, reason = "a test")]

use std::{collections::BTreeSet, path::Path, time::Duration};

use futures::StreamExt;
use ledger::Notice;
use nigiri_client::{Finding, Game, Service, Session, SessionChannel, Watched};
use nigiri_proto::{
    game::v1::{Color, EndReason, GameResult, GameSettings, game_event},
    matchmaking::v1::{FindMatchRequest, MatchSettings},
    operator::v1::{self as api, ActOutcome, operator_service_client::OperatorServiceClient},
};
use platform::{status::reason_of, telemetry::Metrics, tower::Replica};
use testkit::{World, eventually, per_move};
use tonic::Status;

const PATIENCE: Duration = Duration::from_secs(60);

type Tower = OperatorServiceClient<SessionChannel>;

fn tower(session: &Session) -> Tower {
    OperatorServiceClient::new(session.channel(Service::Session))
}

/// A world in which the person whom the provider calls `boss` is an operator, and that person.
async fn world() -> (World, Session) {
    world_with("--bots=false").await
}

async fn world_with(bots: &str) -> (World, Session) {
    let world = World::with(&[bots, "--session-operators=sub:boss"]).await;
    let boss = world.guest("Tower").await;
    let id = uuid::Uuid::parse_str(&boss.player().id).expect("an id");
    let add = "INSERT INTO identities (issuer, subject, player_id, created_at)
         VALUES ('https://accounts.google.com', 'boss', $1, 0)";
    async fn added(world: &World, add: &'static str, id: uuid::Uuid) -> Result<(), sqlx::Error> {
        platform::transact!(&world.context().db, |tx| {
            sqlx::query(add).bind(id).execute(&mut **tx).await?;
        });
        Ok(())
    }
    added(&world, add, id).await.expect("an identity");
    // The role comes with the next refresh.
    let boss = world.client().restore(&boss.tokens().refresh_token).await.expect("a session");
    (world, boss)
}

fn refused<T: std::fmt::Debug>(answer: Result<T, Status>) -> String {
    reason_of(&answer.expect_err("a refusal")).expect("a reason")
}

/// How a game ends, and the time that was given before, as its players see it.
async fn told(game: &Game) -> (Option<Duration>, GameResult) {
    let mut watch = game.watch(Some(1));
    let mut given = None;
    while let Some(watched) = watch.next().await {
        let Watched::Update(update) = watched.expect("a watch") else { continue };
        for event in update.events.into_iter().filter_map(|event| event.event) {
            match event {
                game_event::Event::TimeGiven(gift) => {
                    assert_eq!(gift.reason, "a fire alarm");
                    given = gift.time.map(platform::convert::from_proto_duration);
                }
                game_event::Event::Finished(end) => return (given, end.result.expect("a result")),
                _ => {}
            }
        }
    }
    panic!("the watch ended without the end of the game");
}

/// Everything about a game and its players is seen; time is given, the game is decided, and its players are told why; what cannot be done is
/// refused with its reason. All of it is in the audit log with its outcome, and nobody but operators may do or see any of it.
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sees_a_game_and_decides_it() {
    let (world, boss) = world().await;
    let (a, b) = (world.guest("Honinbo").await, world.guest("Meijin").await);
    let settings = GameSettings { watch_key: uuid::Uuid::new_v4().to_string(), ..per_move("quick", 7.0, 30) };
    let [game, other] = world.game("seen", [&a, &b], settings).await;
    game.play(0, "C3").await.expect("a move");
    other.play(1, "D4").await.expect("a move");
    let (mut tower, game_id) = (tower(&boss), game.id().to_string());
    let listed = eventually("the game is listed", PATIENCE, || async {
        let list = self::tower(&boss).list_live_games(api::ListLiveGamesRequest::default()).await;
        list.expect("a list").into_inner().games.pop()
    })
    .await;
    assert_eq!(listed.game_id, game_id);
    let seen = tower.get_game(api::GetGameRequest { game_id: game_id.clone() }).await.expect("a game");
    let (snapshot, record) = (seen.get_ref().snapshot.clone(), seen.get_ref().record.clone());
    assert_eq!(snapshot.expect("a snapshot").moves, ["C3", "D4"]);
    assert_eq!(record.expect("a record").entries.len(), 3);
    // Who serves its streams: nobody while there are none, then this process, with one of a player's and one of somebody else's.
    assert_eq!(seen.get_ref().streams, []);
    let (mut plays, mut looks_on) = (game.watch(None), boss.game(game.id()).watch(None));
    for watch in [&mut plays, &mut looks_on] {
        watch.next().await.expect("a message").expect("a watch");
    }
    let seen = tower.get_game(api::GetGameRequest { game_id: game_id.clone() }).await.expect("a game");
    let [at] = &seen.get_ref().streams[..] else { panic!("{:?}", seen.get_ref().streams) };
    assert_eq!(at.replica_id, world.context().replica().to_string());
    assert_eq!((at.streams, at.spectators), (2, 1));
    drop((plays, looks_on));

    let time = Some(prost_types::Duration { seconds: 60, nanos: 0 });
    let gift = api::GiveTimeRequest { game_id: game_id.clone(), time, reason: "a fire alarm".into() };
    tower.give_time(gift.clone()).await.expect("time");
    let ruling = api::AdjudicateGameRequest {
        game_id: game_id.clone(),
        winner: Color::White.into(),
        counts: false,
        reason: "Black was not there".into(),
    };
    tower.adjudicate_game(ruling.clone()).await.expect("a ruling");
    let (given, result) = told(&other).await;
    assert_eq!(given, Some(Duration::from_secs(60)));
    assert_eq!((result.winner(), result.reason()), (Color::White, EndReason::UnratedAdjudication));
    assert_eq!(refused(tower.adjudicate_game(ruling.clone()).await), "GAME_OVER");
    let nameless = api::AdjudicateGameRequest { reason: " \n".into(), ..ruling.clone() };
    assert_eq!(refused(tower.adjudicate_game(nameless).await), "INVALID_REQUEST");

    let acts = tower.list_acts(api::ListActsRequest { target: game_id, ..Default::default() }).await;
    let acts = acts.expect("acts").into_inner().acts;
    let told: Vec<_> =
        acts.iter().map(|act| (act.act.as_str(), act.outcome(), act.reason.as_str())).collect();
    let expected = [
        ("AdjudicateGame", ActOutcome::Failed, "Black was not there"),
        ("AdjudicateGame", ActOutcome::Done, "Black was not there"),
        ("GiveTime", ActOutcome::Done, "a fire alarm"),
    ];
    assert_eq!(told, expected);
    assert!(acts[0].error.starts_with("GAME_OVER"), "{}", acts[0].error);
    assert_eq!((acts[0].operator_id.as_str(), acts[0].operator_name.as_str()), (&*boss.player().id, "Tower"));

    let mut stranger = self::tower(&a);
    assert_eq!(refused(stranger.get_overview(api::GetOverviewRequest {}).await), "ROLE_REQUIRED");
    assert_eq!(refused(stranger.give_time(gift).await), "ROLE_REQUIRED");
    assert_eq!(refused(stranger.list_acts(api::ListActsRequest::default()).await), "ROLE_REQUIRED");
    world.stop().await;
}

/// A player is renamed, kicked, banned and let in again; the ban and the acts are seen with the player.
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_deals_with_a_player() {
    let (world, boss) = world().await;
    let rude = world.guest("Rude").await;
    let (mut tower, player_id) = (tower(&boss), rude.player().id);
    let why = || "manners".to_owned();
    let rename =
        api::RenamePlayerRequest { player_id: player_id.clone(), name: "Kind".into(), reason: why() };
    assert_eq!(tower.rename_player(rename).await.expect("a name").into_inner().name, "Kind");
    let kick = api::KickPlayerRequest { player_id: player_id.clone(), reason: why() };
    assert_eq!(tower.kick_player(kick).await.expect("a kick").into_inner().ended_sessions, 1);
    let duration = Some(prost_types::Duration { seconds: 3600, nanos: 0 });
    let ban = api::BanPlayerRequest { player_id: player_id.clone(), duration, reason: why() };
    assert!(tower.ban_player(ban).await.expect("a ban").into_inner().end_time.is_some());
    let look = api::GetPlayerRequest { player_id: player_id.clone() };
    let seen = tower.get_player(look.clone()).await.expect("a player").into_inner();
    let account = seen.account.expect("an account");
    assert_eq!((account.banned, account.ban_reason.as_str(), account.sessions.len()), (true, "manners", 0));
    assert_eq!(account.player.expect("a player").name, "Kind");
    let acts: Vec<_> = seen.acts.iter().map(|act| (act.act.as_str(), act.detail.as_str())).collect();
    assert_eq!(acts, [("BanPlayer", "1h"), ("KickPlayer", ""), ("RenamePlayer", "to \"Kind\"")]);
    let unban = api::UnbanPlayerRequest { player_id: player_id.clone(), reason: why() };
    tower.unban_player(unban).await.expect("no ban");
    let seen = tower.get_player(look).await.expect("a player").into_inner();
    assert!(!seen.account.expect("an account").banned);
    let nobody = api::GetPlayerRequest { player_id: uuid::Uuid::nil().to_string() };
    assert_eq!(refused(tower.get_player(nobody).await), "PLAYER_NOT_FOUND");
    world.stop().await;
}

fn wish() -> FindMatchRequest {
    let accepts = vec![MatchSettings { preset: "quick".into(), ..MatchSettings::default() }];
    FindMatchRequest { accepts, ..FindMatchRequest::default() }
}

/// While matchmaking is paused tickets wait and nobody is matched; then it goes on where it was. All players are told what operators want to tell them. A
/// process is seen, and ends when it is told to.
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_pauses_tells_and_drains() {
    let (world, boss) = world().await;
    let (a, b) = (world.guest("Honinbo").await, world.guest("Meijin").await);
    let (mut tower, context) = (tower(&boss), world.context());
    let why = || "an update".to_owned();
    let replica = Replica::new("test", context);
    tower
        .pause_matchmaking(api::PauseMatchmakingRequest { paused: true, reason: why() })
        .await
        .expect("a pause");
    replica.look(context).await.expect("a look");
    let (mut first, mut second) = (a.find_match(wish()), b.find_match(wish()));
    for search in [&mut first, &mut second] {
        while !matches!(search.next().await, Some(Ok(Finding::Queued(_)))) {}
    }
    let waits = tokio::time::timeout(Duration::from_secs(2), async {
        while !matches!(first.next().await, Some(Ok(Finding::Matched(_)))) {}
    });
    assert!(waits.await.is_err(), "nobody is matched during a pause");
    let seen = tower.get_overview(api::GetOverviewRequest {}).await.expect("an overview").into_inner();
    assert_eq!((seen.matchmaking_paused, seen.open_tickets, seen.faults), (true, 2, Vec::<String>::new()));
    assert!(seen.oldest_ticket.is_some());
    assert!(seen.groups.iter().any(|group| group.topic == "finished" && group.group == "rating"));
    let tickets = tower.list_tickets(api::ListTicketsRequest::default()).await.expect("tickets");
    let tickets = tickets.into_inner().tickets;
    assert_eq!(tickets.iter().map(|ticket| ticket.followed).collect::<Vec<_>>(), [true, true]);

    let mut notices =
        tower_of(&a).watch_notice(api::WatchNoticeRequest {}).await.expect("a stream").into_inner();
    assert_eq!(notices.message().await.expect("a message").expect("a notice").text, "");
    let notice = |text: &str| api::SetNoticeRequest { text: text.into(), duration: None, reason: why() };
    tower.set_notice(notice("An update at noon.")).await.expect("a notice");
    tower
        .pause_matchmaking(api::PauseMatchmakingRequest { paused: false, reason: why() })
        .await
        .expect("no pause");
    replica.look(context).await.expect("a look");
    let told = notices.message().await.expect("a message").expect("a notice");
    assert_eq!(told.text, "An update at noon.");
    for search in [&mut first, &mut second] {
        let found = async { while !matches!(search.next().await, Some(Ok(Finding::Matched(_)))) {} };
        tokio::time::timeout(PATIENCE, found).await.expect("a match");
    }

    let replicas =
        tower.list_replicas(api::ListReplicasRequest {}).await.expect("a list").into_inner().replicas;
    let [shown] = &replicas[..] else { panic!("{replicas:?}") };
    assert_eq!((shown.service.as_str(), &shown.replica_id), ("test", &replica.id().to_string()));
    let drain = |id: String| api::DrainReplicaRequest { replica_id: id, reason: why() };
    assert_eq!(refused(tower.drain_replica(drain(uuid::Uuid::nil().to_string())).await), "REPLICA_NOT_FOUND");
    tower.drain_replica(drain(replica.id().to_string())).await.expect("a drain");
    assert!(!context.switches().drain().is_cancelled());
    replica.look(context).await.expect("a look");
    assert!(context.switches().drain().is_cancelled());
    world.stop().await;
}

fn tower_of(session: &Session) -> Tower {
    tower(session)
}

/// A message that failed for good is listed in words, comes again when it is replayed, and never again when it is discarded.
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_deals_with_dead_letters() {
    let (world, boss) = world().await;
    let (mut tower, ledger) = (tower(&boss), world.ledger());
    let (topic, group) = ("turns.test", "broken");
    let none = Duration::ZERO;
    ledger.join(topic, group).await.expect("a group");
    let payload = prost::Message::encode_to_vec(&nigiri_proto::events::v1::TurnNotice {
        game_id: "g".into(),
        ply: 3,
        traceparent: String::new(),
    });
    ledger.publish("g", Notice { topic: topic.into(), payload: payload.into() }).await.expect("a message");
    let bury = || async {
        let taken = ledger.fetch(topic, group, "c", 1, none).await.expect("messages");
        ledger.bury(topic, group, taken.first().expect("one"), "no such game").await.expect("a burial");
    };
    bury().await;
    let asked =
        api::ListDeadLettersRequest { topic: topic.into(), group: group.into(), ..Default::default() };
    let letters = tower.list_dead_letters(asked.clone()).await.expect("letters").into_inner().letters;
    let [letter] = &letters[..] else { panic!("{letters:?}") };
    assert_eq!(
        (letter.error.as_str(), letter.summary.as_str()),
        ("no such game", r#"{"gameId":"g","ply":3}"#)
    );
    let groups = tower.list_groups(api::ListGroupsRequest {}).await.expect("groups").into_inner().groups;
    let found = groups.iter().find(|one| one.topic == topic).expect("the group");
    assert_eq!((found.lag, found.dead_letters), (0, 1));
    let replay = api::ReplayDeadLetterRequest {
        topic: topic.into(),
        group: group.into(),
        letter_id: letter.letter_id.clone(),
        reason: "mended".into(),
    };
    tower.replay_dead_letter(replay.clone()).await.expect("a replay");
    assert_eq!(refused(tower.replay_dead_letter(replay).await), "DEAD_LETTER_NOT_FOUND");
    bury().await;
    let letters = tower.list_dead_letters(asked.clone()).await.expect("letters").into_inner().letters;
    let discard = api::DiscardDeadLetterRequest {
        topic: topic.into(),
        group: group.into(),
        letter_id: letters.first().expect("a letter").letter_id.clone(),
        reason: "of no use".into(),
    };
    tower.discard_dead_letter(discard).await.expect("a discard");
    assert!(tower.list_dead_letters(asked).await.expect("letters").into_inner().letters.is_empty());
    assert!(ledger.fetch(topic, group, "c", 1, none).await.expect("messages").is_empty());
    world.stop().await;
}

/// The names of metrics in a text.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
    words.filter(|word| word.starts_with("nigiri_")).map(str::to_owned).collect()
}

/// What the dashboards show, the alerts watch and the autoscalers follow is in a scrape of a system in which a game was played, under that name.
#[tokio::test(flavor = "multi_thread")]
async fn dashboards_show_what_there_is() {
    let (world, boss) = world_with("--bots=true").await;
    let player = world.guest("Honinbo").await;
    let begun = player.start_ai_game(nigiri_client::AiLevel::Easy, Color::Black).await.expect("a game");
    let game = player.game(begun.game_id.parse().expect("an id"));
    game.play(0, "C3").await.expect("a move");
    let mut watch = game.watch(Some(2));
    while !matches!(watch.next().await, Some(Ok(Watched::Update(_)))) {}
    game.resign().await.expect("a resignation");
    let resume = api::PauseMatchmakingRequest { paused: false, reason: "a test".into() };
    tower(&boss).pause_matchmaking(resume).await.expect("an act");

    let monitoring = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/monitoring");
    let read =
        |file: &str| std::fs::read_to_string(monitoring.join(file)).expect("a file of deploy/monitoring");
    let files =
        ["dashboards/overview.json", "dashboards/games.json", "dashboards/people.json", "alerts.yaml"];
    let mut wanted: BTreeSet<String> = files.iter().flat_map(|file| metrics_in(&read(file))).collect();
    wanted.extend(metrics_in(&read("adapter.yaml")));
    assert!(wanted.len() > 40, "{}", wanted.len());
    // Some are measured every few seconds.
    eventually("everything is in the scrape", PATIENCE, || async {
        let scrape = metrics_in(&Metrics::install().render());
        let missing: Vec<_> = wanted.difference(&scrape).collect();
        eprintln!("not in the scrape: {missing:?}");
        missing.is_empty().then_some(())
    })
    .await;
    world.stop().await;
}
