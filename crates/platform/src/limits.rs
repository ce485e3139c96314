//! How much a caller may ask for: calls and streams by player; sign-ins, and streams that need no token, by address. A refusal is RESOURCE_EXHAUSTED with the time after
//! which the same call would be let in.
//!
//! State is per replica: with several behind a load balancer a caller gets up to as many times the limit. What replicas must agree on
//! (one ticket a player, bots an owner, renames, one use of an ID token) is in the store or the ledger, not here.

mod layer;

use std::{
    collections::HashMap,
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock as _, clock::DefaultClock};
use kernel::PlayerId;
use parking_lot::Mutex;

use crate::{
    config::span,
    status::{Failure, Reason},
};

pub use layer::{LimitLayer, Limited};

const REFUSED: &str = "nigiri_limit_refused";
const STREAMS: &str = "nigiri_limit_streams";

/// After so many new callers those that have been quiet are forgotten.
const TIDY_EVERY: u32 = 10_000;

/// The limits of a process.
#[derive(clap::Args, Clone, Debug, PartialEq, Eq)]
#[group(skip)]
pub struct LimitArgs {
    /// Calls a second that a player may make for long; a burst of five times as many goes through. 0: no limit.
    #[arg(long, env = "NIGIRI_LIMIT_CALLS", default_value_t = 200)]
    pub limit_calls: u32,

    /// Streams that a player may open in a minute, reconnects included; all of them may come at once. 0: no limit.
    #[arg(long, env = "NIGIRI_LIMIT_STREAM_OPENINGS", default_value_t = 600)]
    pub limit_stream_openings: u32,

    /// Streams that a player may have open at a time; also those that an address may have open without a token (health, reflection), unless it
    /// is this machine itself. 0: no limit.
    #[arg(long, env = "NIGIRI_LIMIT_STREAMS", default_value_t = 200)]
    pub limit_streams: u32,

    /// Sign-ins and refreshes that an address (of IPv6: its /64) may send in a minute; all of them may come at once. 0: no limit.
    #[arg(long, env = "NIGIRI_LIMIT_SIGN_INS", default_value_t = 120)]
    pub limit_sign_ins: u32,

    /// Whether sign-ins, and streams without a token, from this machine itself are limited too.
    #[arg(long, env = "NIGIRI_LIMIT_LOOPBACK", default_value_t = false, num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub limit_loopback: bool,

    /// How long a call that is no stream may take, its message included.
    #[arg(long, env = "NIGIRI_LIMIT_CALL_TIME", default_value = "30s", value_parser = span::<100, 3600>)]
    pub limit_call_time: Duration,

    /// How many proxies stand before this server and add to `x-forwarded-for`. 0: the connection's address counts.
    #[arg(long, env = "NIGIRI_TRUSTED_PROXIES", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=10))]
    pub trusted_proxies: u8,
}

impl Default for LimitArgs {
    /// No limits: what a test or an in-process pipe has. The command line's defaults are others.
    fn default() -> Self {
        Self {
            limit_calls: 0,
            limit_stream_openings: 0,
            limit_streams: 0,
            limit_sign_ins: 0,
            limit_loopback: false,
            limit_call_time: Duration::from_secs(30),
            trusted_proxies: 0,
        }
    }
}

/// What somebody has used of the limits. Cheap to clone.
#[derive(Clone)]
pub struct Limits(Arc<Shared>);

struct Shared {
    args: LimitArgs,
    calls: Option<Limit<PlayerId>>,
    openings: Option<Limit<PlayerId>>,
    sign_ins: Option<Limit<IpAddr>>,
    open: Mutex<HashMap<Holder, u32>>,
}

/// Who has streams open.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Player(PlayerId),
    /// Whoever calls from there without a token.
    Address(IpAddr),
}

