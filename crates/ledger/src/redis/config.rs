use std::time::Duration;

use crate::Unavailable;

/// Where a Redis ledger lives.
#[derive(Clone, Debug)]
pub struct RedisConfig {
    /// `redis://[user:password@]host:port[/db]`. Of a single Redis the first counts; of a Cluster any of its nodes will do, the more the
    /// better for a start while one of them is away. `redis+sentinel://[user:password@]host:port/master`: Sentinels that know where the
    /// master of this name is, each asked in turn; user and password are the master's.
    pub urls: Vec<String>,
    /// Whether it is a Redis Cluster.
    pub cluster: bool,
    /// How many partitions the installation has, 1 to 1024. Fixed when the first process of an installation connects.
    pub partitions: u16,
    /// How many replicas must have an entry before it is acknowledged or shown, 0 to wait for none. With 0 a failover loses what the new
    /// master had not received. Not for a Cluster.
    pub wait_replicas: u32,
    /// What all keys begin with. Installations with different prefixes can share a Redis.
    pub prefix: String,
    /// How many connections carry commands to each node, at least 1.
    pub connections: usize,
    /// A command that takes longer is given up, and its outcome unknown.
    pub response_timeout: Duration,
    /// A connection that takes longer to be made is given up.
    pub connect_timeout: Duration,
}

impl RedisConfig {
    /// A single Redis at this URL, with 32 partitions.
    pub fn single(url: impl Into<String>) -> Self {
        Self {
            urls: vec![url.into()],
            cluster: false,
            partitions: 32,
            wait_replicas: 0,
            prefix: "nigiri".into(),
            connections: 2,
            response_timeout: Duration::from_secs(3),
            connect_timeout: Duration::from_secs(2),
        }
    }

    /// A Redis Cluster with nodes at these URLs, with 32 partitions.
    pub fn cluster(urls: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            urls: urls.into_iter().map(Into::into).collect(),
            cluster: true,
            ..Self::single(String::new())
        }
    }
}

/// Why a ledger on Redis does not start.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The configuration makes no sense.
    #[error("the configuration of Redis is wrong: {0}")]
    Config(String),
    /// Redis does not answer, or not yet.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// Sharded publish and automatic claims came with 7.0.
    #[error("Redis at {address} is version {found}, and 7.0 is the oldest that will do")]
    Version {
        /// The node.
        address: String,
        /// Its version.
        found: String,
    },
    /// The number of partitions cannot change.
    #[error("this installation has {found} partitions, and the configuration says {wanted}")]
    Partitions {
        /// What the installation was made with.
        found: String,
        /// What the configuration says.
        wanted: u16,
    },
}
