//! Who may be connected, and for how long without doing anything: a door that is held open by nobody in particular is shut.

mod accept;
mod io;
mod refuse;

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::{config::span, limits::household};

pub(crate) use accept::incoming;

const OPEN: &str = "nigiri_connections";
const REFUSED: &str = "nigiri_connections_refused";
const CUT: &str = "nigiri_connections_cut";

/// Says what is measured.
pub(crate) fn describe() {
    metrics::describe_gauge!(OPEN, "Connections of clients that are open.");
    metrics::describe_counter!(
        REFUSED,
        "Connections that were refused, by reason: server (no room at all) or address (too many of one)."
    );
    metrics::describe_counter!(CUT, "Connections that were cut: no call came in time.");
    metrics::gauge!(OPEN).increment(0.0);
    metrics::counter!(CUT).increment(0);
    for reason in ["server", "address"] {
        metrics::counter!(REFUSED, "reason" => reason).increment(0);
    }
}

/// Files that a process needs besides connections of clients and what it has open already.
const SPARE_FILES: usize = 16;

/// Fewer connections than this are no service.
const LEAST: usize = 4;

/// How many may be connected, and how long they may be idle.
#[derive(clap::Args, Clone, Debug)]
#[group(skip)]
pub struct ConnectionArgs {
    /// Connections that may be open at a time. 0: as many as the limit of open files leaves room for.
    #[arg(long, env = "NIGIRI_MAX_CONNECTIONS", default_value_t = 0)]
    pub max_connections: usize,

    /// Connections that an address (of IPv6: its /64) may have open at a time; this machine itself is exempt unless --limit-loopback, and
    /// nobody is counted behind --trusted-proxies. 0: no limit.
    #[arg(long, env = "NIGIRI_LIMIT_CONNECTIONS", default_value_t = 1000)]
    pub limit_connections: usize,

    /// Time from a connection to its first call, within which the TLS handshake and the call's head have to come.
    #[arg(long, env = "NIGIRI_HANDSHAKE_TIME", default_value = "10s", value_parser = span::<100, 3600>)]
    pub handshake_time: Duration,

    /// Time after which a connection without calls and open streams is closed. Clients connect again when they need it.
    #[arg(long, env = "NIGIRI_IDLE_TIME", default_value = "5m", value_parser = span::<100, 86_400>)]
    pub idle_time: Duration,
}

impl Default for ConnectionArgs {
    fn default() -> Self {
        Self {
            max_connections: 0,
            limit_connections: 0,
            handshake_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(300),
        }
    }
}

/// What is known of the connection that a call came over; in the extensions of every request from outside of the process.
#[derive(Clone, Debug)]
pub struct ConnectedFrom {
    /// The other end.
    pub address: IpAddr,
    /// Whether it has shown a certificate of one of our services.
    pub certified: bool,
    activity: Arc<Activity>,
}

impl ConnectedFrom {
    /// When the connection was opened.
    #[must_use]
    pub fn opened(&self) -> Instant {
        self.activity.opened
    }

    /// A call has begun.
    pub(crate) fn touch(&self) {
        self.activity.touch();
    }

    /// A stream is open for as long as the answer lives.
    pub(crate) fn hold(&self) -> Held {
        self.activity.streams.fetch_add(1, Ordering::AcqRel);
        Held(Arc::clone(&self.activity))
    }
}

/// An open stream's hold on its connection.
pub(crate) struct Held(Arc<Activity>);

impl Drop for Held {
    fn drop(&mut self) {
        // First the time, so that nobody sees a connection without streams that has been idle for all of the stream's time.
        self.0.touch();
        self.0.streams.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What a connection has been used for.
#[derive(Debug)]
struct Activity {
    opened: Instant,
    handshake: Duration,
    idle: Duration,
    called: AtomicBool,
    /// Of the last call: milliseconds since the connection was opened.
    last: AtomicU64,
    streams: AtomicUsize,
}

impl Activity {
    fn new(args: &ConnectionArgs) -> Self {
        Self {
            opened: Instant::now(),
            handshake: args.handshake_time,
            idle: args.idle_time,
            called: AtomicBool::new(false),
            last: AtomicU64::new(0),
            streams: AtomicUsize::new(0),
        }
    }

    fn touch(&self) {
        let millis = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(millis, Ordering::Release);
        self.called.store(true, Ordering::Release);
    }

    /// Until when the connection may go on as it is; none when it has to end now.
    fn may_last(&self, now: Instant) -> Option<Instant> {
        let end = if self.streams.load(Ordering::Acquire) > 0 {
            now + self.idle
        } else if self.called.load(Ordering::Acquire) {
            self.opened + Duration::from_millis(self.last.load(Ordering::Acquire)) + self.idle
        } else {
            self.opened + self.handshake
        };
        (end > now).then_some(end)
    }
}

/// Why a connection is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Full {
    /// There are as many as this process can have.
    Server,
    /// There are as many from this address as one may have.
    Address,
}

/// The connections that are open. Cheap to clone.
#[derive(Clone)]
struct Slots(Arc<Inner>);

struct Inner {
    most: usize,
    most_each: usize,
    loopback_too: bool,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    all: usize,
    by_household: HashMap<IpAddr, usize>,
}

impl Slots {
    fn new(most: usize, most_each: usize, loopback_too: bool) -> Self {
        Self(Arc::new(Inner { most, most_each, loopback_too, open: Mutex::default() }))
    }

