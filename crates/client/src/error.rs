use std::{collections::HashMap, error::Error as _, time::Duration};

use kernel::GameId;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// The `domain` of the server's own refusals.
const DOMAIN: &str = "nigiri";

/// Names of the reasons that programs act on. The server's whole table is in `docs/errors.md`; it only ever grows.
pub mod reason {
    macro_rules! reasons {
        ($($(#[$doc:meta])* $name:ident,)*) => {
            $($(#[$doc])* pub const $name: &str = stringify!($name);)*

            /// All that are named here.
            pub const ALL: &[&str] = &[$($name),*];
        };
    }

    reasons! {
        /// A guest and a member who have played each other cannot become one.
        PLAYED_EACH_OTHER,
        /// The access token has expired.
        TOKEN_EXPIRED,
        /// The refresh token is unknown, expired or ended.
        REFRESH_TOKEN_INVALID,
        /// The refresh token was used before.
        REFRESH_TOKEN_REUSED,
        /// The session was ended; the metadata say why.
        SESSION_ENDED,
        /// The player is banned; the metadata say why and until when.
        BANNED,
        /// Too many calls of a kind.
        RATE_LIMITED,
        /// The person has not agreed yet.
        SIGN_IN_PENDING,
        /// Signing in is not configured.
        SIGN_IN_OFF,
        /// There is no game with this id.
        GAME_NOT_FOUND,
        /// The game is not rated, or has not counted yet.
        NOT_RATED,
        /// The caller has no open ticket.
        NO_TICKET,
        /// The caller's ticket is followed by another stream.
        TICKET_EXISTS,
        /// The ticket has been matched.
        TICKET_MATCHED,
        /// The caller is in a game already; the metadata name it.
        ALREADY_PLAYING,
        /// What was sent is no point.
        MALFORMED_POINT,
        /// The point is not on this board.
        OFF_BOARD,
        /// The caller does not sit in this game.
        NOT_YOUR_SEAT,
        /// The game is private.
        PRIVATE_GAME,
        /// The command id was used in this game for another command.
        COMMAND_ID_REUSED,
        /// The call needs an account.
        ACCOUNT_REQUIRED,
        /// The name belongs to somebody else.
        NAME_TAKEN,
        /// The player has too many streams open.
        TOO_MANY_STREAMS,
        /// It is the opponent's turn.
        NOT_YOUR_TURN,
        /// There is a stone on the point.
        OCCUPIED,
        /// The stone would have no liberty.
        SUICIDE,
        /// The stone would restore the position before the opponent's last move.
        KO,
        /// The stone would restore an earlier position.
        SUPERKO,
        /// The game has ended.
        GAME_OVER,
        /// The move came after the deadline.
        OUT_OF_TIME,
        /// The game is at another ply.
        STALE_PLY,
        /// The players are asked to agree on a score.
        SCORE_PROPOSED,
        /// No score is proposed now.
        NO_SCORE,
        /// Another score is proposed now.
        STALE_SCORE,
        /// The proposal is not there any more.
        STALE_PROPOSAL,
        /// The caller has made a proposal that is not answered yet.
        PROPOSAL_PENDING,
        /// It is too early for that proposal.
        PROPOSAL_TOO_SOON,
        /// This game does not have that.
        NOT_IN_THIS_GAME,
        /// There is no stone on the point.
        NO_STONE,
        /// The caller has no move to take back.
        NOTHING_TO_TAKE_BACK,
        /// What is wanted is so already.
        ALREADY_SO,
        /// The settings make no game.
        INVALID_SETTINGS,
        /// This replica is going away.
        DRAINING,
        /// The call took longer than its caller waits, or than calls may; it may have taken effect.
        CALL_TOO_LONG,
        /// This replica does not understand what a newer version has written to the game.
        SERVER_TOO_OLD,
        /// No AI of that level has room.
        NO_BOT,
        /// The bot of that name is not ready.
        BOT_NOT_READY,
        /// The bot does not play these settings; the violations say what it would play.
        BOT_DECLINES,
        /// The bot plays as many games as it plays at once.
        BOT_FULL,
        /// The other player is in a game whose clock runs.
        OPPONENT_PLAYING,
        /// There is no challenge with this code, or it is for somebody else.
        CHALLENGE_NOT_FOUND,
        /// The challenge is open no more; the metadata have its state.
        CHALLENGE_CLOSED,
        /// The challenge is the caller's own.
        OWN_CHALLENGE,
        /// One of the two has blocked the other.
        BLOCKED,
    }
}

/// Why something did not work.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server said no.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// Nobody answered, for as long as was tried. Whether a command had an effect is unknown.
    #[error("the server could not be reached for {tried_for:.1?}: {cause}")]
    Unreachable {
        /// For how long was tried.
        tried_for: Duration,
        /// What happened at the last attempt.
        cause: String,
    },
    /// The session has ended: sign in again.
    #[error("signed out: {0}")]
    SignedOut(Box<Refusal>),
    /// A stream broke its promise: an entry was skipped, came twice, or came before an older one.
    #[error("the stream is out of order: entry {expected} was due, but {got} came")]
    OutOfOrder {
        /// The entry that was due.
        expected: u64,
        /// The entry that came.
        got: u64,
    },
    /// An answer lacks something that it must have.
    #[error("malformed answer: {0}")]
    Malformed(&'static str),
    /// An address cannot be used.
    #[error("not an address of a server: {address:?}: {why}")]
    Address {
        /// The address.
        address: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Error {
    /// A refusal; one of the refresh token is the end of the session.
    pub(crate) fn refused(refusal: Box<Refusal>) -> Self {
        match refusal.reason.as_str() {
            reason::REFRESH_TOKEN_INVALID | reason::REFRESH_TOKEN_REUSED | reason::SESSION_ENDED => {
                Self::SignedOut(refusal)
            }
            _ => Self::Refused(refusal),
        }
    }

    /// The reason, if the server gave one: a name of [`reason`] or another of the server's table.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Refused(refusal) | Self::SignedOut(refusal) => Some(&refusal.reason),
            _ => None,
        }
    }

    /// Whether the server refused for this reason.
    pub fn is(&self, reason: &str) -> bool {
        self.reason() == Some(reason)
    }

    /// The refusal, if it is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) | Self::SignedOut(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// The caller's own game, when that is in the way of another one.
    pub fn game(&self) -> Option<GameId> {
        self.refusal().and_then(Refusal::game)
    }
}

impl From<Error> for Status {
    /// The status that [`classify`] makes the error of again.
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(refusal) | Error::SignedOut(refusal) => {
                let Refusal { reason, code, message, metadata, .. } = *refusal;
                let details = ErrorDetails::with_error_info(reason, DOMAIN, metadata);
                Self::with_error_details(code, message, details)
            }
            Error::Unreachable { .. } => Self::unavailable(error.to_string()),
            other => Self::failed_precondition(other.to_string()),
        }
    }
}

/// One field of the request that was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The field's path.
    pub field: String,
    /// What was wrong with it.
    pub description: String,
}

/// The server's no.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}{}", reason_suffix(.reason))]
pub struct Refusal {
    /// The reason's name in the server's table; empty if whoever answered gave none (a proxy, an older server).
    pub reason: String,
    /// The gRPC code.
    pub code: Code,
    /// Words for people.
    pub message: String,
    /// Facts for programs, for example `game_id`.
    pub metadata: HashMap<String, String>,
    /// Fields of the request that were wrong.
    pub violations: Vec<Violation>,
    /// When to try again, if the server said so.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// The caller's own game, when that is in the way of another one.
    pub fn game(&self) -> Option<GameId> {
        let in_the_way = [reason::ALREADY_PLAYING, reason::TICKET_MATCHED].contains(&self.reason.as_str());
        self.metadata.get("game_id").filter(|_| in_the_way)?.parse().ok()
    }
}

fn reason_suffix(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(" ({reason})") }
}

