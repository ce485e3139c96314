//! One service in a process of its own, on Redis and Postgres; and the migration.

use std::sync::Arc;

use ledger::redis::{RedisConfig, RedisLedger};
use platform::{
    clock::Clock,
    config::{LedgerArgs, PeerArgs, RatedArgs, ServerArgs, StoreArgs, TelemetryArgs},
    db::Db,
    node::{Node, Parts},
    server::listen,
    shutdown::Signals,
    telemetry::{self, Telemetry},
};

use crate::page;

/// What every single service needs.
#[derive(clap::Args, Clone, Debug)]
pub struct Common {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    telemetry: TelemetryArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    ledger: LedgerArgs,
    #[command(flatten)]
    peers: PeerArgs,
}

impl Common {
    /// A node on the shared stores.
    async fn node(&self) -> anyhow::Result<Node> {
        let db = Db::postgres(&self.store.store_url, self.store.store_connections).await?;
        db.check_schema().await?;
        #[cfg(feature = "next")]
        crate::next::check_schema(&db).await?;
        let redis = RedisLedger::connect(RedisConfig {
            cluster: self.ledger.ledger_cluster,
            partitions: self.ledger.ledger_partitions,
            wait_replicas: self.ledger.ledger_wait_replicas,
            ..RedisConfig::cluster(&self.ledger.ledger_url)
        })
        .await?;
        let mut node = Node::new(Parts {
            ledger: telemetry::observed(Arc::new(redis)),
            db,
            clock: Clock::system(),
            service_secret: self.peers.service_secret.clone(),
            network: Some(self.peers.network()?),
        })?;
        node.server().protect(&self.server).pages(page::routes());
        Ok(node)
    }

    /// Serves the node until a signal.
    async fn serve(&self, name: &str, node: Node, telemetry: Telemetry) -> anyhow::Result<()> {
        let listener = listen(self.server.listen).await?;
        let running = node.start(Some(listener)).await?;
        let address = running.address().unwrap_or(self.server.listen);
        let scheme = self.server.scheme();
        let signals = Signals::listen()?;
        println!("Nigiri {}: the {name} service is ready on {scheme}://{address}", env!("CARGO_PKG_VERSION"));
        let served = crate::run::serve(running, signals, &self.server, name).await;
        telemetry.finish().await;
        served
    }
}

macro_rules! service {
    ($(#[$doc:meta])* $name:ident, $service:ident $(, $rated:ident)?) => {
        $(#[$doc])*
        #[derive(clap::Args, Clone, Debug)]
        pub struct $name {
            #[command(flatten)]
            common: Common,
            #[command(flatten)]
            own: $service::Args,
            $(#[command(flatten)]
            $rated: RatedArgs,)?
        }

        impl $name {
            /// Runs the service until a signal.
            ///
            /// # Errors
            /// When a store or the address cannot be had, or serving fails.
            pub async fn run(self) -> anyhow::Result<()> {
                let telemetry = telemetry::init(&self.common.telemetry, stringify!($service))?;
                let mut node = self.common.node().await?;
                let context = node.context();
                $service::bind(self.own, $(self.$rated,)? &context, node.server()).await?;
                self.common.serve(stringify!($service), node, telemetry).await
            }
        }
    };
}

service!(
    /// `nigiri session`.
    Session, session
);
service!(
    /// `nigiri game`.
    Game, game
);
service!(
    /// `nigiri matchmaking`.
    Matchmaking, matchmaking, rated
);
service!(
    /// `nigiri rating`.
    Rating, rating
);
service!(
    /// `nigiri bot`.
    Bot, bot
);
service!(
    /// `nigiri operator`.
    Operator, operator
);

/// `nigiri migrate`.
#[derive(clap::Args, Clone, Debug)]
pub struct Migrate {
    #[command(flatten)]
    telemetry: TelemetryArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Migrate {
    /// Brings the schema up to date.
    ///
    /// # Errors
    /// When the store cannot be reached or a migration fails.
    pub async fn run(self) -> anyhow::Result<()> {
        let telemetry = telemetry::init(&self.telemetry, "migrate")?;
        let db = Db::postgres(&self.store.store_url, 2).await?;
        db.migrate().await?;
        #[cfg(feature = "next")]
        crate::next::migrate(&db).await?;
        println!("The schema is up to date.");
        telemetry.finish().await;
        Ok(())
    }
}
