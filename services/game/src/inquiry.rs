//! Who serves the streams of a game, for operators: a question to all replicas, by a small log of its own. Whoever serves a stream of the game answers; whoever
//! serves none has nothing to say. Nothing is kept for this while nobody asks.

use std::time::Duration;

use kernel::GameId;
use ledger::{Append, AppendError, Deadline, Guard, LogName, Logs, Refused, Sequence, SharedLedger, Wake};
use nigiri_proto::{events::v1::InquiryEntry, game::v1::ReplicaStreams};
use platform::tower::host;
use prost::Message;
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

use crate::{error::Error, games::Games};

/// The kind of a question's log.
const LOG_KIND: &str = "inquiry";

/// For so long answers are waited for: a hint and a round trip.
const PATIENCE: Duration = Duration::from_millis(400);

/// The log is not there any more after this.
const KEEP: Duration = Duration::from_secs(60);

/// Answers that are read at most: more than there are replicas.
const MOST: usize = 1000;

/// Asks all replicas for the streams of a game that they serve. A replica that does not answer in time is left out.
///
/// # Errors
/// When the ledger is away.
pub async fn ask(games: &Games, id: GameId) -> Result<Vec<ReplicaStreams>, Error> {
    let ledger = games.ledger();
    let name = format!("{LOG_KIND}:{}", chance::uuid());
    let log = LogName::new(&name).map_err(|error| Error::Internal(error.to_string()))?;
    let question = InquiryEntry { game_id: id.to_string(), answer: None };
    write(ledger, &log, 0, &question).await.map_err(|error| match error {
        AppendError::Unavailable(error) => Error::Ledger(error),
        AppendError::Refused(refused) => Error::Internal(refused.to_string()),
    })?;
    ledger.retire(&log, KEEP).await?;
    tokio::time::sleep(PATIENCE).await;
    let answers = ledger.read(&log, 1, MOST).await?;
    let answers = answers.into_iter().filter_map(|entry| InquiryEntry::decode(entry.payload).ok()?.answer);
    let mut answers: Vec<_> = answers.collect();
    answers.sort_by(|one, other| one.replica_id.cmp(&other.replica_id));
    Ok(answers)
}

/// Answers what others ask, for as long as it is polled.
pub async fn answer(games: Games, replica: Uuid) {
    let mut wakes = games.ledger().wakes(&Logs::Kind(LOG_KIND.into()));
    loop {
        match wakes.recv().await {
            Ok(Wake::Appended(log, entry)) if entry.sequence == 1 => {
                let question = InquiryEntry::decode(entry.payload).unwrap_or_default();
                let streams = question.game_id.parse().ok().and_then(|id| games.streams_of(id));
                let Some(streams) = streams else { continue };
                let answer = ReplicaStreams { replica_id: replica.to_string(), host: host(), ..streams };
                let (ledger, answer) =
                    (games.ledger().clone(), InquiryEntry { game_id: String::new(), answer: Some(answer) });
                tokio::spawn(async move {
                    let mut expected = 1;
                    // Others answer as well.
                    while let Err(AppendError::Refused(Refused::Conflict { last })) =
                        write(&ledger, &log, expected, &answer).await
                    {
                        expected = last;
                    }
                });
            }
            // Whoever asks asks again.
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

async fn write(
    ledger: &SharedLedger,
    log: &LogName,
    expected: Sequence,
    entry: &InquiryEntry,
) -> Result<(), AppendError> {
    let append = Append {
        log: log.clone(),
        expected,
        payload: entry.encode_to_vec().into(),
        guard: Guard::default(),
        deadline: Deadline::Keep,
        notices: Vec::new(),
    };
    ledger.append(append).await.map(drop)
}