/// What a failed attempt means.
#[derive(Clone, Debug)]
pub(crate) enum Failed {
    /// The server said no: another attempt would be answered likewise.
    Final(Box<Refusal>),
    /// The connection or the replica failed: another attempt may succeed. What the attempt has done is unknown.
    Transient(Transient),
}

/// A failure that another attempt may not meet.
#[derive(Clone, Debug)]
pub(crate) struct Transient {
    /// What happened.
    pub cause: String,
    /// How long to wait, if the server said so and another replica would say the same.
    pub retry_after: Option<Duration>,
    /// Whether it is this replica that cannot, and another can.
    pub elsewhere: bool,
}

impl Transient {
    /// A failure of the connection.
    pub fn connection(cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), retry_after: None, elsewhere: false }
    }

    /// An attempt that was not answered in time.
    pub fn no_answer(within: Duration) -> Self {
        Self::connection(format!("no answer within {within:.1?}"))
    }
}

/// Sorts a status. The server's own refusals carry an `ErrorInfo` of its domain; what has none comes from the connection, from
/// tonic's deadline (`Cancelled`, "Timeout expired") or from something in between.
pub(crate) fn classify(status: &Status) -> Failed {
    let details = status.get_error_details();
    let retry_after = details.retry_info().and_then(|info| info.retry_delay);
    let info = details.error_info().filter(|info| info.domain == DOMAIN);
    match info {
        Some(info) if status.code() == Code::Unavailable || info.reason == reason::RATE_LIMITED => {
            let (draining, elsewhere) =
                (info.reason == reason::DRAINING, info.reason == reason::SERVER_TOO_OLD);
            Failed::Transient(Transient {
                cause: format!("{} ({})", status.message(), info.reason),
                retry_after: retry_after.filter(|_| !draining && !elsewhere),
                elsewhere,
            })
        }
        // An attempt's time has run out, and the server was the first to say so.
        Some(info) if info.reason == reason::CALL_TOO_LONG => {
            Failed::Transient(Transient::connection(format!("{} ({})", status.message(), info.reason)))
        }
        None if status.source().is_some() || may_be_the_connection(status.code()) => {
            Failed::Transient(Transient {
                retry_after,
                ..Transient::connection(format!("{}: {}", status.code(), status.message()))
            })
        }
        _ => Failed::Final(Box::new(Refusal {
            reason: info.map(|info| info.reason.clone()).unwrap_or_default(),
            code: status.code(),
            message: status.message().to_owned(),
            metadata: info.map(|info| info.metadata.clone()).unwrap_or_default(),
            violations: details
                .bad_request()
                .map(|bad| bad.field_violations.as_slice())
                .unwrap_or_default()
                .iter()
                .map(|v| Violation { field: v.field.clone(), description: v.description.clone() })
                .collect(),
            retry_after,
        })),
    }
}

