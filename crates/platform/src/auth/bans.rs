use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use kernel::{PlayerId, Timestamp};
use ledger::{LogName, Logs, Sequence, SharedLedger, Unavailable, Wake};
use nigiri_proto::events::v1::{AccountNotice, SessionEndedCause, account_notice::Event};
use parking_lot::RwLock;
use prost::Message;
use tokio::sync::{
    broadcast::{self, error::RecvError},
    watch,
};
use uuid::Uuid;

use super::{Identity, Subject};
use crate::{
    clock::Clock,
    convert::from_proto_time,
    status::{Failure, Reason},
};

/// The log and the topic that the session service writes what happens to accounts to: [`AccountNotice`].
pub const ACCOUNTS: &str = "accounts";

/// How often the log is read when no hint came.
const POLL: Duration = Duration::from_secs(3);

/// How long to wait for a ledger that is away.
const AWAY: Duration = Duration::from_secs(1);

/// Notices that wait for a listener who is slow.
const NOTICES: usize = 1024;

/// Entries read at a time.
const BATCH: usize = 500;

/// Who is out although their access token has not expired: banned players, and sessions that were ended. Follows the log
/// [`ACCOUNTS`]; what it knows it forgets when the tokens in question have expired. While the ledger is away nothing new is learnt.
#[derive(Debug)]
pub struct Bans {
    state: RwLock<State>,
    /// Nobody is out: the usual case, told without a lock.
    empty: AtomicBool,
    changes: watch::Sender<u64>,
    notices: broadcast::Sender<Arc<AccountNotice>>,
    clock: Clock,
}

#[derive(Debug, Default)]
struct State {
    players: HashMap<PlayerId, Ban>,
    sessions: HashMap<Uuid, Ended>,
    read_to: Sequence,
}

#[derive(Clone, Debug)]
struct Ban {
    revision: u64,
    /// None for good.
    until: Option<Timestamp>,
    reason: String,
    forget_at: Timestamp,
}

#[derive(Clone, Debug)]
struct Ended {
    cause: &'static str,
    forget_at: Timestamp,
}

impl Bans {
    /// Nobody is out yet.
    pub fn new(clock: Clock) -> Self {
        Self {
            state: RwLock::default(),
            empty: AtomicBool::new(true),
            changes: watch::Sender::new(0),
            notices: broadcast::Sender::new(NOTICES),
            clock,
        }
    }

    /// Whether the bearer of a token is still in.
    ///
    /// # Errors
    /// [`Reason::Banned`] with its end and words; [`Reason::SessionEnded`] with its cause.
    pub fn check(&self, identity: &Identity) -> Result<(), Failure> {
        if self.empty.load(Ordering::Acquire) {
            return Ok(());
        }
        let Subject::Player(player) = identity.subject else { return Ok(()) };
        let state = self.state.read();
        if let Some(ban) = state.players.get(&player)
            && ban.until.is_none_or(|until| until > self.clock.now())
        {
            return Err(banned(&ban.reason, ban.until));
        }
        match identity.session.and_then(|session| state.sessions.get(&session)) {
            Some(ended) => Err(session_ended(ended.cause)),
            None => Ok(()),
        }
    }

