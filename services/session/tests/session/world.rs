//! A node with nothing but the session service, a store that outlives it, and a clock that the test drives.

use std::{collections::HashMap, sync::Arc, time::Duration};

use kernel::Timestamp;
use ledger::{WriteGate, memory::MemoryLedger};
use nigiri_proto::session::v1::{
    GetPlayerRequest, Player, RefreshSessionRequest, SignInAsGuestRequest, Tokens,
    session_service_client::SessionServiceClient,
};
use platform::{
    clock::ManualClock,
    db::Db,
    node::{Node, Parts, Running},
    testing::{TestPostgres, postgres, secret, sqlite},
};
use tokio::net::TcpListener;
use tonic::{Request, Status, transport::Channel};
use tonic_types::StatusExt;

/// A store on disk.
pub enum Home {
    Sqlite(tempfile::TempDir),
    Postgres(TestPostgres),
}

impl Home {
    /// A store of each kind.
    pub async fn both() -> [Self; 2] {
        [Self::sqlite().await, Self::Postgres(postgres().await.unwrap())]
    }

    pub async fn sqlite() -> Self {
        Self::Sqlite(sqlite().await.unwrap().1)
    }

    /// Opens the store anew, as a new process does.
    pub async fn open(&self) -> Db {
        match self {
            Self::Sqlite(folder) => {
                Db::sqlite(&folder.path().join("nigiri.db"), WriteGate::new()).await.unwrap()
            }
            Self::Postgres(postgres) => Db::postgres(&postgres.url, 8).await.unwrap(),
        }
    }
}

/// A node that serves.
pub struct World {
    _home: Option<Home>,
    pub node: Running,
    pub session: SessionServiceClient<Channel>,
    clock: ManualClock,
}

/// When every test begins.
pub const START: Timestamp = Timestamp::from_millis(1_800_000_000_500);

impl World {
    /// On a new SQLite store. Its folder stays as long as the world: the pool opens the file again for each further connection.
    pub async fn new() -> Self {
        let home = Home::sqlite().await;
        let world = Self::on(home.open().await).await;
        Self { _home: Some(home), ..world }
    }

    pub async fn on(db: Db) -> Self {
        Self::with(db, session::Args::default()).await
    }

    pub async fn with(db: Db, args: session::Args) -> Self {
        let clock = ManualClock::new(START);
        let mut node = Node::new(Parts {
            ledger: Arc::new(MemoryLedger::system()),
            db,
            clock: clock.clock(),
            service_secret: secret(),
            network: None,
        })
        .unwrap();
        let context = node.context();
        session::bind(args, &context, node.server()).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let node = node.start(Some(listener)).await.unwrap();
        let session = SessionServiceClient::new(node.channel());
        Self { _home: None, node, session, clock }
    }

    pub fn advance(&self, time: Duration) {
        self.clock.advance(time);
    }

    pub async fn stop(self) {
        self.node.stop(Duration::ZERO, Duration::from_secs(5)).await;
    }

    pub async fn guest(&self, nickname: &str) -> Result<(Player, Tokens), Status> {
        let request = SignInAsGuestRequest { nickname: nickname.to_owned(), ..Default::default() };
        let answer = self.session.clone().sign_in_as_guest(request).await?.into_inner();
        Ok((answer.player.unwrap(), answer.tokens.unwrap()))
    }

    pub async fn refresh(&self, refresh_token: &str) -> Result<(Player, Tokens), Status> {
        let request = RefreshSessionRequest { refresh_token: refresh_token.to_owned() };
        let answer = self.session.clone().refresh_session(request).await?.into_inner();
        Ok((answer.player.unwrap(), answer.tokens.unwrap()))
    }

    /// Asks for a player with this `authorization`, if any.
    pub async fn player(&self, id: &str, authorization: Option<&str>) -> Result<Player, Status> {
        let mut request = Request::new(GetPlayerRequest { player_id: id.to_owned() });
        if let Some(value) = authorization {
            request.metadata_mut().insert("authorization", value.parse().unwrap());
        }
        Ok(self.session.clone().get_player(request).await?.into_inner().player.unwrap())
    }
}

/// A call with these tokens.
pub fn by<T>(tokens: &Tokens, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", bearer(tokens).parse().unwrap());
    request
}

/// `Bearer ...`
pub fn bearer(tokens: &Tokens) -> String {
    format!("Bearer {}", tokens.access_token)
}

/// The reason of a refusal, and the fields that it names.
pub fn refusal<T: std::fmt::Debug>(result: Result<T, Status>) -> (String, Vec<String>) {
    let status = result.unwrap_err();
    assert!(status.message().len() < 400, "a refusal repeats no huge input: {}", status.message().len());
    let reason = platform::status::reason_of(&status).unwrap_or_else(|| panic!("no reason: {status:?}"));
    let violations = status.get_details_bad_request().map(|request| request.field_violations);
    let fields = violations.unwrap_or_default().into_iter().map(|violation| violation.field).collect();
    (reason, fields)
}

/// The reason of a refusal.
pub fn reason<T: std::fmt::Debug>(result: Result<T, Status>) -> String {
    refusal(result).0
}

/// How often each came up.
pub fn tally(results: impl IntoIterator<Item = String>) -> HashMap<String, usize> {
    results.into_iter().fold(HashMap::new(), |mut counts, key| {
        *counts.entry(key).or_default() += 1;
        counts
    })
}
