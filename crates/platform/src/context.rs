use std::{fmt::Display, future::Future, sync::Arc};

use ledger::{Consumer, Delivery, Policy, SharedLedger};
use uuid::Uuid;

use crate::{
    auth::{Bans, Verifier},
    clock::Clock,
    config::Secret,
    db::Db,
    network::{Network, Peer, RemoteKeys, ServiceChannel, ServiceToken},
    shutdown::Shutdown,
    tower::Switches,
};

/// What a service is given: everything outside of itself. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    /// Logs, topics and deadlines.
    pub ledger: SharedLedger,
    /// Accounts, archive and ratings.
    pub db: Db,
    /// The machine's clock, for tokens and waits; the ledger's clock decides games.
    pub clock: Clock,
    /// How the process ends.
    pub shutdown: Shutdown,
    /// The secret by which services know each other.
    pub service_secret: Secret,
    network: Network,
    verifier: Arc<Verifier>,
    bans: Arc<Bans>,
    switches: Switches,
    replica: Uuid,
}

impl Context {
    /// A context of these parts.
    ///
    /// # Errors
    /// When the session service has no address.
    pub fn new(
        ledger: SharedLedger,
        db: Db,
        clock: Clock,
        shutdown: Shutdown,
        service_secret: Secret,
        network: Network,
    ) -> anyhow::Result<Self> {
        let verifier = Arc::new(Verifier::new(RemoteKeys(network.bare(Peer::Session)?)));
        let bans = Arc::new(Bans::new(clock.clone()));
        let switches = Switches::default();
        let replica = chance::uuid();
        Ok(Self { ledger, db, clock, shutdown, service_secret, network, verifier, bans, switches, replica })
    }

    /// A channel to another service, with a token of the service named `from`.
    ///
    /// # Errors
    /// When no address is configured for it.
    pub fn channel(&self, from: &str, to: Peer) -> anyhow::Result<ServiceChannel> {
        let session = self.network.bare(Peer::Session)?;
        let token = ServiceToken::new(session, from, self.service_secret.clone(), self.clock.clone());
        Ok(ServiceChannel::new(self.network.bare(to)?, token))
    }

    /// A bare channel to another service: for players' own tokens, as the bots have them.
    ///
    /// # Errors
    /// When no address is configured for it.
    pub fn bare_channel(&self, to: Peer) -> anyhow::Result<tonic::transport::Channel> {
        self.network.bare(to)
    }

    /// Handles a topic's messages in the background, as one of a group's consumers, until the process stops. Each comes at least once.
    pub fn consume<R, E>(
        &self,
        topic: &str,
        group: &str,
        policy: Policy,
        handle: impl Fn(Delivery) -> R + Send + Sync + 'static,
    ) where
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Display + 'static,
    {
        let consumer = Consumer::new(self.ledger.clone(), topic, group, policy);
        let stopping = self.shutdown.stopping().clone();
        self.shutdown.spawn(consumer.run(handle, stopping));
    }

    /// Who verifies access tokens.
    pub fn verifier(&self) -> &Arc<Verifier> {
        &self.verifier
    }

    /// What operators have asked of this process.
    pub fn switches(&self) -> &Switches {
        &self.switches
    }

    /// The id under which operators see this process.
    pub fn replica(&self) -> Uuid {
        self.replica
    }

    /// Who is out although their token has not expired.
    pub fn bans(&self) -> &Arc<Bans> {
        &self.bans
    }
}
