use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::sync::{broadcast, watch};

use crate::{LogName, Logs, Wake};

/// A follower that is so many hints behind loses some.
const CAPACITY: usize = 4096;

/// Hands hints to those who follow logs.
#[derive(Debug, Default)]
pub(crate) struct Wakes {
    senders: Mutex<BTreeMap<Logs, broadcast::Sender<Wake>>>,
    /// Changes whenever somebody begins to follow.
    joins: watch::Sender<()>,
}

impl Wakes {
    pub fn subscribe(&self, logs: &Logs) -> broadcast::Receiver<Wake> {
        let mut senders = self.senders.lock();
        // Nobody listens to these any more.
        senders.retain(|_, sender| sender.receiver_count() > 0);
        let sender = senders.entry(logs.clone()).or_insert_with(|| broadcast::channel(CAPACITY).0);
        let receiver = sender.subscribe();
        drop(senders);
        self.joins.send_replace(());
        receiver
    }

    pub fn send(&self, wake: &Wake) {
        for (logs, sender) in self.senders.lock().iter() {
            let concerned = match wake {
                Wake::Appended(log, _) => logs.contain(log),
                Wake::Lost => true,
            };
            if concerned {
                // An error says that nobody listens, which is nobody's loss.
                let _unheard = sender.send(wake.clone());
            }
        }
    }

    /// Told whenever somebody begins to follow.
    pub fn joins(&self) -> watch::Receiver<()> {
        self.joins.subscribe()
    }

    /// What somebody follows.
    pub fn followed(&self) -> Vec<Logs> {
        let senders = self.senders.lock();
        let followed = senders.iter().filter(|(_, sender)| sender.receiver_count() > 0);
        followed.map(|(logs, _)| logs.clone()).collect()
    }
}

impl Logs {
    fn contain(&self, log: &LogName) -> bool {
        match self {
            Self::All => true,
            Self::Kind(kind) => log.kind() == kind,
            Self::One(one) => one == log,
        }
    }
}