impl Limits {
    /// Nobody has used anything yet.
    pub fn new(args: LimitArgs) -> Self {
        metrics::describe_counter!(
            REFUSED,
            "Calls that were refused, by limit: calls, stream_openings, streams or sign_ins."
        );
        metrics::describe_gauge!(STREAMS, "Streams of players that are open.");
        metrics::gauge!(STREAMS).increment(0.0);
        let calls = Limit::new("calls", NonZeroU32::new(args.limit_calls), |calls| {
            Quota::per_second(calls).allow_burst(calls.saturating_mul(NonZeroU32::MIN.saturating_add(4)))
        });
        let openings =
            Limit::new("stream_openings", NonZeroU32::new(args.limit_stream_openings), Quota::per_minute);
        let sign_ins = Limit::new("sign_ins", NonZeroU32::new(args.limit_sign_ins), Quota::per_minute);
        Self(Arc::new(Shared { args, calls, openings, sign_ins, open: Mutex::default() }))
    }

    /// A player makes a call.
    ///
    /// # Errors
    /// [`Reason::RateLimited`].
    pub fn call(&self, player: PlayerId) -> Result<(), Failure> {
        self.0.calls.as_ref().map_or(Ok(()), |limit| limit.take(player))
    }

    /// A player opens a stream, which counts until the answer is dropped.
    ///
    /// # Errors
    /// [`Reason::RateLimited`]; [`Reason::TooManyStreams`].
    pub fn open(&self, player: PlayerId) -> Result<OpenStream, Failure> {
        self.0.openings.as_ref().map_or(Ok(()), |limit| limit.take(player))?;
        self.hold(Holder::Player(player))
    }

    /// Somebody without a token opens a stream from this address; none is counted for this machine itself.
    ///
    /// # Errors
    /// [`Reason::TooManyStreams`].
    pub fn open_nameless(&self, address: IpAddr) -> Result<Option<OpenStream>, Failure> {
        self.counted(address).map(|household| self.hold(Holder::Address(household))).transpose()
    }

    fn hold(&self, holder: Holder) -> Result<OpenStream, Failure> {
        let most = self.0.args.limit_streams;
        let mut open = self.0.open.lock();
        let count = open.entry(holder).or_default();
        if most > 0 && *count >= most {
            metrics::counter!(REFUSED, "limit" => "streams").increment(1);
            let words = match holder {
                Holder::Player(_) => format!("a player may have {most} streams open"),
                Holder::Address(_) => format!("an address may have {most} streams open without a token"),
            };
            return Err(Failure::new(Reason::TooManyStreams, words).with("limit", "streams"));
        }
        *count += 1;
        if let Holder::Player(_) = holder {
            metrics::gauge!(STREAMS).increment(1.0);
        }
        Ok(OpenStream { limits: self.clone(), holder })
    }

    /// What counts for an address; none for this machine itself, unless it counts too.
    fn counted(&self, address: IpAddr) -> Option<IpAddr> {
        let address = address.to_canonical();
        (self.0.args.limit_loopback || !address.is_loopback()).then(|| household(address))
    }

    /// An address signs somebody in.
    ///
    /// # Errors
    /// [`Reason::RateLimited`].
    pub fn sign_in(&self, address: IpAddr) -> Result<(), Failure> {
        let limit = self.0.sign_ins.as_ref().zip(self.counted(address));
        limit.map_or(Ok(()), |(limit, household)| limit.take(household))
    }
}

/// A stream that counts for as long as this lives.
pub struct OpenStream {
    limits: Limits,
    holder: Holder,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        if let Holder::Player(_) = self.holder {
            metrics::gauge!(STREAMS).decrement(1.0);
        }
        let mut open = self.limits.0.open.lock();
        if let Some(count) = open.get_mut(&self.holder) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.holder);
            }
        }
    }
}

/// One limit, for each key.
struct Limit<K: Hash + Eq + Clone> {
    name: &'static str,
    keyed: DefaultKeyedRateLimiter<K>,
    since_tidied: Mutex<u32>,
}

