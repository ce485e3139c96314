//! One process of Nigiri: its parts, its services, its end. `nigiri dev`, each single service and the tests are all nodes.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use ledger::SharedLedger;
use tokio::{io::DuplexStream, net::TcpListener, sync::mpsc, task::JoinHandle};
use tonic::transport::Channel;

use crate::{
    Context,
    clock::Clock,
    config::Secret,
    db::Db,
    health::Health,
    network::{Network, Pipe},
    server::ServerBuilder,
    shutdown::Shutdown,
    telemetry::{Metrics, trace},
};

/// How often the process's metrics are sorted into their buckets.
const UPKEEP: Duration = Duration::from_secs(5);

/// What a node is made of.
pub struct Parts {
    /// Logs, topics and deadlines.
    pub ledger: SharedLedger,
    /// The SQL store.
    pub db: Db,
    /// The clock for tokens and waits.
    pub clock: Clock,
    /// The secret by which services know each other.
    pub service_secret: Secret,
    /// Where the other services are; none when all are in this process.
    pub network: Option<Network>,
}

/// A node that is being put together: call the services' `bind` with [`Node::context`] and [`Node::server`], then [`Node::start`].
pub struct Node {
    context: Context,
    server: ServerBuilder,
    metrics: Metrics,
    pipe: Pipe,
    accepted: mpsc::Receiver<DuplexStream>,
}

impl Node {
    /// A node without services.
    ///
    /// # Errors
    /// When the session service has no address.
    pub fn new(parts: Parts) -> anyhow::Result<Self> {
        let (pipe, accepted) = Pipe::new();
        let network = parts.network.unwrap_or_else(|| Network::InProcess(pipe.clone()));
        let shutdown = Shutdown::new();
        let context =
            Context::new(parts.ledger, parts.db, parts.clock, shutdown, parts.service_secret, network)?;
        trace::choose_by(&context.service_secret);
        let metrics = Metrics::install();
        Ok(Self { context, server: ServerBuilder::new(metrics.clone()), metrics, pipe, accepted })
    }

    /// What services are given.
    pub fn context(&self) -> Context {
        self.context.clone()
    }

    /// Where services add what they serve.
    pub fn server(&mut self) -> &mut ServerBuilder {
        &mut self.server
    }

    /// Serves: on this listener, and through the pipe within the process. Ready when this returns.
    ///
    /// # Errors
    /// When the routes cannot be built.
    pub async fn start(self, listener: Option<TcpListener>) -> anyhow::Result<Running> {
        let server = self.server.build(&self.context).await?;
        let address = listener.as_ref().and_then(|listener| listener.local_addr().ok());
        let health = server.health().clone();
        let mut servers = Vec::new();
        if let Some(listener) = listener {
            let (server, context) = (server.clone(), self.context.clone());
            servers.push(spawn(async move { server.serve(listener, &context).await }));
        }
        let (verifier, bans) = (Arc::clone(self.context.verifier()), Arc::clone(self.context.bans()));
        self.context.shutdown.spawn_until_stopping(verifier.follow());
        self.context.shutdown.spawn_until_stopping(bans.follow(Arc::clone(&self.context.ledger)));
        let metrics = self.metrics;
        self.context.shutdown.spawn_until_stopping(async move {
            loop {
                tokio::time::sleep(UPKEEP).await;
                metrics.upkeep();
            }
        });
        let (context, accepted) = (self.context.clone(), self.accepted);
        let pipe = spawn(async move { server.serve_pipe(accepted, &context).await });
        health.set_ready(true).await;
        Ok(Running { context: self.context, health, address, pipe_end: self.pipe, servers, pipe })
    }
}

fn spawn(task: impl Future<Output = anyhow::Result<()>> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(async move {
        if let Err(error) = task.await {
            tracing::error!(error = format!("{error:#}"), "the server failed");
        }
    })
}

/// A node that serves.
pub struct Running {
    context: Context,
    health: Health,
    address: Option<SocketAddr>,
    pipe_end: Pipe,
    servers: Vec<JoinHandle<()>>,
    pipe: JoinHandle<()>,
}

impl Running {
    /// What the services were given.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// The client's end of this node's pipe.
    pub fn pipe(&self) -> &Pipe {
        &self.pipe_end
    }

    /// A channel into this node through its pipe, with a connection of its own.
    pub fn channel(&self) -> Channel {
        self.pipe_end.channel()
    }

    /// Waits until serving ends by itself or background work panics: both are faults.
    pub async fn failed(&mut self) {
        let failed = self.context.shutdown.failed().clone();
        let serving = async {
            for server in &mut self.servers {
                if let Err(error) = server.await {
                    tracing::error!(%error, "the server's task failed");
                }
            }
        };
        tokio::select! {
            () = serving => {}
            () = failed.cancelled() => {}
        }
    }

    /// Ends: not ready; `delay` for load balancers to notice; streams are told; calls finish; background work stops. What has not
    /// ended `grace` after the delay is cut off.
    pub async fn stop(self, delay: Duration, grace: Duration) {
        self.health.set_ready(false).await;
        tokio::time::sleep(delay).await;
        let aborts: Vec<_> = self.servers.iter().chain([&self.pipe]).map(JoinHandle::abort_handle).collect();
        let Self { context, servers, pipe, .. } = self;
        let end = async {
            // The other half is for those who are told last, and for calls.
            context.shutdown.drain_over(grace / 2);
            for server in servers {
                if server.await.is_err() {
                    tracing::warn!("the server did not end cleanly");
                }
            }
            context.shutdown.stop().await;
            if pipe.await.is_err() {
                tracing::warn!("the pipe did not end cleanly");
            }
        };
        if tokio::time::timeout(grace, end).await.is_err() {
            tracing::warn!(?grace, "the grace ran out: what still ran is cut off");
            aborts.iter().for_each(tokio::task::AbortHandle::abort);
        }
        context.db.close().await;
    }
}
