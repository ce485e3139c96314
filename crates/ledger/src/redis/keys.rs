use crate::{DeliveryId, LogName, Logs};

/// Names of keys. All keys of a partition carry its hash tag, `{p7}`, so that a Cluster keeps them together.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// What the keys of each partition begin with.
    tags: Vec<String>,
    pub partitions: u16,
}

impl Keys {
    pub fn new(prefix: &str, partitions: u16) -> Self {
        let tags = (0..partitions).map(|partition| format!("{prefix}:{{p{partition}}}:")).collect();
        Self { tags, partitions }
    }

    /// The partition of a log, or of a key of a message: the hash of its name, modulo the number of partitions. It must never change:
    /// it says where everything lies.
    pub fn partition(&self, name: &str) -> u16 {
        u16::try_from(hash(name) % u64::from(self.partitions)).unwrap_or(0)
    }

    pub fn all(&self) -> impl Iterator<Item = u16> + use<> {
        0..self.partitions
    }

    pub fn log(&self, partition: u16, name: &str) -> String {
        self.key(partition, "log:", name)
    }

    /// A sorted set: the logs of the partition by deadline.
    pub fn deadlines(&self, partition: u16) -> String {
        self.key(partition, "deadlines", "")
    }

    /// A hash: `beat` and `swept`.
    pub fn heart(&self, partition: u16) -> String {
        self.key(partition, "heart", "")
    }

    /// A list of `<from> <to>`, oldest first.
    pub fn outages(&self, partition: u16) -> String {
        self.key(partition, "outages", "")
    }

    /// The channel of hints about topics.
    pub fn hint(&self, partition: u16) -> String {
        self.key(partition, "hint", "")
    }

    /// The channel of hints about the logs of a lane.
    pub fn wake(&self, partition: u16, lane: u8) -> String {
        self.key(partition, "wake:", &lane.to_string())
    }

    pub fn topic(&self, partition: u16, topic: &str) -> String {
        self.key(partition, "topic:", topic)
    }

    pub fn dead(&self, partition: u16, topic: &str, group: &str) -> String {
        self.key(partition, "dead:", &format!("{topic}:{group}"))
    }

    /// How many partitions the installation was made with. It lies in partition 0.
    pub fn installation(&self) -> String {
        self.key(0, "partitions", "")
    }

    /// A set: the groups that were registered, as `<topic> <group>`. It lies in partition 0.
    pub fn groups(&self) -> String {
        self.key(0, "groups", "")
    }

    fn key(&self, partition: u16, kind: &str, name: &str) -> String {
        [self.tag(partition), kind, name].concat()
    }

    /// What all keys of a partition begin with.
    pub fn tag(&self, partition: u16) -> &str {
        // Partitions come from `partition` or `all`: every one of them has a tag.
        self.tags.get(usize::from(partition)).map_or("", String::as_str)
    }

    /// The slot of a partition on a Cluster: CRC-16/XMODEM of the hash tag, modulo 16384 (Redis Cluster specification).
    pub fn slot(partition: u16) -> u16 {
        let crc = format!("p{partition}").bytes().fold(0_u16, |crc, byte| {
            (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
                if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
            })
        });
        crc % 16_384
    }

    /// Whether Redis would take this for the id of a message of ours, so that nothing else is sent to it.
    pub fn is_id(&self, id: &DeliveryId) -> bool {
        let number = |text: &str| text.bytes().all(|c| c.is_ascii_digit()) && text.parse::<u64>().is_ok();
        id.partition < self.partitions
            && id.id.split_once('-').is_some_and(|(time, count)| number(time) && number(count))
    }
}

/// How many channels a partition has for hints about logs. Logs of one kind (the part of the name before the first colon) share one, so that a
/// process is not told of logs that it does not follow.
pub(super) const LANES: u8 = 4;

/// The channel of a log's hints.
pub(super) fn lane(log: &LogName) -> u8 {
    lane_of(log.kind())
}

fn lane_of(kind: &str) -> u8 {
    u8::try_from(hash(kind) % u64::from(LANES)).unwrap_or(0)
}

/// A bit for each channel that can tell of these logs.
pub(super) fn lanes(logs: &Logs) -> u8 {
    match logs {
        Logs::All => ALL_LANES,
        Logs::Kind(kind) => 1 << lane_of(kind),
        Logs::One(log) => 1 << lane(log),
    }
}

/// All channels.
pub(super) const ALL_LANES: u8 = (1 << LANES) - 1;

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of a log never changes; and the slots are those that `CLUSTER KEYSLOT` of Redis 7.0.15 names.
    #[test]
    fn partitions_and_slots_are_where_they_were_always() {
        let keys = Keys::new("nigiri", 32);
        assert_eq!(["", "a", "game:1"].map(|name| keys.partition(name)), [5, 12, 2]);
        assert_eq!(keys.log(7, "game:1"), "nigiri:{p7}:log:game:1");
        assert_eq!([0, 7, 31].map(Keys::slot), [15_882, 3_821, 11_964]);
        let log = |name| LogName::new(name).unwrap();
        assert_eq!(["game:1", "game:2", "queue:main", "accounts"].map(|name| lane(&log(name))), [3, 3, 0, 1]);
        let followed =
            [Logs::Kind("game".into()), Logs::One(log("queue:main")), Logs::One(log("accounts")), Logs::All];
        assert_eq!(followed.each_ref().map(lanes), [8, 1, 2, 15]);
    }
}
