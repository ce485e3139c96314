//! What is looked at before a ledger on Redis starts.

use ::redis::Value;
use kernel::Timestamp;

use super::{
    Shared,
    config::{ConnectError, RedisConfig},
    link::Node,
};
use crate::Unavailable;

/// What a promise needs: setting, value, and what is lost with another.
const PROMISES: [(&str, &str, &str); 3] = [
    ("appendonly", "yes", "what was acknowledged is lost when Redis stops"),
    ("appendfsync", "always", "what was acknowledged in the last second can be lost when the machine stops"),
    ("maxmemory-policy", "noeviction", "Redis may drop logs when its memory is full"),
];

pub(super) fn config(config: &RedisConfig) -> Result<(), ConnectError> {
    let wrong = |text: &str| Err(ConnectError::Config(text.into()));
    if !(1..=1024).contains(&config.partitions) {
        return wrong("an installation has 1 to 1024 partitions");
    }
    if config.cluster && config.wait_replicas > 0 {
        return wrong("to wait for replicas is not supported on a Cluster");
    }
    if config.prefix.is_empty()
        || !config.prefix.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_.".contains(&c))
    {
        return wrong("the prefix of keys has letters, digits, -, _ and . only");
    }
    Ok(())
}

impl Shared {
    pub(super) async fn check_servers(&self) -> Result<(), ConnectError> {
        let routes = self.topology.routes();
        for node in routes.nodes.values() {
            check_version(node).await?;
            self.warn_of_broken_promises(node).await;
            self.read_clock(node).await?;
        }
        Ok(())
    }

    async fn read_clock(&self, node: &Node) -> Result<(), Unavailable> {
        let time = node.send(&::redis::cmd("TIME")).await;
        let parsed = time.and_then(|time| Ok(::redis::from_redis_value::<(u64, u64)>(time)?));
        let (seconds, micros) = parsed.map_err(|error| Unavailable(error.to_string()))?;
        self.clock.observe(Timestamp::from_millis(seconds * 1000 + micros / 1000));
        Ok(())
    }

    async fn warn_of_broken_promises(&self, node: &Node) {
        for (setting, wanted, loss) in PROMISES {
            let value = node.send(::redis::cmd("CONFIG").arg("GET").arg(setting)).await;
            match value.and_then(|value| Ok(::redis::from_redis_value::<Vec<String>>(value)?)) {
                Ok(pair) if pair.get(1).is_some_and(|value| value == wanted) => {}
                Ok(pair) => {
                    let found = pair.get(1).map_or("unknown", String::as_str);
                    tracing::warn!(node = %node.address, setting, found, wanted, "durability is less than promised: {loss}");
                }
                Err(error) => {
                    tracing::warn!(node = %node.address, setting, wanted, %error, "a setting of Redis could not be checked");
                }
            }
        }
    }

    /// The first process of an installation writes down how many partitions there are.
    pub(super) async fn check_partitions(&self) -> Result<(), ConnectError> {
        let key = self.listeners.keys.installation();
        let wanted = self.listeners.keys.partitions;
        let mut create = ::redis::cmd("SET");
        create.arg(&key).arg(wanted).arg("NX");
        self.run::<Value>(0, &create).await?;
        let found: String = self.run(0, ::redis::cmd("GET").arg(&key)).await?;
        if found == wanted.to_string() { Ok(()) } else { Err(ConnectError::Partitions { found, wanted }) }
    }
}

async fn check_version(node: &Node) -> Result<(), ConnectError> {
    let info = node.send(::redis::cmd("INFO").arg("server")).await;
    let info = info.and_then(|info| Ok(::redis::from_redis_value::<String>(info)?));
    let info = info.map_err(|error| Unavailable(error.to_string()))?;
    let version =
        info.lines().find_map(|line| line.strip_prefix("redis_version:")).unwrap_or_default().trim();
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_some_and(|major| major >= 7) {
        return Ok(());
    }
    Err(ConnectError::Version { address: node.address.clone(), found: version.to_owned() })
}
