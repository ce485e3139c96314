//! The connection that carries appends: what all callers have to send at a moment goes out in one write, and the numbers that come back are
//! parsed in place. Appends are nearly all that a busy ledger does, and their cost in the client counts.

use std::{collections::VecDeque, io, sync::Arc, time::Duration};

use ::redis::{ConnectionAddr, ConnectionInfo, ErrorKind, RedisError, RedisResult};
use bytes::{Buf, BytesMut};
use parking_lot::Mutex;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::{Notify, oneshot},
    task::JoinHandle,
    time::Instant,
};

use super::resp::{self, Request};

/// How often it is looked whether an answer is overdue.
const WATCH: Duration = Duration::from_millis(250);

/// Bytes that are read at once at least.
const READ: usize = 16 * 1024;

/// Numbers, or what the server said instead.
type Answer = RedisResult<Vec<i64>>;

/// A connection for scripts that answer with numbers. Ends with its last clone.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: Arc<Queue>,
    _driver: Arc<Driver>,
}

#[derive(Debug)]
struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// What is to be sent.
    out: BytesMut,
    /// Who waits for an answer, in the order of the requests.
    waiting: VecDeque<(Instant, oneshot::Sender<Answer>)>,
    closed: bool,
}

impl Writer {
    /// Whether servers at this address are reached so; others have to be reached otherwise.
    pub fn reaches(info: &ConnectionInfo) -> bool {
        matches!(info.addr(), ConnectionAddr::Tcp(..))
    }

    /// Connects. An answer that takes longer than `patience` ends the connection.
    pub async fn connect(
        info: &ConnectionInfo,
        connect_timeout: Duration,
        patience: Duration,
    ) -> RedisResult<Self> {
        let stream = tokio::time::timeout(connect_timeout, open(info));
        let stream =
            stream.await.map_err(|_| RedisError::from(io::Error::from(io::ErrorKind::TimedOut)))??;
        let queue = Arc::new(Queue::default());
        let driven = Arc::clone(&queue);
        let driver = tokio::spawn(async move {
            let error = drive(stream, &driven, patience).await;
            let waiting = {
                let mut state = driven.state.lock();
                state.closed = true;
                std::mem::take(&mut state.waiting)
            };
            for (_, caller) in waiting {
                // Whoever has gone does not want to know.
                let _gone = caller.send(Err(error.clone()));
            }
        });
        Ok(Self { queue, _driver: Arc::new(Driver(driver)) })
    }

    /// Sends a request once. An error of the connection means that it is not known whether it was carried out.
    pub async fn call(&self, write: impl FnOnce(&mut Request<'_>)) -> Answer {
        let (caller, answer) = oneshot::channel();
        {
            let mut state = self.queue.state.lock();
            if state.closed {
                return Err(broken());
            }
            write(&mut Request::new(&mut state.out));
            state.waiting.push_back((Instant::now(), caller));
        }
        self.queue.filled.notify_one();
        answer.await.unwrap_or_else(|_| Err(broken()))
    }
}

fn broken() -> RedisError {
    RedisError::from((ErrorKind::Io, "the connection was closed"))
}

/// Connects, and says who one is.
async fn open(info: &ConnectionInfo) -> RedisResult<TcpStream> {
    let ConnectionAddr::Tcp(host, port) = info.addr() else {
        return Err((ErrorKind::InvalidClientConfig, "not an address of TCP").into());
    };
    let mut stream = TcpStream::connect((host.as_str(), *port)).await?;
    stream.set_nodelay(true)?;
    let settings = info.redis_settings();
    let mut out = BytesMut::new();
    let mut expected = 0;
    if let Some(password) = settings.password() {
        let words = ["AUTH"].into_iter().chain(settings.username()).chain([password]);
        Request::new(&mut out).words(words);
        expected += 1;
    }
    if settings.db() != 0 {
        Request::new(&mut out).words(["SELECT", &settings.db().to_string()]);
        expected += 1;
    }
    stream.write_all(&out).await?;
    let mut answers = BytesMut::new();
    while expected > 0 {
        match resp::line(&answers)? {
            Some(taken) => {
                answers.advance(taken);
                expected -= 1;
            }
            None if stream.read_buf(&mut answers).await? == 0 => return Err(broken()),
            None => {}
        }
    }
    Ok(stream)
}

/// Writes and reads until the connection breaks, and says why it did.
async fn drive(stream: TcpStream, queue: &Queue, patience: Duration) -> RedisError {
    let (mut reader, mut writer) = stream.into_split();
    let writing = async {
        let mut batch = BytesMut::new();
        loop {
            queue.filled.notified().await;
            std::mem::swap(&mut queue.state.lock().out, &mut batch);
            if let Err(error) = writer.write_all(&batch).await {
                return RedisError::from(error);
            }
            batch.clear();
        }
    };
    let reading = async {
        let mut buffer = BytesMut::new();
        loop {
            buffer.reserve(READ);
            match reader.read_buf(&mut buffer).await {
                Ok(0) => return broken(),
                Ok(_) => {}
                Err(error) => return error.into(),
            }
            if let Err(error) = answer_all(&mut buffer, queue) {
                return error;
            }
        }
    };
    let watching = async {
        loop {
            tokio::time::sleep(WATCH).await;
            let oldest = queue.state.lock().waiting.front().map(|(since, _)| *since);
            if oldest.is_some_and(|since| since.elapsed() > patience) {
                return RedisError::from(io::Error::from(io::ErrorKind::TimedOut));
            }
        }
    };
    tokio::select! {
        error = writing => error,
        error = reading => error,
        error = watching => error,
    }
}

/// Hands out the answers that are there.
fn answer_all(buffer: &mut BytesMut, queue: &Queue) -> RedisResult<()> {
    while let Some((answer, taken)) = resp::numbers(buffer)? {
        buffer.advance(taken);
        let waiting = queue.state.lock().waiting.pop_front();
        let Some((_, caller)) = waiting else {
            return Err((ErrorKind::Parse, "an answer that nobody asked for").into());
        };
        // Whoever has gone does not want to know.
        let _gone = caller.send(answer);
    }
    Ok(())
}
