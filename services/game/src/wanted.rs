//! What players want, as the wire says it: in a call of its own, or on a stream of many games.

use std::fmt;

use goban::{Point, PointError};
use kernel::GameId;
use nigiri_proto::game::v1 as pb;
use platform::status::{Failure, Reason};
use referee::Command;

/// A player's command.
pub trait Wanted {
    /// Which game it is for.
    fn game_id(&self) -> &str;

    /// The id that the client made up.
    fn command_id(&self) -> &str;

    /// What is wanted.
    ///
    /// # Errors
    /// When it cannot be read.
    fn command(&self) -> Result<Command<'static>, Failure>;

    /// What proves the player's network delay; empty for nothing.
    fn delay_proof(&self) -> &[u8] {
        &[]
    }
}

macro_rules! wanted {
    ($($message:ident($it:ident) => $command:expr $(, proven by $proof:ident)?;)*) => {
        $(impl Wanted for pb::$message {
            fn game_id(&self) -> &str {
                &self.game_id
            }

            fn command_id(&self) -> &str {
                &self.command_id
            }

            fn command(&self) -> Result<Command<'static>, Failure> {
                let $it = self;
                Ok($command)
            }

            $(fn delay_proof(&self) -> &[u8] {
                &self.$proof
            })?
        })*
    };
}

wanted! {
    PlayMoveRequest(it) => Command::Play { ply: it.ply, point: point_of(&it.point)? }, proven by delay_proof;
    PassRequest(it) => Command::Pass { ply: it.ply }, proven by delay_proof;
    ResignRequest(_it) => Command::Resign;
    OfferDrawRequest(it) => Command::OfferDraw { ply: it.ply };
    RequestTakebackRequest(it) => Command::RequestTakeback { ply: it.ply };
    AnswerProposalRequest(it) => Command::Answer { id: it.proposal_id, version: it.version, accept: it.accept };
    AcceptScoreRequest(it) => Command::AcceptScore { version: it.version };
    DisputeScoreRequest(it) => Command::DisputeScore { version: it.version };
    MarkChainRequest(it) => Command::MarkChain {
        version: it.version,
        point: point_of(&it.point)?,
        dead: it.dead,
    };
    LeaveRequest(_it) => Command::Leave;
}

/// What a command says, or everything that is wrong with it at once.
///
/// # Errors
/// When any of it is wrong.
pub fn checked<W>(
    game: Result<GameId, Failure>,
    command_id: &str,
    wanted: Result<W, Failure>,
) -> Result<(GameId, W), Failure> {
    match (game, check_command_id(command_id), wanted) {
        (Ok(game), Ok(()), Ok(wanted)) => Ok((game, wanted)),
        (game, id, wanted) => Err(all_of([game.err(), id.err(), wanted.err()])),
    }
}

/// One failure of several: everything that is wrong at once.
fn all_of(failures: [Option<Failure>; 3]) -> Failure {
    let mut failures: Vec<Failure> = failures.into_iter().flatten().collect();
    match failures.len() {
        1 => failures.remove(0),
        _ => Failure::invalid(failures.into_iter().flat_map(Failure::into_violations).collect()),
    }
}

/// The game that a request names.
///
/// # Errors
/// When that is no id.
pub fn game_id_of(text: &str) -> Result<GameId, Failure> {
    text.parse().map_err(|error| Failure::field(Reason::InvalidRequest, "game_id", error))
}

fn point_of(text: &str) -> Result<Point, Failure> {
    let malformed = |words: &dyn fmt::Display| Failure::field(Reason::MalformedPoint, "point", words);
    if text.eq_ignore_ascii_case("pass") {
        return Err(malformed(&"a pass is no point: it is a command of its own, Pass"));
    }
    text.parse().map_err(|error: PointError| malformed(&error))
}

fn check_command_id(text: &str) -> Result<(), Failure> {
    if text.is_empty() || text.chars().count() > 64 || text.chars().any(char::is_control) {
        let problem =
            "a command needs an id of your making: 1 to 64 characters, none of them a control character";
        return Err(Failure::field(Reason::InvalidRequest, "command_id", problem));
    }
    Ok(())
}
