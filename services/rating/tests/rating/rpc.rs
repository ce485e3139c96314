//! The service over gRPC: news of finished games in, ratings out.

use std::{future::Future, sync::Arc, time::Duration};

use clap::Parser;
use kernel::{GameId, PlayerId};
use ledger::{Notice, SharedLedger, WriteGate, memory::MemoryLedger};
use nigiri_proto::{
    events::v1::FinishedNotice,
    game::v1::{Color, EndReason, GameResult, GameSettings, Seat},
    rating::v1::{
        BatchGetRatingsRequest, GetGameRatingRequest, GetRatingRequest, Leader, ListLeadersRequest, Rating,
        rating_service_client::RatingServiceClient,
    },
};
use platform::{
    clock::Clock,
    db::{Db, Lite},
    node::{Node, Parts, Running},
    status::reason_of,
    telemetry::Metrics,
    testing,
};
use prost::Message;
use rating::counter::{GROUP, TOPIC};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use tonic::{Code, Status, transport::Channel};
use tonic_types::StatusExt;

use crate::world::player;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: rating::Args,
}

/// A node with the rating service alone.
struct World {
    ledger: SharedLedger,
    node: Running,
    client: RatingServiceClient<Channel>,
    _folder: tempfile::TempDir,
}

impl World {
    /// A node; if `open`, calls need no token.
    async fn new(open: bool) -> Self {
        let (db, folder) = testing::sqlite().await.unwrap();
        Self::with(db, folder, open).await
    }

    /// A node on this store.
    async fn with(db: Db, folder: tempfile::TempDir, open: bool) -> Self {
        let ledger: SharedLedger = Arc::new(MemoryLedger::system());
        let parts = Parts {
            ledger: ledger.clone(),
            db,
            clock: Clock::system(),
            service_secret: testing::secret(),
            network: None,
        };
        let mut node = Node::new(parts).unwrap();
        let context = node.context();
        let args = Cli::parse_from([
            "test",
            "--rating-attempts",
            "3",
            "--rating-backoff",
            "5ms",
            "--rating-lag-interval",
            "20ms",
        ])
        .args;
        rating::bind(args, &context, node.server()).await.unwrap();
        if open {
            node.server().public("/nigiri.rating.v1.RatingService/");
        }
        let node = node.start(None).await.unwrap();
        let client = RatingServiceClient::new(node.channel());
        Self { ledger, node, client, _folder: folder }
    }

    /// Publishes a notice as the game service does.
    async fn publish(&self, notice: &FinishedNotice) {
        let payload = notice.encode_to_vec().into();
        self.ledger.publish(&notice.game_id, Notice { topic: TOPIC.to_owned(), payload }).await.unwrap();
    }

    /// Waits until the service has dealt with everything that was published.
    async fn settle(&self) {
        eventually(|| async { self.ledger.lag(TOPIC, GROUP).await.unwrap() == 0 }).await;
    }

    async fn rating(&mut self, player: PlayerId) -> Rating {
        let request =
            GetRatingRequest { player_id: player.to_string(), board_size: 9, ..GetRatingRequest::default() };
        self.client.get_rating(request).await.unwrap().into_inner().rating.unwrap()
    }

    async fn leaders(&mut self, request: ListLeadersRequest) -> Result<(Vec<Leader>, String), Status> {
        let page = self.client.list_leaders(request).await?.into_inner();
        Ok((page.leaders, page.next_page_token))
    }
}

/// Asks again until it is so; half a minute at most.
async fn eventually<F: Future<Output = bool>>(mut holds: impl FnMut() -> F) {
    let asking = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), asking).await.expect("it never came about");
}

/// A rated game that Black won on points.
fn notice(name: &str, black: u32, white: u32) -> FinishedNotice {
    let seat = |color: Color, n| Seat {
        color: color.into(),
        player_id: player(n).to_string(),
        name: format!("P{n}"),
        bot: false,
        ..Seat::default()
    };
    FinishedNotice {
        game_id: GameId::derive(name).to_string(),
        settings: Some(GameSettings { board_size: 9, rated: true, ..Default::default() }),
        seats: vec![seat(Color::Black, black), seat(Color::White, white)],
        result: Some(GameResult {
            winner: Color::Black.into(),
            reason: EndReason::Score.into(),
            text: "B+2".to_owned(),
        }),
        sequence: 40,
        traceparent: String::new(),
    }
}

