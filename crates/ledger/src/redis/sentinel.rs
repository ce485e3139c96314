//! Who is the master, as Sentinels say.

use std::sync::Arc;

use ::redis::{ErrorKind, RedisError, RedisResult};

use super::link::Node;

/// How the address of a Sentinel begins.
const SCHEME: &str = "redis+sentinel://";

/// The parts of a Sentinel's address, `redis+sentinel://[user:password@]host:port/master`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SentinelUrl {
    /// Where the Sentinel is. It is asked without a password.
    pub sentinel: String,
    /// The same with the credentials, which are the master's.
    pub master: String,
    /// The master's name.
    pub name: String,
}

impl SentinelUrl {
    /// None if it is no Sentinel's address. An error if it is one that lacks something.
    pub fn parse(url: &str) -> Option<Result<Self, String>> {
        let rest = url.strip_prefix(SCHEME)?;
        let parts = rest.split_once('/').filter(|(place, name)| !place.is_empty() && is_name(name));
        let Some((place, name)) = parts else {
            return Some(Err(format!("a Sentinel is {SCHEME}host:port/name-of-the-master")));
        };
        let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
        Some(Ok(Self {
            sentinel: format!("redis://{host}"),
            master: format!("redis://{place}"),
            name: name.to_owned(),
        }))
    }
}

/// Names as Sentinel allows them.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
}

/// Asks one Sentinel for the address of the master.
pub(super) async fn ask(sentinel: &Node, name: &str) -> RedisResult<String> {
    let mut question = ::redis::cmd("SENTINEL");
    question.arg("GET-MASTER-ADDR-BY-NAME").arg(name);
    let answer = sentinel.send(&question).await?;
    let address: Option<(String, u16)> = ::redis::from_redis_value(answer)?;
    let unknown = || RedisError::from((ErrorKind::Client, "a Sentinel does not know this master"));
    address.map(|(host, port)| format!("{host}:{port}")).ok_or_else(unknown)
}

/// Fails unless the node itself says that it is a master: a Sentinel may not have heard of a failover yet.
pub(super) async fn confirm(node: Arc<Node>) -> RedisResult<Arc<Node>> {
    let role: Vec<::redis::Value> = ::redis::from_redis_value(node.send(&::redis::cmd("ROLE")).await?)?;
    let role: Option<String> = role.first().map(::redis::from_redis_value_ref).transpose()?;
    if role.as_deref() == Some("master") {
        Ok(node)
    } else {
        Err((ErrorKind::Io, "what a Sentinel calls the master is none").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Credentials are for the master only, and an address without a master's name is refused rather than taken for a server's.
    #[test]
    fn addresses_of_sentinels_have_a_master_s_name() {
        let url = SentinelUrl::parse("redis+sentinel://u:p%40@host:26379/my-master.1").unwrap().unwrap();
        assert_eq!(url.sentinel, "redis://host:26379");
        assert_eq!(url.master, "redis://u:p%40@host:26379");
        assert_eq!(url.name, "my-master.1");
        for wrong in ["redis+sentinel://host:26379", "redis+sentinel:///name", "redis+sentinel://host/a/b"] {
            assert!(SentinelUrl::parse(wrong).is_some_and(|url| url.is_err()), "{wrong}");
        }
        assert_eq!(SentinelUrl::parse("redis://host:6379/0"), None);
    }
}