fn may_be_the_connection(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable
            | Code::Unknown
            | Code::Internal
            | Code::Cancelled
            | Code::DeadlineExceeded
            | Code::Aborted
            | Code::ResourceExhausted
    )
}

#[cfg(test)]
mod tests {
    use tonic_types::ErrorDetails;

    use super::*;

    /// The server's own words are final but for UNAVAILABLE and an attempt's own deadline; whatever has none of its words and may come from a broken
    /// connection is tried again.
    #[test]
    fn only_the_servers_own_words_are_final() {
        let ours = |code, reason: &str| {
            let mut details = ErrorDetails::with_error_info(reason, DOMAIN, HashMap::new());
            details.set_retry_info(Some(Duration::from_secs(2)));
            classify(&Status::with_error_details(code, "words", details))
        };
        for (code, name) in [
            (Code::Aborted, reason::STALE_PLY),
            (Code::Internal, "INTERNAL"),
            (Code::ResourceExhausted, "MESSAGE_TOO_LARGE"),
        ] {
            assert!(matches!(ours(code, name), Failed::Final(refusal) if refusal.reason == name));
        }
        let away = ours(Code::Unavailable, "LEDGER_UNAVAILABLE");
        assert!(matches!(away, Failed::Transient(t) if t.retry_after == Some(Duration::from_secs(2))));
        let draining = ours(Code::Unavailable, reason::DRAINING);
        let limited = ours(Code::ResourceExhausted, reason::RATE_LIMITED);
        assert!(matches!(limited, Failed::Transient(t) if t.retry_after == Some(Duration::from_secs(2))));
        assert!(matches!(draining, Failed::Transient(t) if t.retry_after.is_none()));
        // The deadline is that of one attempt.
        let late = ours(Code::DeadlineExceeded, reason::CALL_TOO_LONG);
        assert!(matches!(late, Failed::Transient(t) if t.retry_after.is_none()));
        for code in
            [Code::Cancelled, Code::Unknown, Code::Internal, Code::Unavailable, Code::DeadlineExceeded]
        {
            assert!(matches!(classify(&Status::new(code, "Timeout expired")), Failed::Transient(_)));
        }
        for code in [Code::Unimplemented, Code::PermissionDenied, Code::InvalidArgument] {
            assert!(matches!(classify(&Status::new(code, "a proxy's no")), Failed::Final(_)));
        }
    }
}
