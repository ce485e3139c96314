//! The network: connections that delay, stall, break, and fall silent.

use std::{io, sync::Arc, time::Duration};

use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use platform::network::Pipe;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream},
    sync::mpsc,
};
use tonic::transport::{Channel, Endpoint};
use tower::service_fn;

use crate::line::Line;

/// Bytes that a connection holds in each direction.
const HELD: usize = 64 * 1024;

/// How long an attempt to connect waits for a replica that is silent.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where the replicas can be reached: at an address each, behind which there is a run of the replica or nobody.
#[derive(Clone, Default)]
pub struct Doors(Arc<Mutex<Vec<Option<Door>>>>);

#[derive(Clone)]
struct Door {
    line: Line,
    pipe: Pipe,
}

impl Doors {
    /// A run of a replica serves at its address from now on.
    pub fn open(&self, line: Line, pipe: Pipe) {
        let mut doors = self.0.lock();
        let slot = line.name.0;
        if doors.len() <= slot {
            doors.resize(slot + 1, None);
        }
        doors[slot] = Some(Door { line, pipe });
    }

    /// Nobody serves at this address.
    pub fn close(&self, slot: usize) {
        if let Some(door) = self.0.lock().get_mut(slot) {
            *door = None;
        }
    }

    fn at(&self, slot: usize) -> Option<Door> {
        self.0.lock().get(slot).cloned().flatten()
    }

    /// A channel of a client to a replica. It probes its connection, as all clients do.
    pub fn channel(&self, slot: usize) -> Channel {
        let doors = self.clone();
        let connector = service_fn(move |_: http::Uri| {
            let doors = doors.clone();
            async move { doors.connect(slot).await.map(TokioIo::new) }
        });
        Endpoint::from_static("http://replica")
            .http2_keep_alive_interval(Duration::from_secs(5))
            .keep_alive_timeout(Duration::from_secs(3))
            .keep_alive_while_idle(true)
            .connect_timeout(PATIENCE)
            .connect_with_connector_lazy(connector)
    }

    async fn connect(&self, slot: usize) -> io::Result<DuplexStream> {
        let Some(Door { line, pipe }) = self.at(slot) else {
            tokio::time::sleep(Duration::from_millis(1)).await;
            return Err(io::ErrorKind::ConnectionRefused.into());
        };
        line.open().await;
        let server = pipe.connect().await?;
        let (ours, theirs) = tokio::io::duplex(HELD);
        tokio::spawn(async move {
            let silent = Box::pin(relay(theirs, server, &line, None)).await;
            if let Some(client) = silent.filter(|_| line.dice.per_mille(300)) {
                swallow(client).await;
            }
        });
        Ok(ours)
    }

    /// Carries the connections that one replica's services make to a replica each, itself or another.
    pub async fn carry(self, caller: Line, mut made: mpsc::Receiver<DuplexStream>) {
        let carrying = async {
            while let Some(client) = made.recv().await {
                let open: Vec<Door> = self.0.lock().iter().flatten().cloned().collect();
                // With nobody there the connection breaks at once.
                let Some(Door { line, pipe }) = caller.dice.pick(&open).cloned() else { continue };
                let Ok(server) = pipe.connect().await else { continue };
                let caller = caller.clone();
                tokio::spawn(async move { Box::pin(relay(client, server, &line, Some(&caller))).await });
            }
        };
        caller.mortal(carrying).await;
    }
}

/// Carries bytes both ways until either end closes, the connection breaks, or a process dies. In the last case gives the client's end, which
/// may hear nothing of it.
async fn relay(
    client: DuplexStream,
    server: DuplexStream,
    line: &Line,
    caller: Option<&Line>,
) -> Option<DuplexStream> {
    let (mut from_client, mut to_client) = tokio::io::split(client);
    let (mut from_server, mut to_server) = tokio::io::split(server);
    let caller_died = async {
        match caller {
            Some(caller) => caller.closed().await,
            None => std::future::pending().await,
        }
    };
    let dead = tokio::select! {
        biased;
        () = line.closed() => true,
        () = caller_died => true,
        _ = pump(&mut from_client, &mut to_server, line, caller) => false,
        _ = pump(&mut from_server, &mut to_client, line, caller) => false,
    };
    dead.then(|| from_client.unsplit(to_client))
}

async fn pump(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    line: &Line,
    caller: Option<&Line>,
) -> io::Result<()> {
    let mut held = vec![0; 8 * 1024];
    loop {
        let length = from.read(&mut held).await?;
        if length == 0 || line.dice.per_mille(line.rates().cut) {
            return Ok(());
        }
        line.travel().await;
        line.open().await;
        if let Some(caller) = caller {
            caller.open().await;
        }
        to.write_all(&held[..length]).await?;
    }
}

/// Takes what is sent and answers nothing, until the client gives up.
async fn swallow(mut client: DuplexStream) {
    let mut held = vec![0; 1024];
    while client.read(&mut held).await.is_ok_and(|length| length > 0) {}
}
