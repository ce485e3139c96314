use kernel::{GameId, Timestamp};
use nigiri_proto::matchmaking::v1::{AiLevel, ChallengeState};
use platform::status::{Failure, Reason, Violation};

use crate::store::{MOST_BLOCKS, MOST_OPEN};

/// Why a call of this service was refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The request is malformed.
    #[error("the request is malformed")]
    Invalid(Vec<Violation>),
    /// Who calls may not call this; or what the call needs is away.
    #[error(transparent)]
    Caller(Failure),
    /// A guest asked for a rated game where only accounts have them.
    #[error("rated games need an account; guests may play unrated games")]
    RatedNeedsAccount,
    /// The caller has left too many rated games.
    #[error(
        "you have left rated games again and again: no rated games for a while; unrated ones may be played"
    )]
    RatedBan {
        /// Until when.
        until: Timestamp,
        /// Games left within the time that counts.
        leaves: u32,
    },
    /// Another stream follows the caller's ticket.
    #[error("another stream of yours is looking for an opponent already")]
    TicketExists,
    /// The caller has no ticket.
    #[error("you have no open ticket")]
    NoTicket,
    /// The caller's ticket has come to a game.
    #[error("the ticket has been matched already: the game is {0}")]
    TicketMatched(GameId),
    /// The caller plays a person by a clock.
    #[error("you are in a game already, and its clock runs: {0}")]
    AlreadyPlaying(GameId),
    /// No bot of that level is ready.
    #[error("no AI of that level has room now; try again")]
    NoBot(AiLevel),
    /// The bot of that name has not said lately that it is ready.
    #[error("{0} is not ready to play now: ListReadyBots has those that are")]
    BotNotReady(String),
    /// The bot does not play these settings; what it would play.
    #[error("the bot does not play this")]
    BotDeclines(Vec<Violation>),
    /// The bot plays as many games as it wants to, which is so many.
    #[error("{0} plays {1} games already, which is as many as it plays at once: ask again when one is over")]
    BotFull(String, u32),
    /// The challenger plays a person by a clock.
    #[error("the other player is in a game now, whose clock runs: accept again when it is over")]
    OpponentPlaying,
    /// This replica is going away.
    #[error("this replica is going away; call again and reach another")]
    Draining,
    /// The log did not take the change in time.
    #[error("the ledger does not answer in time; call again")]
    LedgerSlow,
    /// The game service cannot be reached.
    #[error("the game service cannot be reached; call again")]
    GameAway,
    /// The settings that were asked for make no game.
    #[error("these settings do not make a game")]
    Settings(Vec<Violation>),
    /// Nobody has that name or id.
    #[error("there is no such player")]
    NoSuchPlayer,
    /// No bot has that name.
    #[error("there is no bot with that name: ListReadyBots has those that are ready to play")]
    NoSuchBot,
    /// The session service cannot be reached.
    #[error("the session service cannot be reached; call again")]
    SessionAway,
    /// There is no such challenge, or it is not for the caller.
    #[error("there is no challenge with this code")]
    NoChallenge,
    /// The challenge is not open any more.
    #[error("the challenge is not open any more: {}", .0.as_str_name())]
    ChallengeClosed(ChallengeState),
    /// The caller has made the challenge.
    #[error("you cannot play against yourself")]
    OwnChallenge,
    /// One of the two has blocked the other.
    #[error("one of you does not want to meet the other")]
    Blocked,
    /// The caller has as many open challenges as one may.
    #[error("you have {} open challenges: cancel one, or wait until it is answered", MOST_OPEN)]
    TooManyChallenges,
    /// The caller blocks as many players as one may.
    #[error("you block {} players already", MOST_BLOCKS)]
    TooManyBlocks,
    /// The game service refused a game that we asked for.
    #[error("the game service refused the game: {0}")]
    GameRefused(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(violations) => Self::invalid(violations),
            Error::Caller(failure) => failure,
            Error::RatedNeedsAccount => Self::new(Reason::RatedNeedsAccount, error),
            Error::RatedBan { until, leaves } => Self::new(Reason::RatedBan, error)
                .with("until_millis", until.as_millis())
                .with("leaves", leaves),
            Error::TicketExists => Self::new(Reason::TicketExists, error),
            Error::NoTicket => Self::new(Reason::NoTicket, error),
            Error::TicketMatched(game) => Self::new(Reason::TicketMatched, error).with("game_id", game),
            Error::AlreadyPlaying(game) => Self::new(Reason::AlreadyPlaying, error).with("game_id", game),
            Error::NoBot(level) => Self::new(Reason::NoBot, error).with("level", level.as_str_name()),
            Error::BotNotReady(ref name) => {
                let name = name.clone();
                Self::new(Reason::BotNotReady, error).with("bot_name", name)
            }
            Error::BotDeclines(violations) => Self::invalid_for(Reason::BotDeclines, violations),
            Error::BotFull(ref name, most) => {
                let name = name.clone();
                Self::new(Reason::BotFull, error).with("bot_name", name).with("max_games", most)
            }
            Error::OpponentPlaying => Self::new(Reason::OpponentPlaying, error),
            Error::Draining => Self::new(Reason::Draining, error),
            Error::LedgerSlow => Self::new(Reason::LedgerUnavailable, error),
            Error::GameAway => Self::new(Reason::PeerUnavailable, error),
            Error::Settings(violations) => Self::invalid_for(Reason::InvalidSettings, violations),
            Error::NoSuchPlayer | Error::NoSuchBot => Self::new(Reason::PlayerNotFound, error),
            Error::SessionAway => Self::new(Reason::PeerUnavailable, error),
            Error::NoChallenge => Self::new(Reason::ChallengeNotFound, error),
            Error::ChallengeClosed(state) => {
                Self::new(Reason::ChallengeClosed, error).with("state", state.as_str_name())
            }
            Error::OwnChallenge => Self::new(Reason::OwnChallenge, error),
            Error::Blocked => Self::new(Reason::Blocked, error),
            Error::TooManyChallenges => Self::new(Reason::TooManyChallenges, error),
            Error::TooManyBlocks => Self::new(Reason::TooManyBlocks, error),
            Error::GameRefused(_) => Self::internal(error),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Caller(failure)
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Caller(error.into())
    }
}

impl From<Error> for tonic::Status {
    fn from(error: Error) -> Self {
        Failure::from(error).into()
    }
}
