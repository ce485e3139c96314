use platform::status::{Failure, Reason, Violation, reason_of};
use tonic::{Code, Status};
use uuid::Uuid;

/// Why the service refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of the request are malformed: all that are.
    #[error("malformed request: {0:?}")]
    Invalid(Vec<Violation>),
    /// The caller may not do that.
    #[error(transparent)]
    Caller(#[from] Failure),
    /// There is no such process.
    #[error("there is no process {0}")]
    ReplicaNotFound(Uuid),
    /// There is no such dead letter.
    #[error("the group has no dead letter {0}")]
    DeadLetterNotFound(String),
    /// Another service refused, or is away.
    #[error("{}: {}", reason_of(.0).unwrap_or_else(|| format!("{:?}", .0.code())), .0.message())]
    Peer(Box<Status>),
    /// The ledger is away.
    #[error(transparent)]
    Ledger(#[from] ledger::Unavailable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        Self::Peer(Box::new(status))
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        let words = error.to_string();
        let failure = match error {
            Error::Invalid(violations) => Failure::invalid(violations),
            Error::Caller(failure) => failure,
            Error::ReplicaNotFound(replica) => {
                Failure::new(Reason::ReplicaNotFound, words).resource("replica", replica)
            }
            Error::DeadLetterNotFound(letter) => {
                Failure::new(Reason::DeadLetterNotFound, words).resource("dead letter", letter)
            }
            // What a service says of itself has its reason already. What has none is said by the way to it.
            Error::Peer(status) if reason_of(&status).is_some() => return *status,
            Error::Peer(status) if status.code() == Code::Internal => Failure::internal(status),
            Error::Peer(status) => Failure::new(Reason::PeerUnavailable, status.message()),
            Error::Ledger(error) => error.into(),
            Error::Store(error) => error.into(),
        };
        failure.into()
    }
}
