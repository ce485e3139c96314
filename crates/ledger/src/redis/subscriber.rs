//! Listens on the wake channels: one connection to each node.

use std::{sync::Arc, time::Duration};

use ::redis::{AsyncConnectionConfig, Client, PushInfo, PushKind, RedisError, RedisResult, Value};
use bytes::Bytes;
use futures::future;
use kernel::Timestamp;
use tokio::{sync::mpsc, task::JoinSet};

use super::{
    hints::Hints,
    keys::{ALL_LANES, Keys, LANES, lanes},
    link::Node,
    topology::{Routes, Topology, pushing},
};
use crate::{Entry, LogName, Wake, wakes::Wakes};

/// A node that says nothing for this long is asked whether it is there.
const PING: Duration = Duration::from_secs(5);

/// After this time, channels of logs that nobody here follows are let go. Whoever starts to follow some later is told that hints were lost.
const SETTLING: Duration = Duration::from_secs(2);

const FIRST_DELAY: Duration = Duration::from_millis(50);
const LONGEST_DELAY: Duration = Duration::from_secs(1);

/// What hints are for.
#[derive(Debug)]
pub(super) struct Listeners {
    pub keys: Keys,
    pub wakes: Wakes,
    pub hints: Hints,
}

/// Listens until it is aborted. `ready` is told once when all partitions are listened to for the first time.
pub(super) async fn listen(
    topology: Arc<Topology>,
    listeners: Arc<Listeners>,
    timeouts: AsyncConnectionConfig,
    ready: tokio::sync::oneshot::Sender<()>,
) {
    let mut changes = topology.watch();
    let mut ready = Some(ready);
    loop {
        let routes = Arc::clone(&changes.borrow_and_update());
        let mut tasks = JoinSet::new();
        let (up, mut ups) = mpsc::unbounded_channel();
        let mut missing = 0;
        for (node, partitions) in by_node(&routes, &listeners.keys) {
            missing += 1;
            let first = ready.is_some();
            let follower = Follower {
                node,
                partitions,
                topology: Arc::clone(&topology),
                listeners: Arc::clone(&listeners),
                timeouts: timeouts.clone(),
            };
            tasks.spawn(follower.run(first, up.clone()));
        }
        loop {
            tokio::select! {
                Some(()) = ups.recv() => {
                    missing -= 1;
                    if missing == 0 && let Some(ready) = ready.take() {
                        // Whoever connects may have given up.
                        let _gone = ready.send(());
                    }
                }
                changed = changes.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    // Dropping the tasks ends the connections; the new ones say that hints were lost.
                    break;
                }
            }
        }
    }
}

fn by_node(routes: &Routes, keys: &Keys) -> Vec<(Arc<Node>, Vec<u16>)> {
    let of = |node: &Arc<Node>| {
        keys.all()
            .filter(|partition| routes.node(*partition).is_some_and(|owner| owner.address == node.address))
            .collect::<Vec<_>>()
    };
    let nodes = routes.nodes.values().map(|node| (Arc::clone(node), of(node)));
    nodes.filter(|(_, partitions)| !partitions.is_empty()).collect()
}

/// Listens to one node.
struct Follower {
    node: Arc<Node>,
    partitions: Vec<u16>,
    topology: Arc<Topology>,
    listeners: Arc<Listeners>,
    timeouts: AsyncConnectionConfig,
}

impl Follower {
    /// `first`: nobody can have missed anything yet.
    async fn run(self, mut first: bool, up: mpsc::UnboundedSender<()>) {
        let mut delay = FIRST_DELAY;
        loop {
            let (sender, pushes) = mpsc::unbounded_channel();
            match self.subscribe(sender).await {
                Ok(connection) => {
                    delay = FIRST_DELAY;
                    if std::mem::take(&mut first) {
                        // Whoever counts may have gone.
                        let _not_counted = up.send(());
                    } else {
                        self.lost();
                    }
                    let error = self.hear(connection, pushes).await;
                    tracing::warn!(node = %self.node.address, %error, "hints from Redis stopped");
                    self.lost();
                }
                Err(error) => {
                    tracing::debug!(node = %self.node.address, %error, "no hints from Redis yet");
                }
            }
            tokio::time::sleep(delay).await;
            delay = (delay * 2).min(LONGEST_DELAY);
            // The partitions may be elsewhere by now; then this task is replaced.
            let _still_unknown = self.topology.refresh().await;
        }
    }

    fn lost(&self) {
        self.listeners.wakes.send(&Wake::Lost);
        self.listeners.hints.lost();
    }

    async fn subscribe(
        &self,
        sender: mpsc::UnboundedSender<PushInfo>,
    ) -> RedisResult<::redis::aio::MultiplexedConnection> {
        let client = Client::open(pushing(self.node.client.get_connection_info()))?;
        let config = self.timeouts.clone().set_push_sender(sender);
        let connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        self.channels(&connection, "SSUBSCRIBE", ALL_LANES, true).await?;
        Ok(connection)
    }

    /// Subscribes to these lanes of all partitions, or to no longer hear them; `hints`: and to the hints about topics.
    async fn channels(
        &self,
        connection: &::redis::aio::MultiplexedConnection,
        verb: &str,
        lanes: u8,
        hints: bool,
    ) -> RedisResult<()> {
        let keys = &self.listeners.keys;
        // One command for each partition, as they are in different slots; all of them in one go.
        let commands = self.partitions.iter().map(|partition| {
            let mut command = ::redis::cmd(verb);
            for lane in (0..LANES).filter(|lane| lanes & (1 << lane) != 0) {
                command.arg(keys.wake(*partition, lane));
            }
            if hints {
                command.arg(keys.hint(*partition));
            }
            let mut connection = connection.clone();
            async move { command.query_async::<Value>(&mut connection).await }
        });
        future::try_join_all(commands).await?;
        Ok(())
    }

