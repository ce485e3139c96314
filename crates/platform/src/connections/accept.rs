use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::Instant,
};
use tokio_stream::wrappers::ReceiverStream;

use super::{
    Activity, CUT, ConnectedFrom, ConnectionArgs, Full, REFUSED, Slot, Slots,
    io::{Bytes, Connection},
    most, refuse,
};
use crate::{context::Context, tls::ServerTls};

/// How long to wait when the system gives no more connections.
const EXHAUSTED: Duration = Duration::from_millis(50);

/// How often refusals are logged.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// The connections of a listener, their handshakes done, until the process drains. Nobody who is slow keeps others waiting.
///
/// # Errors
/// When the limit of open files leaves no room for a service.
pub fn incoming(
    listener: TcpListener,
    args: ConnectionArgs,
    loopback_too: bool,
    tls: Option<Arc<ServerTls>>,
    context: &Context,
) -> anyhow::Result<ReceiverStream<io::Result<Connection>>> {
    let most = most(&args)?;
    tracing::info!(most, "connections that may be open at a time");
    let slots = Slots::new(most, args.limit_connections, loopback_too);
    let (ready, accepted) = mpsc::channel(16);
    let door = Arc::new(Door { args, tls, ready });
    let draining = context.shutdown.draining().clone();
    context.shutdown.spawn(async move {
        draining.run_until_cancelled(accept(listener, slots, door)).await;
    });
    Ok(ReceiverStream::new(accepted))
}

/// What every connection is taken in with.
struct Door {
    args: ConnectionArgs,
    tls: Option<Arc<ServerTls>>,
    ready: mpsc::Sender<io::Result<Connection>>,
}

async fn accept(listener: TcpListener, slots: Slots, door: Arc<Door>) {
    let mut at_work = JoinSet::new();
    let refusing = Arc::new(Semaphore::new(refuse::AT_ONCE));
    let mut warned = Warned::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = at_work.join_next() => continue,
        };
        let (tcp, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // A client that has gone again is nothing; without free files every attempt would fail at once.
                warned.say(&error.to_string());
                tokio::time::sleep(EXHAUSTED).await;
                continue;
            }
        };
        match slots.take(address.ip()) {
            Ok(slot) => {
                at_work.spawn(Arc::clone(&door).take_in(tcp, address, slot));
            }
            Err(why) => {
                let label = if why == Full::Server { "server" } else { "address" };
                metrics::counter!(REFUSED, "reason" => label).increment(1);
                warned.say("there are as many as may be");
                // Within TLS nothing can be said before a handshake, which is what there is no room for.
                if door.tls.is_none()
                    && let Ok(permit) = Arc::clone(&refusing).try_acquire_owned()
                {
                    at_work.spawn(async move {
                        let told = tokio::time::timeout(refuse::TIME, refuse::refuse(tcp, why)).await;
                        drop((told, permit));
                    });
                }
            }
        }
    }
}

impl Door {
    /// Does the handshake and hands the connection on to be served.
    async fn take_in(self: Arc<Self>, tcp: TcpStream, address: SocketAddr, slot: Slot) {
        // A move is one small packet: it must not wait for more.
        if let Err(error) = tcp.set_nodelay(true) {
            tracing::debug!(%error, "cannot set TCP_NODELAY");
        }
        let activity = Arc::new(Activity::new(&self.args));
        let (bytes, certified) = match &self.tls {
            None => (Bytes::Plain(tcp), false),
            Some(tls) => {
                let handshake = tls.acceptor().accept(tcp);
                match tokio::time::timeout_at(activity.opened + self.args.handshake_time, handshake).await {
                    Ok(Ok(tls)) => {
                        let certified = tls.get_ref().1.peer_certificates().is_some();
                        (Bytes::Secured(Box::new(tls)), certified)
                    }
                    Ok(Err(error)) => return tracing::debug!(%error, "a TLS handshake failed"),
                    Err(_) => {
                        metrics::counter!(CUT).increment(1);
                        return tracing::debug!("a TLS handshake took too long");
                    }
                }
            }
        };
        let from = ConnectedFrom { address: address.ip(), certified, activity };
        let connection = Connection::new(bytes, from, slot);
        if self.ready.send(Ok(connection)).await.is_err() {
            tracing::debug!("a connection came too late: the server drains");
        }
    }
}

/// Says the same thing only now and then.
#[derive(Default)]
struct Warned(Option<Instant>);

impl Warned {
    fn say(&mut self, why: &str) {
        if self.0.is_none_or(|at| at.elapsed() >= WARN_EVERY) {
            self.0 = Some(Instant::now());
            tracing::warn!(why, "a connection was refused");
        }
    }
}