    fn take(&self, address: IpAddr) -> Result<Slot, Full> {
        let address = address.to_canonical();
        let exempt = self.0.most_each == 0 || (address.is_loopback() && !self.0.loopback_too);
        let counted = (!exempt).then(|| household(address));
        let mut open = self.0.open.lock();
        if open.all >= self.0.most {
            return Err(Full::Server);
        }
        if let Some(household) = counted {
            let own = open.by_household.entry(household).or_default();
            if *own >= self.0.most_each {
                return Err(Full::Address);
            }
            *own += 1;
        }
        open.all += 1;
        metrics::gauge!(OPEN).increment(1.0);
        Ok(Slot { slots: self.clone(), counted })
    }
}

/// One of them; free again when dropped.
struct Slot {
    slots: Slots,
    counted: Option<IpAddr>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        metrics::gauge!(OPEN).decrement(1.0);
        let mut open = self.slots.0.open.lock();
        open.all -= 1;
        if let Some(household) = self.counted
            && let Some(own) = open.by_household.get_mut(&household)
        {
            *own -= 1;
            if *own == 0 {
                open.by_household.remove(&household);
            }
        }
    }
}

/// How many connections there may be.
///
/// # Errors
/// When the limit of open files leaves no room for a service; the error says what would.
fn most(args: &ConnectionArgs) -> anyhow::Result<usize> {
    let wanted = if args.max_connections == 0 { usize::MAX } else { args.max_connections };
    let Some(files) = open_files_limit() else { return Ok(wanted) };
    // What is open now, and the connections that are being refused.
    let used = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let room = files.saturating_sub(used + SPARE_FILES + refuse::AT_ONCE);
    anyhow::ensure!(
        room >= LEAST,
        "the limit of open files ({files}) is too small: {used} are in use already; allow more with `ulimit -n`"
    );
    if args.max_connections > room {
        tracing::warn!(room, "the limit of open files leaves room for fewer than --max-connections");
    }
    Ok(wanted.min(room))
}

/// The soft limit of open files; none where the system does not tell.
fn open_files_limit() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection that never calls ends soon; one that has called lasts until it has been idle; one with a stream lasts.
    #[tokio::test(start_paused = true)]
    async fn a_connection_lasts_as_long_as_it_is_used() {
        let from = ConnectedFrom {
            address: IpAddr::from([192, 0, 2, 1]),
            certified: false,
            activity: Arc::new(Activity::new(&ConnectionArgs::default())),
        };
        let lasts = || from.activity.may_last(Instant::now()).is_some();
        tokio::time::advance(Duration::from_secs(9)).await;
        assert!(lasts());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!lasts(), "no call within the time for one");
        from.touch();
        tokio::time::advance(Duration::from_secs(299)).await;
        assert!(lasts());
        let held = from.hold();
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert!(lasts(), "a stream is open");
        drop(held);
        assert!(lasts(), "the stream's end counts as use");
        tokio::time::advance(Duration::from_secs(300)).await;
        assert!(!lasts());
    }

    /// One address cannot take what others need; what has ended makes room; this machine itself is not counted.
    #[test]
    fn slots_are_counted_by_all_and_by_address() {
        let slots = Slots::new(6, 2, false);
        let take = |text: &str| slots.take(text.parse().unwrap());
        let (one, _two) = (take("192.0.2.1").ok().unwrap(), take("192.0.2.1").ok().unwrap());
        assert_eq!(take("192.0.2.1").err(), Some(Full::Address));
        assert_eq!(take("::ffff:192.0.2.1").err(), Some(Full::Address));
        drop(one);
        let _again = take("192.0.2.1").ok().unwrap();
        let _own: Vec<_> = (0..4).map(|_| take("127.0.0.1").ok().unwrap()).collect();
        assert_eq!(take("192.0.2.2").err(), Some(Full::Server));
    }
}