/// Reason, code and the fields that were wrong.
fn refusal(status: &Status) -> (String, Code, Vec<String>) {
    let violations = status.get_details_bad_request().map(|bad| bad.field_violations).unwrap_or_default();
    let fields = violations.into_iter().map(|violation| violation.field).collect();
    (reason_of(status).unwrap_or_default(), status.code(), fields)
}

/// A finished game moves both ratings once, however often the news comes; it is found by its id, with changes that sum to zero.
#[tokio::test]
async fn news_that_comes_twice_counts_once() {
    let mut world = World::new(true).await;
    let game = notice("twice", 1, 2);
    world.publish(&game).await;
    world.publish(&game).await;
    world.settle().await;
    world.publish(&game).await;
    world.settle().await;
    let (winner, loser) = (world.rating(player(1)).await, world.rating(player(2)).await);
    assert_eq!(
        (winner.micros, winner.points, winner.games, winner.provisional),
        (1_220_000_000, 1_220, 1, true)
    );
    assert_eq!((loser.micros, loser.points, loser.games, loser.board_size), (1_180_000_000, 1_180, 1, 9));
    let request = GetGameRatingRequest { game_id: game.game_id };
    let counted = world.client.get_game_rating(request).await.unwrap().into_inner();
    let players: Vec<_> = counted.changes.iter().map(|change| change.player_id.as_str()).collect();
    assert_eq!(players, [player(1).to_string(), player(2).to_string()]);
    let moved: Vec<_> =
        counted.changes.iter().map(|change| change.after_micros - change.before_micros).collect();
    assert_eq!((moved, counted.board_size), (vec![20_000_000, -20_000_000], 9));
    assert!(counted.rate_time.is_some());
    world.node.stop(Duration::ZERO, Duration::from_secs(10)).await;
}

/// What does not count is acknowledged and changes nothing; what makes no sense ends among the dead letters with its error, and
/// what comes after it is dealt with all the same.
#[tokio::test]
async fn unrated_news_is_done_with_and_malformed_news_is_set_aside() {
    let mut world = World::new(true).await;
    let mut friendly = notice("friendly", 1, 2);
    friendly.settings.as_mut().unwrap().rated = false;
    let mut with_ai = notice("with an AI", 1, 2);
    with_ai.seats[1].bot = true;
    let mut aborted = notice("aborted", 1, 2);
    aborted.result.as_mut().unwrap().reason = EndReason::Abort.into();
    let mut alone = notice("alone", 1, 1);
    alone.settings.as_mut().unwrap().board_size = 19;
    for notice in [&friendly, &with_ai, &aborted, &alone] {
        world.publish(notice).await;
    }
    world.publish(&notice("good", 3, 4)).await;
    world.settle().await;
    assert_eq!(world.rating(player(3)).await.games, 1);
    assert_eq!(world.rating(player(1)).await.games, 0);
    let dead = world.ledger.dead_letters(TOPIC, GROUP, 10).await.unwrap();
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0].payload, alone.encode_to_vec());
    assert!(dead[0].error.contains("sits on both sides"), "{}", dead[0].error);
    for game in [friendly, with_ai, aborted] {
        let request = GetGameRatingRequest { game_id: game.game_id.clone() };
        let status = world.client.get_game_rating(request).await.unwrap_err();
        assert_eq!(refusal(&status), ("NOT_RATED".to_owned(), Code::NotFound, vec![]));
        assert_eq!(status.get_details_resource_info().unwrap().resource_name, game.game_id);
    }
    world.node.stop(Duration::ZERO, Duration::from_secs(10)).await;
}

