//! Nodes on one ledger, and the people who call them.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use kernel::{PlayerId, Timestamp};
use ledger::memory::MemoryLedger;
use matchmaking::Args;
use nigiri_proto::{
    game::v1::game_service_server::GameServiceServer,
    matchmaking::v1::{
        AiLevel, CancelTicketRequest, FindMatchRequest, FindMatchResponse, MatchSettings, Matched,
        OfferBotRequest, Progress, Queued, block_service_client::BlockServiceClient,
        challenge_service_client::ChallengeServiceClient, find_match_response::Message,
        matchmaking_service_client::MatchmakingServiceClient,
    },
    rating::v1::rating_service_server::RatingServiceServer,
    session::v1::{self as session, PlayerKind, session_service_server::SessionServiceServer},
};
use parking_lot::Mutex;
use platform::{
    auth::Role,
    clock::Clock,
    config::RatedArgs,
    db::{Db, Fate, Fates},
    node::{Node, Parts, Running},
    testing,
};
use tokio::time::Instant;
use tonic::{
    Request, Status, Streaming,
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::Channel,
};
use uuid::Uuid;

use crate::fakes::{FakeGame, FakeRating, FakeSession, Fakes, Keys};

/// Who owns all bots; nobody knows them unless a test says so.
pub fn owner() -> PlayerId {
    PlayerId::from_uuid(Uuid::new_v5(&Uuid::NAMESPACE_OID, b"Owner"))
}

/// When these tests take place.
pub const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// A ledger, and what nodes on it share.
pub struct World {
    pub ledger: MemoryLedger,
    pub fakes: Arc<Fakes>,
    pub keys: Arc<Keys>,
    pub args: Args,
    pub rated_guests: bool,
    db: Db,
    clock: Clock,
    tokens: Mutex<HashMap<String, String>>,
    /// Milliseconds by which the ledger's clock has leapt.
    leap: Arc<AtomicU64>,
    _folder: tempfile::TempDir,
}

impl World {
    /// A world whose time stands still while anything happens, and leaps when everybody waits.
    pub async fn paused() -> Self {
        let world = Self::running().await;
        tokio::time::pause();
        world
    }

    /// A world by the machine's clock.
    pub async fn running() -> Self {
        let (db, folder) = testing::sqlite().await.unwrap();
        db.close().await;
        // No time passes while the store works, so that paused time does not run away meanwhile.
        let store = testing::SimulatedStore::new(&folder.path().join("nigiri.db")).unwrap();
        let db = store.seen_by(Fates::new(|| Fate::Done));
        let leap = Arc::new(AtomicU64::new(0));
        let begin = Instant::now();
        let leapt = Arc::clone(&leap);
        let read = move || START + begin.elapsed() + Duration::from_millis(leapt.load(Ordering::SeqCst));
        Self {
            ledger: MemoryLedger::new(ledger::Clock::new(read)),
            fakes: Fakes::new(),
            keys: Arc::new(Keys::new()),
            args: Args::default(),
            rated_guests: false,
            db,
            clock: Clock::new(move || START + begin.elapsed()),
            tokens: Mutex::default(),
            leap,
            _folder: folder,
        }
    }

    /// Lets the ledger's clock leap, as after an outage in which nobody could write.
    pub fn leap(&self, time: Duration) {
        self.leap.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// A replica, with the stand-ins of this world.
    pub async fn node(&self) -> Running {
        self.plan(Arc::clone(&self.fakes)).start().await
    }

    /// A replica with stand-ins of its own, to be started anywhere.
    pub fn plan(&self, fakes: Arc<Fakes>) -> Plan {
        Plan {
            parts: Parts {
                ledger: Arc::new(self.ledger.clone()),
                db: self.db.clone(),
                clock: self.clock.clone(),
                service_secret: testing::secret(),
                network: None,
            },
            fakes,
            keys: Arc::clone(&self.keys),
            args: self.args.clone(),
            rated: RatedArgs { rated_guests: self.rated_guests },
        }
    }

    /// Somebody who calls this replica.
    pub fn person(&self, node: &Running, name: &str) -> Person {
        self.with_role(node.channel(), name, Role::Player, true)
    }

    pub fn with_role(&self, channel: Channel, name: &str, role: Role, guest: bool) -> Person {
        // The same name is the same player, whatever the replica.
        let id = PlayerId::from_uuid(Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()));
        // Signing takes long without optimisation.
        let mut tokens = self.tokens.lock();
        let token = tokens
            .entry(format!("{name} {role} {guest}"))
            .or_insert_with(|| self.keys.token(&id.to_string(), name, role, guest));
        let bearer = Bearer(format!("Bearer {token}").parse().unwrap());
        let kind = match (role, guest) {
            (Role::Bot, _) => PlayerKind::Bot,
            (_, true) => PlayerKind::Guest,
            _ => PlayerKind::Member,
        };
        let player = session::Player {
            id: id.to_string(),
            name: name.to_owned(),
            kind: kind.into(),
            owner_id: if role == Role::Bot { owner().to_string() } else { String::new() },
            ..session::Player::default()
        };
        self.fakes.players.lock().insert(player.id.clone(), player);
        Person {
            id,
            client: MatchmakingServiceClient::with_interceptor(channel.clone(), bearer.clone()),
            challenges: ChallengeServiceClient::with_interceptor(channel.clone(), bearer.clone()),
            blocks: BlockServiceClient::with_interceptor(channel, bearer),
        }
    }

