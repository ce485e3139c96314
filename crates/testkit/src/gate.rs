use std::net::SocketAddr;

use anyhow::Context as _;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// The way to a server, which can be cut: meanwhile what is sent waits, as it does when packets are lost, and nobody is told. Connections
/// can be made, and hear nothing. The way ends when this is dropped.
pub struct Gate {
    address: SocketAddr,
    open: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Gate {
    /// An open way to this address.
    ///
    /// # Errors
    /// When there is no free port.
    pub async fn to(server: String) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (open, way) = watch::channel(true);
        let task = tokio::spawn(async move {
            let mut carrying = tokio::task::JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                carrying.spawn(carry(client, server.clone(), way.clone()));
                while carrying.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, open, task })
    }

    /// Where it begins.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cuts it.
    pub fn cut(&self) {
        self.open.send_replace(false);
    }

    /// Mends it: what has waited goes on.
    pub fn mend(&self) {
        self.open.send_replace(true);
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn carry(client: TcpStream, server: String, way: watch::Receiver<bool>) -> anyhow::Result<()> {
    opened(&mut way.clone()).await?;
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        ended = pump(from_client, to_server, way.clone()) => ended,
        ended = pump(from_server, to_client, way) => ended,
    }
}

async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut way: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let mut held = vec![0; 16 * 1024];
    loop {
        let length = from.read(&mut held).await?;
        opened(&mut way).await?;
        if length == 0 {
            return Ok(());
        }
        to.write_all(&held[..length]).await?;
    }
}

async fn opened(way: &mut watch::Receiver<bool>) -> anyhow::Result<()> {
    way.wait_for(|open| *open).await.context("the way has gone").map(|_| ())
}