    /// Hears until the connection breaks, and says why it did.
    async fn hear(
        &self,
        mut connection: ::redis::aio::MultiplexedConnection,
        mut pushes: mpsc::UnboundedReceiver<PushInfo>,
    ) -> RedisError {
        let closed = || RedisError::from((::redis::ErrorKind::Io, "the connection was closed"));
        let mut joins = self.listeners.wakes.joins();
        let settling = tokio::time::sleep(SETTLING);
        tokio::pin!(settling);
        let (mut heard, mut settled) = (ALL_LANES, false);
        loop {
            tokio::select! {
                push = tokio::time::timeout(PING, pushes.recv()) => match push {
                    Ok(Some(first)) => {
                        let mut come = vec![first];
                        come.extend(std::iter::from_fn(|| pushes.try_recv().ok()));
                        // Nobody is shown what a failover could take back.
                        if let Err(error) = self.topology.settle(&self.node).await {
                            return error;
                        }
                        for PushInfo { kind, data } in come {
                            match kind {
                                PushKind::SMessage => self.message(data),
                                PushKind::Disconnection => return closed(),
                                // A slot that moves away ends its subscriptions.
                                PushKind::SUnsubscribe if is_wanted(&data, heard) => return closed(),
                                _ => {}
                            }
                        }
                    }
                    Ok(None) => return closed(),
                    Err(_) => {
                        if let Err(error) = ::redis::cmd("PING").query_async::<Value>(&mut connection).await {
                            return error;
                        }
                    }
                },
                () = &mut settling, if !settled => {
                    settled = true;
                    let unwanted = heard & !self.wanted();
                    heard &= !unwanted;
                    if unwanted != 0
                        && let Err(error) = self.channels(&connection, "SUNSUBSCRIBE", unwanted, false).await
                    {
                        return error;
                    }
                }
                Ok(()) = joins.changed() => {
                    let missing = self.wanted() & !heard;
                    if missing != 0 {
                        if let Err(error) = self.channels(&connection, "SSUBSCRIBE", missing, false).await {
                            return error;
                        }
                        heard |= missing;
                        self.lost();
                    }
                }
            }
        }
    }

    /// The lanes of what is followed here.
    fn wanted(&self) -> u8 {
        self.listeners.wakes.followed().iter().fold(0, |all, logs| all | lanes(logs))
    }

    fn message(&self, data: Vec<Value>) {
        let mut parts = data.into_iter();
        let (Some(Value::BulkString(channel)), Some(Value::BulkString(message))) =
            (parts.next(), parts.next())
        else {
            return;
        };
        if channel.ends_with(b"hint") {
            let topics = str::from_utf8(&message).unwrap_or_default().split(',');
            if let Some(partition) = partition_of(&channel) {
                topics.for_each(|topic| self.listeners.hints.filled(topic, partition));
            }
            return;
        }
        match entry_of(&Bytes::from(message)) {
            Some((log, entry)) => self.listeners.wakes.send(&Wake::Appended(log, entry)),
            None => tracing::warn!(node = %self.node.address, "a hint that makes no sense"),
        }
    }
}

/// A hint about a log: `<log> <sequence> <stamp>\n<payload>`.
fn entry_of(message: &Bytes) -> Option<(LogName, Entry)> {
    let end = message.iter().position(|byte| *byte == b'\n')?;
    let mut words = str::from_utf8(message.get(..end)?).ok()?.split(' ');
    let (log, sequence, stamp) = (words.next()?, words.next()?, words.next()?);
    let entry = Entry {
        sequence: sequence.parse().ok()?,
        stamp: Timestamp::from_millis(stamp.parse().ok()?),
        payload: message.slice(end + 1..),
    };
    Some((LogName::new(log).ok()?, entry))
}

/// Whether the end of a subscription is not what was asked for.
fn is_wanted(data: &[Value], heard: u8) -> bool {
    let Some(Value::BulkString(channel)) = data.first() else { return true };
    let lane = str::from_utf8(channel).ok().and_then(|name| name.rsplit_once("}:wake:"));
    lane.and_then(|(_, lane)| lane.parse::<u8>().ok()).is_none_or(|lane| heard & (1 << lane.min(7)) != 0)
}

fn partition_of(channel: &[u8]) -> Option<u16> {
    let channel = str::from_utf8(channel).ok()?;
    let (_, rest) = channel.rsplit_once("{p")?;
    rest.split_once('}')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hints come from outside: what is malformed is no hint, and a payload may be anything.
    #[test]
    fn hints_are_parsed_strictly() {
        let message = Bytes::from_static(b"game:1 7 1234\n\xff \n payload");
        let (log, entry) = entry_of(&message).unwrap();
        assert_eq!((log.as_str(), entry.sequence, entry.stamp.as_millis()), ("game:1", 7, 1234));
        assert_eq!(entry.payload, &b"\xff \n payload"[..]);
        for text in ["", "\n", "no end", "GAME 1 2\n", "game x 2\n", "game 1 -2\n", "game 1\n"] {
            assert!(entry_of(&Bytes::from(text)).is_none(), "{text:?}");
        }
        assert_eq!(partition_of(b"ni{p1}giri:{p31}:hint"), Some(31));
        assert_eq!(partition_of(b"nigiri:hint"), None);
    }
}