impl<K: Hash + Eq + Clone> Limit<K> {
    fn new(
        name: &'static str,
        size: Option<NonZeroU32>,
        quota: impl Fn(NonZeroU32) -> Quota,
    ) -> Option<Self> {
        let keyed = RateLimiter::keyed(quota(size?));
        Some(Self { name, keyed, since_tidied: Mutex::new(0) })
    }

    fn take(&self, key: K) -> Result<(), Failure> {
        self.tidy();
        let Err(full) = self.keyed.check_key(&key) else { return Ok(()) };
        metrics::counter!(REFUSED, "limit" => self.name).increment(1);
        let wait = full.wait_time_from(DefaultClock::default().now()).max(Duration::from_millis(1));
        let words = format!("too many calls of this kind: try again in {} ms", wait.as_millis());
        Err(Failure::new(Reason::RateLimited, words).with("limit", self.name).retry_after(wait))
    }

    /// A caller who has been quiet for long needs no memory.
    fn tidy(&self) {
        let mut since = self.since_tidied.lock();
        *since += 1;
        if *since >= TIDY_EVERY {
            *since = 0;
            self.keyed.retain_recent();
        }
    }
}

/// What one household has of addresses: all of a /64 in IPv6.
pub(crate) fn household(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn limits() -> Limits {
        Limits::new(LimitArgs {
            limit_calls: 2,
            limit_stream_openings: 100,
            limit_streams: 2,
            limit_sign_ins: 3,
            limit_loopback: false,
            limit_call_time: Duration::from_secs(30),
            trusted_proxies: 0,
        })
    }

    /// A player's burst goes through and the next call is refused with the time to wait, while another player is undisturbed.
    #[test]
    fn a_flood_is_its_players_own() {
        let limits = limits();
        let [one, two] = [(); 2].map(|()| PlayerId::from_uuid(Uuid::new_v4()));
        let refused = (0..20).filter(|_| limits.call(one).is_err()).count();
        assert!((8..=10).contains(&refused), "{refused}");
        let failure = limits.call(one).unwrap_err();
        assert_eq!(failure.reason(), Reason::RateLimited);
        assert!(limits.call(two).is_ok());
        let (first, second) = (limits.open(one).ok().unwrap(), limits.open(one).ok());
        assert!(second.is_some());
        assert_eq!(limits.open(one).err().unwrap().reason(), Reason::TooManyStreams);
        drop(first);
        assert!(limits.open(one).is_ok(), "a stream that ended makes room");
        assert!(limits.open(two).is_ok());
    }

    /// Streams that need no token count by address: nobody's take what another address has left, and this machine itself is let in.
    #[test]
    fn streams_without_a_token_count_by_household() {
        let limits = limits();
        let at = |text: &str| limits.open_nameless(text.parse().unwrap());
        let held = [at("192.0.2.1").ok().unwrap(), at("::ffff:192.0.2.1").ok().unwrap()];
        assert_eq!(at("192.0.2.1").err().unwrap().reason(), Reason::TooManyStreams);
        assert!(at("192.0.2.2").is_ok());
        drop(held);
        assert!(at("192.0.2.1").is_ok(), "a stream that ended makes room");
        let own: Vec<_> = (0..100).map(|_| at("127.0.0.1").ok().unwrap()).collect();
        assert!(own.iter().all(Option::is_none));
    }

    /// Sign-ins count by address; of IPv6 by /64, however it is written; and this machine itself is let in.
    #[test]
    fn sign_ins_count_by_household() {
        let limits = limits();
        let at = |text: &str| limits.sign_in(text.parse().unwrap()).is_ok();
        assert!(at("192.0.2.1") && at("::ffff:192.0.2.1") && at("192.0.2.1") && !at("192.0.2.1"));
        assert!(at("192.0.2.2"));
        assert!(at("2001:db8::1") && at("2001:db8::2") && at("2001:db8::3") && !at("2001:db8::4"));
        assert!(at("2001:db8:0:1::1"));
        assert!((0..100).all(|_| at("127.0.0.1")));
    }
}
