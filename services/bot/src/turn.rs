//! A turn as the game service tells it, as a position to think about.

use std::time::Duration;

use goban::{Dead, Position, Preset, Rng};
use kernel::{GameId, IdError};
use nigiri_client::{PositionError, komi_of, position_of};
use nigiri_proto::game::v1::{DeadStones, GameSettings, GameSnapshot};
use search::Terms;

/// A position in which the bot is to move.
#[derive(Debug)]
pub struct Turn {
    /// The game.
    pub game: GameId,
    /// The moves made so far.
    pub ply: u32,
    /// The position, with its history.
    pub position: Position,
    /// What is agreed about the game.
    pub terms: Terms,
    /// The number of the last entry that the turn takes account of.
    pub sequence: u64,
}

/// Why a snapshot is no turn that this bot could play.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The game has no id.
    #[error(transparent)]
    Id(#[from] IdError),
    /// A part of the message is missing.
    #[error("the snapshot has no {0}")]
    Missing(&'static str),
    /// The position cannot be, or has rules that this process does not know.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The number of moves is not the ply.
    #[error("{moves} moves make no ply {ply}")]
    Ply {
        /// How many moves the snapshot has.
        moves: usize,
        /// Its ply.
        ply: u32,
    },
}

impl Turn {
    /// An id for the command that answers this turn: the same in every process.
    pub fn command_id(&self) -> String {
        format!("{}-{}", self.game, self.ply)
    }

    /// How long a move takes at least, from the shortest time: some moves longer than others, the first ones not.
    pub fn natural(&self, shortest: Duration) -> Duration {
        const FIRST: u32 = 6;
        if self.ply < FIRST { shortest } else { shortest.mul_f32(1.0 + 1.5 * Rng::new(self.seed()).unit()) }
    }

    /// A seed for the thought about this turn: the same in every process.
    pub fn seed(&self) -> u64 {
        let (high, low) = self.game.as_uuid().as_u64_pair();
        high.rotate_left(17) ^ low ^ (u64::from(self.ply) << 32)
    }
}

impl TryFrom<&GameSnapshot> for Turn {
    type Error = Error;

    fn try_from(snapshot: &GameSnapshot) -> Result<Self, Error> {
        let settings = snapshot.settings.as_ref().ok_or(Error::Missing("settings"))?;
        let state = snapshot.state.as_ref().ok_or(Error::Missing("state"))?;
        let position = position_of(snapshot)?;
        // Moves that were taken back count for the ply.
        if snapshot.moves.len() > state.ply as usize {
            return Err(Error::Ply { moves: snapshot.moves.len(), ply: state.ply });
        }
        let handicap = settings.options.as_ref().map_or(0, |options| options.handicap);
        let terms = Terms {
            komi: komi_of(settings)?,
            handicap: u8::try_from(handicap).unwrap_or(u8::MAX),
            dead: dead_of(settings)?,
        };
        Ok(Self {
            game: snapshot.game_id.parse()?,
            ply: state.ply,
            position,
            terms,
            sequence: snapshot.sequence,
        })
    }
}

/// How the game's dead stones are found. Where the players have to agree, they start from the best estimate.
fn dead_of(settings: &GameSettings) -> Result<Dead<'static>, PositionError> {
    let wanted = settings.options.as_ref().map_or(DeadStones::Unspecified, |options| options.dead_stones());
    Ok(match wanted {
        DeadStones::None => Dead::None,
        DeadStones::Clear => Dead::Clear,
        DeadStones::Estimate | DeadStones::Agreement => Dead::Estimate,
        DeadStones::Unspecified => match settings.preset.parse()? {
            Preset::Quick => Dead::Clear,
            Preset::TrompTaylor => Dead::None,
            _ => Dead::Estimate,
        },
    })
}
