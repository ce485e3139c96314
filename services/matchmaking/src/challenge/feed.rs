//! Who hears of challenges, and who looks after those that were left lying.
//!
//! The store says what has changed; each replica that has listeners asks it a few times a second, once for all of them, and at once after a change of its
//! own. What was committed late has an earlier stamp than what was seen, so each look goes back a little, and what was told is not told again.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures::Stream;
use kernel::{PlayerId, Timestamp};
use nigiri_proto::matchmaking::v1::{
    ChallengeState, ChallengesCaughtUp, ChallengesDraining, ChallengesQuiet, WatchChallengesResponse,
    watch_challenges_response::Message,
};
use tokio::{
    sync::{
        Notify,
        broadcast::{self, error::RecvError},
    },
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use super::{Challenge, Challenges};
use crate::error::Error;

/// How often the store is asked without having been told.
const POLL: Duration = Duration::from_millis(500);

/// So far back goes each look.
const OVERLAP: Duration = Duration::from_secs(10);

/// So many changes are read at once.
const PAGE: i64 = 1_000;

/// So many changes may wait for a slow listener; then it begins anew.
const BACKLOG: usize = 1_024;

/// Something is said at least this often.
const QUIET: Duration = Duration::from_secs(15);

/// How often each replica looks after what was left lying.
const TEND: Duration = Duration::from_secs(5);

/// An accepted challenge whose game is not there after this time is taken up by any replica.
const OVERDUE: Duration = Duration::from_secs(5);

/// Challenges are forgotten so long after their time was up.
const KEPT: Duration = Duration::from_secs(30 * 86_400);

/// Tells listeners of changes.
#[derive(Clone, Debug)]
pub struct Feed {
    changes: broadcast::Sender<Arc<Challenge>>,
    look: Arc<Notify>,
}

impl Default for Feed {
    fn default() -> Self {
        Self { changes: broadcast::channel(BACKLOG).0, look: Arc::default() }
    }
}

impl Feed {
    /// Something has changed: the next look is now.
    pub fn look(&self) {
        self.look.notify_one();
    }
}

/// Looks for changes, and after what was left lying, for as long as the process runs.
pub async fn tend(challenges: Challenges) {
    let mut told = Told::default();
    let mut next_round = Instant::now() + TEND;
    loop {
        tokio::select! {
            biased;
            () = challenges.feed.look.notified() => {}
            () = tokio::time::sleep(POLL) => {}
        }
        if challenges.feed.changes.receiver_count() == 0 {
            told = Told::default();
        } else if let Err(error) = told.tell(&challenges).await {
            tracing::warn!(%error, "changes of challenges cannot be read now; trying again");
        }
        if Instant::now() >= next_round {
            next_round = Instant::now() + TEND;
            if let Err(error) = round(&challenges).await {
                tracing::warn!(%error, "challenges cannot be looked after now; trying again");
            }
        }
    }
}

/// What listeners have been told.
#[derive(Default)]
struct Told {
    /// What changed from then on is read anew; none while nobody has listened.
    since: Option<Timestamp>,
    last: BTreeMap<Uuid, ChallengeState>,
}

impl Told {
    async fn tell(&mut self, challenges: &Challenges) -> Result<(), Error> {
        let now = challenges.handle.now();
        let before = Timestamp::from_millis(now.as_millis().saturating_sub(millis(OVERLAP)));
        // What came before anybody listened is told by the listeners' own first look.
        let changed = challenges.store.changed_challenges(self.since.unwrap_or(before), PAGE).await?;
        let is_all = changed.len() < usize::try_from(PAGE).unwrap_or(0);
        let mut last = BTreeMap::new();
        // An acceptance is told when its game is there: whoever hears of it can go and play.
        for challenge in changed.into_iter().filter(|one| one.begun || one.state != ChallengeState::Accepted)
        {
            last.insert(challenge.id, challenge.state);
            if self.last.get(&challenge.id) != Some(&challenge.state) {
                // When nobody listens any more, nobody misses it.
                let _unheard = challenges.feed.changes.send(Arc::new(challenge));
            }
        }
        if is_all {
            (self.last, self.since) = (last, Some(before));
        } else {
            // The rest comes when this has aged: so many changes in so short a time are rare.
            self.last.extend(last);
        }
        Ok(())
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Closes what is too old, and makes the games that are missing.
async fn round(challenges: &Challenges) -> Result<(), Error> {
    let now = challenges.handle.now();
    let before = |time| Timestamp::from_millis(now.as_millis().saturating_sub(millis(time)));
    challenges.store.expire_challenges(now, before(KEPT)).await?;
    for challenge in challenges.store.unbegun_challenges(before(OVERDUE)).await? {
        if let Err(error) = challenges.begin(&challenge).await {
            tracing::warn!(%error, challenge = %challenge.id, "the game of a challenge is still missing");
        }
    }
    Ok(())
}

/// The stream of one player's challenges.
pub fn follow(
    challenges: Challenges,
    player: PlayerId,
    draining: CancellationToken,
) -> impl Stream<Item = Result<WatchChallengesResponse, Status>> + Send {
    async_stream::stream! {
        let mut changes = challenges.feed.changes.subscribe();
        let (mut is_told, mut told) = (false, BTreeMap::new());
        loop {
            if !is_told {
                let open = match challenges.store.open_challenges(player, challenges.handle.now()).await {
                    Ok(open) => open,
                    Err(error) => {
                        yield Err(Error::from(error).into());
                        return;
                    }
                };
                for challenge in open {
                    told.insert(challenge.id, challenge.state);
                    yield say(Message::Challenge(challenges.show(&challenge, player)));
                }
                yield say(Message::CaughtUp(ChallengesCaughtUp {}));
                is_told = true;
            }
            let heard = tokio::select! {
                biased;
                () = draining.cancelled() => Heard::Draining,
                heard = tokio::time::timeout(QUIET, next(&mut changes, player)) => heard.unwrap_or(Heard::Nothing),
            };
            match heard {
                Heard::Change(challenge) => {
                    if told.insert(challenge.id, challenge.state) != Some(challenge.state) {
                        yield say(Message::Challenge(challenges.show(&challenge, player)));
                    }
                }
                Heard::TooMuch => is_told = false,
                Heard::Nothing => yield say(Message::Quiet(ChallengesQuiet {})),
                Heard::Draining => {
                    yield say(Message::Draining(ChallengesDraining {}));
                    return;
                }
            }
        }
    }
}

/// What a stream hears.
enum Heard {
    /// A challenge of its player has changed.
    Change(Arc<Challenge>),
    /// More than it could take: it begins anew.
    TooMuch,
    /// Nothing for a while.
    Nothing,
    /// The replica goes away.
    Draining,
}

/// The next change that concerns a player.
async fn next(changes: &mut broadcast::Receiver<Arc<Challenge>>, player: PlayerId) -> Heard {
    loop {
        match changes.recv().await {
            Ok(challenge) if challenge.concerns(player) => return Heard::Change(challenge),
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => return Heard::TooMuch,
            // The sender is part of what the stream holds.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

fn say(message: Message) -> Result<WatchChallengesResponse, Status> {
    Ok(WatchChallengesResponse { message: Some(message) })
}