/// While the store refuses every writer, a finished game waits, however many attempts that costs; then it counts, and the metrics tell the
/// story.
#[tokio::test]
async fn games_wait_for_a_store_that_is_away() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteConnectOptions::new()
        .filename(folder.path().join("nigiri.db"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .busy_timeout(Duration::from_millis(5));
    let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await.unwrap();
    let db = Db::Sqlite(Lite { pool: pool.clone(), gate: WriteGate::new(), fates: None });
    db.migrate().await.unwrap();
    let mut world = World::with(db, folder, true).await;
    let metrics = Metrics::install();
    // Other tests of this process may have counted as well.
    let shown = |metric: &str| -> Option<f64> {
        let rendered = metrics.render();
        let value = rendered.lines().find_map(|line| line.strip_prefix(metric))?;
        value.trim().parse().ok()
    };

    let other_writer = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    world.publish(&notice("waits", 1, 2)).await;
    // More attempts than make a dead letter.
    eventually(|| async { shown("nigiri_rating_notices{fate=\"failed\"}") > Some(5.0) }).await;
    assert_eq!(world.rating(player(1)).await.games, 0);
    other_writer.rollback().await.unwrap();
    world.settle().await;
    assert_eq!(world.rating(player(1)).await.points, 1_220);
    assert!(world.ledger.dead_letters(TOPIC, GROUP, 10).await.unwrap().is_empty());
    assert!(
        shown("nigiri_rating_games{end=\"score\",winner=\"black\"}") >= Some(1.0),
        "{}",
        metrics.render()
    );
    eventually(|| async { shown("nigiri_rating_lag_games") == Some(0.0) }).await;
    world.node.stop(Duration::ZERO, Duration::from_secs(10)).await;
}

/// The leaderboard over the API: pages of a few walk everybody once, strongest first; without the provisional it is empty yet.
#[tokio::test]
async fn leaderboard_is_walked_by_its_tokens() {
    let mut world = World::new(true).await;
    for n in 0..21 {
        world.publish(&notice(&format!("game {n}"), 2 * n, 2 * n + 1)).await;
    }
    world.settle().await;
    let first =
        ListLeadersRequest { board_size: 9, page_size: 5, include_provisional: true, ..Default::default() };
    let (mut all, mut request) = (Vec::new(), first.clone());
    loop {
        let (leaders, next) = world.leaders(request.clone()).await.unwrap();
        all.extend(leaders);
        if next.is_empty() {
            break;
        }
        request.page_token = next;
    }
    assert_eq!(all.iter().map(|leader| leader.rank).collect::<Vec<_>>(), (1..=42).collect::<Vec<_>>());
    let points: Vec<_> = all.iter().map(|leader| leader.rating.as_ref().unwrap().points).collect();
    assert_eq!(points, [[1_220; 21], [1_180; 21]].concat());
    let mut names: Vec<_> = all.into_iter().map(|leader| leader.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 42);
    let usual = ListLeadersRequest { page_size: 0, ..first.clone() };
    let (page, token) = world.leaders(usual.clone()).await.unwrap();
    assert!(page.len() == 20 && !token.is_empty());
    let established = ListLeadersRequest { include_provisional: false, ..usual };
    assert_eq!(world.leaders(established.clone()).await.unwrap(), (vec![], String::new()));
    for request in [
        ListLeadersRequest { page_token: token.clone(), ..established },
        ListLeadersRequest { page_token: token.clone(), board_size: 13, ..first.clone() },
        ListLeadersRequest { page_token: "what".to_owned(), ..first },
    ] {
        let status = world.leaders(request).await.unwrap_err();
        let fields = vec!["page_token".to_owned()];
        assert_eq!(refusal(&status), ("INVALID_REQUEST".to_owned(), Code::InvalidArgument, fields));
    }
    world.node.stop(Duration::ZERO, Duration::from_secs(10)).await;
}

/// Several players are answered in the order asked for, doubles and strangers too, up to the limit.
#[tokio::test]
async fn a_batch_is_answered_in_order() {
    let mut world = World::new(true).await;
    world.publish(&notice("one", 1, 2)).await;
    world.settle().await;
    let asked: Vec<_> = (0..1_000).map(|n| player(n % 3).to_string()).collect();
    let request = BatchGetRatingsRequest {
        player_ids: asked.clone(),
        board_size: 9,
        ..BatchGetRatingsRequest::default()
    };
    let ratings = world.client.batch_get_ratings(request).await.unwrap().into_inner().ratings;
    assert_eq!(
        ratings.iter().map(|rating| &rating.player_id).collect::<Vec<_>>(),
        asked.iter().collect::<Vec<_>>()
    );
    let points: Vec<_> = ratings[..4].iter().map(|rating| rating.points).collect();
    assert_eq!(points, [1_200, 1_220, 1_180, 1_200]);
    let none =
        BatchGetRatingsRequest { player_ids: vec![], board_size: 9, ..BatchGetRatingsRequest::default() };
    assert!(world.client.batch_get_ratings(none).await.unwrap().into_inner().ratings.is_empty());
    world.node.stop(Duration::ZERO, Duration::from_secs(10)).await;
}

/// Malformed requests are refused with every field that is wrong, also when that is very many.
#[tokio::test]
async fn malformed_requests_name_every_field() {
    let mut world = World::new(true).await;
    let invalid = |fields: &[&str]| {
        let fields = fields.iter().map(|field| (*field).to_owned()).collect();
        ("INVALID_REQUEST".to_owned(), Code::InvalidArgument, fields)
    };
    let good = player(1).to_string();
    for board_size in [0, 4, 20, u32::MAX] {
        let request = GetRatingRequest { player_id: good.clone(), board_size, ..GetRatingRequest::default() };
        let status = world.client.get_rating(request).await.unwrap_err();
        assert_eq!(refusal(&status), invalid(&["board_size"]));
    }
    let request =
        GetRatingRequest { player_id: "x".repeat(100_000), board_size: 3, ..GetRatingRequest::default() };
    let status = world.client.get_rating(request).await.unwrap_err();
    assert_eq!(refusal(&status), invalid(&["board_size", "player_id"]));

    let ids = vec![String::new(), good.clone(), "囲碁".to_owned()];
    let request =
        BatchGetRatingsRequest { player_ids: ids, board_size: 20, ..BatchGetRatingsRequest::default() };
    let status = world.client.batch_get_ratings(request).await.unwrap_err();
    assert_eq!(refusal(&status), invalid(&["board_size", "player_ids[0]", "player_ids[2]"]));
    let request = BatchGetRatingsRequest {
        player_ids: vec![good; 1_001],
        board_size: 9,
        ..BatchGetRatingsRequest::default()
    };
    let status = world.client.batch_get_ratings(request).await.unwrap_err();
    assert_eq!(refusal(&status), invalid(&["player_ids"]));
    let request = BatchGetRatingsRequest {
        player_ids: vec!["😀".repeat(1_000); 1_000],
        board_size: 9,
        ..BatchGetRatingsRequest::default()
    };
    let status = world.client.batch_get_ratings(request).await.unwrap_err();
    let (reason, _, fields) = refusal(&status);
    assert_eq!((reason.as_str(), fields.len(), fields[20].as_str()), ("INVALID_REQUEST", 21, "player_ids"));
    assert!(status.message().contains("980 more"), "{}", status.message());

    let request = GetGameRatingRequest { game_id: "67E55044".to_owned() };
    let status = world.client.get_game_rating(request).await.unwrap_err();
    assert_eq!(refusal(&status), invalid(&["game_id"]));
    let request = ListLeadersRequest { board_size: 2, page_size: 101, ..Default::default() };
    let status = world.leaders(request).await.unwrap_err();
    assert_eq!(refusal(&status), invalid(&["page_size", "board_size"]));
    world.node.stop(Duration::ZERO, Duration::from_secs(10)).await;
}

/// Ratings are shown to everybody who has a token, and to nobody else.
#[tokio::test]
async fn a_call_without_a_token_is_refused() {
    let mut world = World::new(false).await;
    let request =
        GetRatingRequest { player_id: player(1).to_string(), board_size: 9, ..GetRatingRequest::default() };
    let status = world.client.get_rating(request).await.unwrap_err();
    assert_eq!(refusal(&status), ("TOKEN_MISSING".to_owned(), Code::Unauthenticated, vec![]));
    world.node.stop(Duration::ZERO, Duration::from_secs(10)).await;
}
