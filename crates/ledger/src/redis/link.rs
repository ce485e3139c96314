use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    time::Duration,
};

use ::redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionInfo, ErrorKind, RedisError, RedisResult, ServerErrorKind,
    Value, aio::MultiplexedConnection,
};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::{barrier::Barrier, resp::Request, writer::Writer};

const FIRST_DELAY: Duration = Duration::from_millis(20);
const LONGEST_DELAY: Duration = Duration::from_secs(1);

/// Replicas that take longer are taken for away.
const WAIT_MILLIS: u32 = 1_000;

/// One server, with some connections that carry commands.
#[derive(Debug)]
pub(super) struct Node {
    /// `host:port`.
    pub address: String,
    pub client: Client,
    config: AsyncConnectionConfig,
    links: Vec<Link<MultiplexedConnection>>,
    next: AtomicUsize,
    /// The connection on which replicas are waited for, which holds up whatever else is sent on it.
    waiting: Link<MultiplexedConnection>,
    barrier: Barrier,
    timeouts: Timeouts,
    /// For scripts that answer with numbers, where it can be used.
    writer: Option<Link<Writer>>,
}

/// How long a server may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    pub connect: Duration,
    pub response: Duration,
}

impl Timeouts {
    pub fn config(self) -> AsyncConnectionConfig {
        AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.connect))
            .set_response_timeout(Some(self.response))
    }
}

/// One connection that is made when it is needed and made again when it broke; never used twice for one command.
#[derive(Debug)]
struct Link<C> {
    connection: Mutex<Option<(u64, C)>>,
    attempts: tokio::sync::Mutex<Attempts>,
    generation: AtomicU64,
}

#[derive(Debug, Default)]
struct Attempts {
    delay: Duration,
    failed: Option<(Instant, RedisError)>,
}

impl Node {
    pub fn new(
        address: String,
        info: ConnectionInfo,
        connections: usize,
        timeouts: Timeouts,
    ) -> RedisResult<Self> {
        let writer = Writer::reaches(&info).then(Link::new);
        let client = Client::open(info)?;
        let links = std::iter::repeat_with(Link::new).take(connections.max(1)).collect();
        let config = timeouts.config();
        let (next, waiting, barrier) = (AtomicUsize::new(0), Link::new(), Barrier::default());
        Ok(Self { address, client, config, links, next, waiting, barrier, timeouts, writer })
    }

    /// Sends a request for a script that answers with numbers, once, as [`Node::send`]. None if this server is not reached so.
    pub async fn call(&self, write: impl FnOnce(&mut Request<'_>)) -> Option<RedisResult<Vec<i64>>> {
        let link = self.writer.as_ref()?;
        let Timeouts { connect, response } = self.timeouts;
        let made = link.get(|| Writer::connect(self.client.get_connection_info(), connect, response)).await;
        Some(match made {
            Ok((generation, writer)) => {
                let answer = writer.call(write).await;
                link.judge(generation, &answer);
                answer
            }
            Err(error) => Err(error),
        })
    }

    /// Sends a command once. An error of the connection means that it is not known whether it was carried out.
    pub async fn send(&self, command: &Cmd) -> RedisResult<Value> {
        let (link, generation, mut connection) = self.connection().await?;
        let answer = command.query_async(&mut connection).await;
        link.judge(generation, &answer);
        answer
    }

    /// Sends a command to a node that takes over its slot at this moment.
    pub async fn send_asking(&self, command: &Cmd) -> RedisResult<Value> {
        let mut pipe = ::redis::pipe();
        pipe.cmd("ASKING").ignore().add_command(command.clone());
        let (link, generation, mut connection) = self.connection().await?;
        let answer = pipe.query_async::<(Value,)>(&mut connection).await;
        link.judge(generation, &answer);
        answer.map(|(value,)| value)
    }

    /// Waits until so many replicas have all that this server has answered so far. An error means that this is not known.
    ///
    /// A connection waits for what stood after its own last write: for that a message is published that nobody hears, which goes to the
    /// replicas but not to disk.
    pub async fn replicated(&self, replicas: u32) -> RedisResult<()> {
        let wait = async || {
            let mut pipe = ::redis::pipe();
            pipe.cmd("PUBLISH").arg("nigiri:wait").arg("").ignore();
            pipe.cmd("WAIT").arg(replicas).arg(WAIT_MILLIS);
            let (generation, mut connection) = self.waiting.get(|| self.connect()).await?;
            let answer = pipe.query_async::<(u32,)>(&mut connection).await;
            self.waiting.judge(generation, &answer);
            let too_few = || RedisError::from((ErrorKind::Io, "too few replicas have it"));
            if answer?.0 >= replicas { Ok(()) } else { Err(too_few()) }
        };
        self.barrier.pass(wait).await
    }

    async fn connection(&self) -> RedisResult<(&Link<MultiplexedConnection>, u64, MultiplexedConnection)> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.links.len();
        let no_link = || RedisError::from((ErrorKind::Client, "no connection"));
        let link = self.links.get(turn).ok_or_else(no_link)?;
        let (generation, connection) = link.get(|| self.connect()).await?;
        Ok((link, generation, connection))
    }

    async fn connect(&self) -> RedisResult<MultiplexedConnection> {
        self.client.get_multiplexed_async_connection_with_config(&self.config).await
    }
}

impl<C: Clone> Link<C> {
    fn new() -> Self {
        Self {
            connection: Mutex::new(None),
            attempts: tokio::sync::Mutex::default(),
            generation: AtomicU64::new(0),
        }
    }

    async fn get<F: Future<Output = RedisResult<C>>>(
        &self,
        connect: impl FnOnce() -> F,
    ) -> RedisResult<(u64, C)> {
        if let Some(connection) = self.connection.lock().clone() {
            return Ok(connection);
        }
        let mut attempts = self.attempts.lock().await;
        if let Some(connection) = self.connection.lock().clone() {
            return Ok(connection);
        }
        if let Some((failed, error)) = &attempts.failed
            && failed.elapsed() < attempts.delay
        {
            return Err(error.clone());
        }
        match connect().await {
            Ok(connection) => {
                *attempts = Attempts::default();
                let generation = self.generation.fetch_add(1, Ordering::Relaxed);
                *self.connection.lock() = Some((generation, connection.clone()));
                Ok((generation, connection))
            }
            Err(error) => {
                attempts.delay = (attempts.delay * 2).clamp(FIRST_DELAY, LONGEST_DELAY);
                attempts.failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// Gives the connection up if this answer says that it is broken.
    fn judge<T>(&self, generation: u64, answer: &RedisResult<T>) {
        if !answer.as_ref().is_err_and(is_broken) {
            return;
        }
        let mut connection = self.connection.lock();
        if connection.as_ref().is_some_and(|(current, _)| *current == generation) {
            *connection = None;
        }
    }
}

/// Whether a connection with this error is not used any more. A timeout may be a peer that is gone without a word.
fn is_broken(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Io
            | ErrorKind::Parse
            | ErrorKind::AuthenticationFailed
            | ErrorKind::Server(ServerErrorKind::ReadOnly | ServerErrorKind::MasterDown)
    )
}