    /// A bot that offers itself to this replica once.
    pub async fn bot(&self, node: &Running, name: &str, level: AiLevel) -> PlayerId {
        let mut bot = self.with_role(node.channel(), name, Role::Bot, false);
        let offer = OfferBotRequest { level: level.into(), ..OfferBotRequest::default() };
        bot.client.offer_bot(offer).await.unwrap();
        bot.id
    }
}

/// A replica that has not started yet.
pub struct Plan {
    parts: Parts,
    fakes: Arc<Fakes>,
    keys: Arc<Keys>,
    args: Args,
    rated: RatedArgs,
}

impl Plan {
    pub async fn start(self) -> Running {
        let mut node = Node::new(self.parts).unwrap();
        let context = node.context();
        let server = node.server();
        server.add(SessionServiceServer::new(FakeSession(self.keys, Arc::clone(&self.fakes))));
        server.public("/nigiri.session.v1.SessionService/");
        server.add(GameServiceServer::new(FakeGame(Arc::clone(&self.fakes))));
        server.add(RatingServiceServer::new(FakeRating(self.fakes)));
        matchmaking::bind(self.args, self.rated, &context, server).await.unwrap();
        node.start(None).await.unwrap()
    }
}

/// Drains and stops a replica. Not by [`Running::stop`], which waits for the threads of the SQL store while paused time runs away.
pub async fn stop(node: &Running) {
    node.context().shutdown.drain();
    node.context().shutdown.stop().await;
}

/// Puts a token into every call.
#[derive(Clone)]
pub struct Bearer(MetadataValue<Ascii>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        Ok(request)
    }
}

/// Somebody with a token.
#[derive(Clone)]
pub struct Person {
    pub id: PlayerId,
    pub client: MatchmakingServiceClient<InterceptedService<Channel, Bearer>>,
    pub challenges: ChallengeServiceClient<InterceptedService<Channel, Bearer>>,
    pub blocks: BlockServiceClient<InterceptedService<Channel, Bearer>>,
}

/// A wish for an unrated game of `quick` without an AI.
pub fn quick() -> FindMatchRequest {
    let accepts = vec![MatchSettings { preset: "quick".to_owned(), ..MatchSettings::default() }];
    FindMatchRequest { accepts, ..FindMatchRequest::default() }
}

/// The same, where an AI may fill in.
pub fn quick_or_ai() -> FindMatchRequest {
    FindMatchRequest { allow_ai: true, ..quick() }
}

impl Person {
    pub async fn find(&mut self, request: FindMatchRequest) -> Result<Search, Status> {
        let stream = self.client.find_match(request).await?.into_inner();
        Ok(Search { stream })
    }

    /// Opens a ticket and hears that it is open.
    pub async fn queue(&mut self, request: FindMatchRequest) -> (Search, Queued) {
        let mut search = self.find(request).await.unwrap();
        match search.next().await {
            Message::Queued(queued) => (search, queued),
            other => panic!("{other:?} came first"),
        }
    }

    pub async fn cancel(&mut self) -> Result<(), Status> {
        self.client.cancel_ticket(CancelTicketRequest {}).await.map(drop)
    }
}

/// The stream of a ticket.
pub struct Search {
    stream: Streaming<FindMatchResponse>,
}

impl Search {
    pub async fn next(&mut self) -> Message {
        self.maybe_next().await.expect("the stream has ended")
    }

    /// The next message; none at the end of the stream. Silence of a minute is a failure: something is said every 15 s.
    pub async fn maybe_next(&mut self) -> Option<Message> {
        let next = tokio::time::timeout(Duration::from_secs(60), self.stream.message()).await;
        next.expect("a minute of silence").unwrap().map(|response| response.message.unwrap())
    }

    pub async fn progress(&mut self) -> Progress {
        match self.next().await {
            Message::Progress(progress) => progress,
            other => panic!("{other:?} instead of progress"),
        }
    }

    /// What comes after all progress, which must be the last.
    pub async fn last(mut self) -> Message {
        loop {
            match self.next().await {
                Message::Progress(_) | Message::Queued(_) => {}
                last => {
                    assert_eq!(self.maybe_next().await, None, "nothing comes after {last:?}");
                    return last;
                }
            }
        }
    }

    pub async fn matched(self) -> Matched {
        match self.last().await {
            Message::Matched(matched) => matched,
            other => panic!("{other:?} instead of a match"),
        }
    }
}

/// Asks again and again, for at most a minute, until there is an answer.
pub async fn eventually<T>(mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(answer) = ask().await {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("a minute has gone by");
}
