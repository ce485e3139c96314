use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::sync::broadcast;

use crate::Wake;

/// A follower that is so many hints behind loses some.
const CAPACITY: usize = 4096;

/// Hands hints to those who follow logs, by the beginning of the name.
#[derive(Debug, Default)]
pub(crate) struct Wakes(Mutex<BTreeMap<String, broadcast::Sender<Wake>>>);

impl Wakes {
    pub fn subscribe(&self, prefix: &str) -> broadcast::Receiver<Wake> {
        let mut senders = self.0.lock();
        // Nobody listens to these any more.
        senders.retain(|_, sender| sender.receiver_count() > 0);
        senders.entry(prefix.to_owned()).or_insert_with(|| broadcast::channel(CAPACITY).0).subscribe()
    }

    pub fn send(&self, wake: &Wake) {
        for (prefix, sender) in self.0.lock().iter() {
            let concerned = match wake {
                Wake::Appended(log, _) => log.as_str().starts_with(prefix),
                Wake::Lost => true,
            };
            if concerned {
                // An error says that nobody listens, which is nobody's loss.
                let _unheard = sender.send(wake.clone());
            }
        }
    }
}