    /// Ends when the bearer of a token is out, with the reason: to be selected on by whatever lasts longer than a call.
    pub async fn out(self: Arc<Self>, identity: Arc<Identity>) -> Failure {
        let mut changes = self.changes.subscribe();
        loop {
            if let Err(failure) = self.check(&identity) {
                return failure;
            }
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Every notice from now on, as it is read from the log: to put right what a process has in its memory. After a start, and after the
    /// log began anew, old ones come again.
    pub fn notices(&self) -> broadcast::Receiver<Arc<AccountNotice>> {
        self.notices.subscribe()
    }

    /// Follows the log for as long as it is polled.
    pub async fn follow(self: Arc<Self>, ledger: SharedLedger) {
        let Ok(log) = LogName::new(ACCOUNTS) else { return };
        let mut wakes = ledger.wakes(&Logs::One(log.clone()));
        loop {
            let wait = match self.catch_up(&ledger, &log).await {
                Ok(()) => POLL,
                Err(error) => {
                    tracing::warn!(%error, "cannot read who is banned: going on with what is known");
                    AWAY
                }
            };
            tokio::select! {
                biased;
                wake = wakes.recv() => match wake {
                    Ok(Wake::Appended(..) | Wake::Lost) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => tokio::time::sleep(wait).await,
                },
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Reads what is new in the log.
    async fn catch_up(&self, ledger: &SharedLedger, log: &LogName) -> Result<(), Unavailable> {
        loop {
            let read_to = self.state.read().read_to;
            // The last entry is never trimmed: when the one that was read last is gone and nothing came after it, the log began anew.
            let entries = ledger.read(log, read_to.saturating_sub(1), BATCH).await?;
            if entries.is_empty() && read_to > 0 {
                self.state.write().read_to = 0;
                continue;
            }
            let new: Vec<_> = entries.into_iter().filter(|entry| entry.sequence > read_to).collect();
            let Some(last) = new.last() else {
                self.forget();
                return Ok(());
            };
            let last = last.sequence;
            for entry in &new {
                match AccountNotice::decode(entry.payload.clone()) {
                    Ok(notice) => {
                        self.apply(&notice);
                        // Nobody may listen.
                        let _listeners = self.notices.send(Arc::new(notice));
                    }
                    Err(error) => {
                        tracing::warn!(sequence = entry.sequence, %error, "an account notice is malformed")
                    }
                }
            }
            self.state.write().read_to = last;
        }
    }

    /// Takes what a notice says of who is out.
    pub fn apply(&self, notice: &AccountNotice) {
        let forget_at = notice.tokens_expire_time.map_or_else(Timestamp::default, from_proto_time);
        let cause = cause(notice);
        let mut state = self.state.write();
        for session in notice.ended_session_ids.iter().filter_map(|id| id.parse().ok()) {
            state.sessions.insert(session, Ended { cause, forget_at });
        }
        if let Ok(player) = notice.player_id.parse::<PlayerId>() {
            let known = state.players.get(&player).map_or(0, |ban| ban.revision);
            match &notice.event {
                Some(Event::Banned(ban)) if notice.revision > known => {
                    let (revision, reason) = (notice.revision, ban.reason.clone());
                    let until = ban.end_time.map(from_proto_time);
                    state.players.insert(player, Ban { revision, until, reason, forget_at });
                }
                Some(Event::Unbanned(_)) if notice.revision > known => {
                    state.players.remove(&player);
                }
                _ => {}
            }
        }
        self.empty.store(state.players.is_empty() && state.sessions.is_empty(), Ordering::Release);
        drop(state);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Drops what only concerns tokens that have expired.
    fn forget(&self) {
        if self.empty.load(Ordering::Acquire) {
            return;
        }
        let now = self.clock.now();
        let mut state = self.state.write();
        state.players.retain(|_, ban| ban.forget_at > now);
        state.sessions.retain(|_, ended| ended.forget_at > now);
        self.empty.store(state.players.is_empty() && state.sessions.is_empty(), Ordering::Release);
    }
}

/// The refusal of somebody who is banned; until `None` for good.
pub fn banned(reason: &str, until: Option<Timestamp>) -> Failure {
    let failure = Failure::new(Reason::Banned, format!("banned: {reason}")).with("reason", reason);
    match until {
        Some(until) => failure.with("until_millis", until.as_millis()),
        None => failure,
    }
}

/// The refusal of a session that was ended.
pub fn session_ended(cause: &'static str) -> Failure {
    Failure::new(Reason::SessionEnded, "the session has been ended: sign in again").with("cause", cause)
}

/// Why a notice's sessions have ended, as clients are told.
fn cause(notice: &AccountNotice) -> &'static str {
    match &notice.event {
        Some(Event::Merged(_)) => "merged",
        Some(Event::Deleted(_)) => "deleted",
        Some(Event::SessionsEnded(ended)) => match ended.cause() {
            SessionEndedCause::Kicked => "kicked",
            SessionEndedCause::Reused => "reused",
            SessionEndedCause::Owner => "owner",
            SessionEndedCause::SignedOut | SessionEndedCause::Unspecified => "signed_out",
        },
        _ => "signed_out",
    }
}

#[cfg(test)]
mod tests {
    use ledger::{Append, Deadline, Guard, ManualClock, memory::MemoryLedger};
    use nigiri_proto::events::v1::{PlayerBanned, PlayerUnbanned, SessionsEnded};

    use super::*;
    use crate::{auth::Role, convert::to_proto_time};

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
    const HOUR: Duration = Duration::from_secs(3600);

    fn identity(player: PlayerId, session: Uuid) -> Arc<Identity> {
        Arc::new(Identity {
            subject: Subject::Player(player),
            name: "Honinbo".into(),
            role: Role::Player,
            guest: true,
            session: Some(session),
            expires: NOW + HOUR,
        })
    }

    fn notice(player: PlayerId, revision: u64, event: Event, ended: &[Uuid]) -> AccountNotice {
        AccountNotice {
            player_id: player.to_string(),
            revision,
            tokens_expire_time: Some(to_proto_time(NOW + HOUR)),
            ended_session_ids: ended.iter().map(ToString::to_string).collect(),
            event: Some(event),
            ..AccountNotice::default()
        }
    }

    async fn append(ledger: &SharedLedger, expected: Sequence, notice: &AccountNotice) {
        let log = LogName::new(ACCOUNTS).unwrap();
        let payload = notice.encode_to_vec().into();
        let (guard, deadline) = (Guard::default(), Deadline::Keep);
        ledger.append(Append { log, expected, payload, guard, deadline, notices: vec![] }).await.unwrap();
    }

    /// What the log says reaches whoever waits for it: a ban with its reason, for as long as it lasts; the end of one session and of no
    /// other; an unban. An old notice that comes late changes nothing, and what only concerns expired tokens is forgotten.
    #[tokio::test(start_paused = true)]
    async fn whoever_is_put_out_learns_it_from_the_log() {
        let clock = ManualClock::new(NOW);
        let ledger: SharedLedger = Arc::new(MemoryLedger::system());
        let bans = Arc::new(Bans::new(clock.clock()));
        let follower = tokio::spawn(Arc::clone(&bans).follow(Arc::clone(&ledger)));
        let [one, two] = [(); 2].map(|()| PlayerId::from_uuid(Uuid::new_v4()));
        let [first, second] = [(); 2].map(|()| Uuid::new_v4());
        let waiting = tokio::spawn(Arc::clone(&bans).out(identity(one, first)));

        let end_time = Some(to_proto_time(NOW + Duration::from_secs(60)));
        let ban = PlayerBanned { end_time, reason: "stalling".to_owned(), operator_id: String::new() };
        let ban = notice(one, 2, Event::Banned(ban), &[]);
        append(&ledger, 0, &ban).await;
        let failure = waiting.await.unwrap();
        assert_eq!(failure.reason(), Reason::Banned);
        assert!(failure.to_string().contains("stalling"));
        assert!(bans.check(&identity(two, second)).is_ok());

        append(&ledger, 1, &notice(one, 1, Event::Unbanned(PlayerUnbanned::default()), &[])).await;
        let ended = SessionsEnded { cause: SessionEndedCause::Kicked.into() };
        append(&ledger, 2, &notice(two, 1, Event::SessionsEnded(ended), &[second])).await;
        let failure = Arc::clone(&bans).out(identity(two, second)).await;
        assert_eq!(failure.reason(), Reason::SessionEnded);
        assert!(bans.check(&identity(two, first)).is_ok(), "the other session goes on");
        assert!(bans.check(&identity(one, first)).is_err(), "an older revision lifts no ban");

        clock.advance(Duration::from_secs(61));
        assert!(bans.check(&identity(one, first)).is_ok(), "the ban is over");
        bans.apply(&ban);
        clock.advance(HOUR);
        bans.forget();
        assert!(bans.empty.load(Ordering::Acquire));
        follower.abort();
    }
}
