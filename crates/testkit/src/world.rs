use std::{sync::Arc, time::Duration};

use clap::Parser;
use ledger::{Clock, SharedLedger, memory::MemoryLedger};
use nigiri_client::{Client, Session};
use platform::{
    config::RatedArgs,
    db::Db,
    node::{Node, Parts, Running},
    telemetry::ObservedLedger,
    testing,
};
use tempfile::TempDir;

/// Every service in this process, on the in-memory ledger and a SQLite file, without a port.
pub struct World {
    running: Running,
    ledger: SharedLedger,
    _folder: Option<TempDir>,
}

/// The services' own options, as on the command line.
#[derive(Parser)]
struct Options {
    /// Whether guests may play rated games.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    rated_guests: bool,
    /// Whether the house's bots are there.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    bots: bool,
    #[command(flatten)]
    session: session::Args,
    #[command(flatten)]
    game: game::Args,
    #[command(flatten)]
    matchmaking: matchmaking::Args,
    #[command(flatten)]
    rating: rating::Args,
    #[command(flatten)]
    bot: bot::Args,
    #[command(flatten)]
    operator: operator::Args,
}

impl World {
    /// A world with the usual options.
    ///
    /// # Panics
    /// When it cannot be made: a test cannot go on.
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    /// A world with these options of the services, as on the command line; `--bots=false` for one without bots.
    ///
    /// # Panics
    /// When it cannot be made: a test cannot go on.
    pub async fn with(options: &[&str]) -> Self {
        Self::by_clock(options, Clock::system()).await
    }

    /// A world with these options, whose ledger goes by this clock: that of games, and of nothing else.
    ///
    /// # Panics
    /// When it cannot be made: a test cannot go on.
    pub async fn by_clock(options: &[&str], clock: Clock) -> Self {
        match Self::try_by_clock(options, clock).await {
            Ok(world) => world,
            Err(error) => panic!("no world: {error:#}"),
        }
    }

    /// A world on this store, with these options of the services; what another world has left there is there.
    ///
    /// # Panics
    /// When it cannot be made: a test cannot go on.
    pub async fn on(db: Db, options: &[&str]) -> Self {
        match Self::made(options, Clock::system(), db, None).await {
            Ok(world) => world,
            Err(error) => panic!("no world: {error:#}"),
        }
    }

    async fn try_by_clock(options: &[&str], clock: Clock) -> anyhow::Result<Self> {
        let (db, folder) = testing::sqlite().await?;
        Self::made(options, clock, db, Some(folder)).await
    }

    async fn made(options: &[&str], clock: Clock, db: Db, folder: Option<TempDir>) -> anyhow::Result<Self> {
        let options = Options::try_parse_from([&["world"], options].concat())?;
        let ledger: SharedLedger = Arc::new(MemoryLedger::new(clock));
        let mut node = Node::new(Parts {
            ledger: Arc::new(ObservedLedger(Arc::clone(&ledger))),
            db,
            clock: Clock::system(),
            service_secret: testing::secret(),
            network: None,
        })?;
        let context = node.context();
        let rated = RatedArgs { rated_guests: options.rated_guests };
        session::bind(options.session, &context, node.server()).await?;
        game::bind(options.game, &context, node.server()).await?;
        rating::bind(options.rating, &context, node.server()).await?;
        matchmaking::bind(options.matchmaking, rated, &context, node.server()).await?;
        operator::bind(options.operator, &context, node.server()).await?;
        if options.bots {
            bot::bind(options.bot, &context, node.server()).await?;
        }
        Ok(Self { running: node.start(None).await?, ledger, _folder: folder })
    }

    /// The ledger below all services.
    pub fn ledger(&self) -> &SharedLedger {
        &self.ledger
    }

    /// What the services were given.
    pub fn context(&self) -> &platform::Context {
        self.running.context()
    }

    /// A bare channel to all services, with a connection of its own.
    pub fn channel(&self) -> tonic::transport::Channel {
        self.running.channel()
    }

    /// Likewise, in the manner of this endpoint; its address does not count.
    pub fn channel_with(&self, endpoint: tonic::transport::Endpoint) -> tonic::transport::Channel {
        self.running.pipe().channel_with(endpoint)
    }

    /// A client with a connection of its own.
    pub fn client(&self) -> Client {
        Client::from_channel(self.running.channel())
    }

    /// Somebody new.
    ///
    /// # Panics
    /// When signing in fails: a test cannot go on.
    pub async fn guest(&self, name: &str) -> Session {
        match self.client().sign_in_as_guest(name).await {
            Ok(session) => session,
            Err(error) => panic!("{name} cannot sign in: {error}"),
        }
    }

    /// Ends the world as a process ends.
    pub async fn stop(self) {
        self.running.stop(Duration::ZERO, Duration::from_secs(10)).await;
    }
}
