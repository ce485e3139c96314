mod validate;

use std::{fmt, time::Duration};

use goban::{Color, Komi, Point, Preset, Rules, Size, handicap_points};
use kernel::WatchKey;

use crate::{Control, Grace};

/// The usual time for a move.
const USUAL_TIME: Duration = Duration::from_secs(30);

/// How the dead stones are found at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeadStones {
    /// Every stone on the board lives.
    None,
    /// Those that are clearly dead.
    Clear,
    /// The best estimate.
    Estimate,
    /// The best estimate is shown to both players, and both have to agree. Under territory scoring they may mark chains.
    Agreement,
}

impl DeadStones {
    /// The way of a preset: `quick` takes what is clearly dead, `territory` the best estimate, Tromp-Taylor nothing; all others ask the players.
    pub const fn of_preset(preset: Preset) -> Self {
        match preset {
            Preset::Quick => Self::Clear,
            Preset::Territory => Self::Estimate,
            Preset::TrompTaylor => Self::None,
            _ => Self::Agreement,
        }
    }
}

/// Stones that Black has on the board before White's first move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Handicap {
    /// How many: 0, or 2 to 9.
    pub stones: u8,
    /// Whether Black chooses where, with as many first moves in a row. Else they stand where the Go Text Protocol has them.
    pub free: bool,
}

/// What two players agree on before the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The named set of rules that the game was made from.
    pub preset: Preset,
    /// The board: square, 5x5 to 19x19.
    pub size: Size,
    /// The rules, usually those of the preset.
    pub rules: Rules,
    /// Points for White.
    pub komi: Komi,
    /// How time is measured.
    pub control: Control,
    /// Whether the result changes both ratings.
    pub rated: bool,
    /// After this many moves, passes included, the game is counted as after two passes, without asking the players: 2 to 10,000, or no limit.
    pub move_limit: Option<u32>,
    /// How the dead stones are found at the end.
    pub dead: DeadStones,
    /// Stones that Black has on the board before White's first move.
    pub handicap: Handicap,
    /// Whether the players may offer a draw.
    pub draw_offers: bool,
    /// Whether moves may be taken back: never in rated games, nor against a program that plays by a clock; at once against a program without a clock; else if the
    /// opponent agrees.
    pub takebacks: bool,
    /// How long the game waits for a player who is gone. Against a program without a clock it is a day instead.
    pub grace: Grace,
    /// Makes the game private: besides its players, only whoever has this key may watch it.
    pub watch_key: Option<WatchKey>,
}

/// Something in a wish for a game that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}; {remedy}")]
pub struct Violation {
    /// The field, named as in the public API, such as `time_control.per_move.time`.
    pub field: &'static str,
    /// What is wrong with it, with what was given.
    pub problem: String,
    /// What would be right.
    pub remedy: String,
}

impl Violation {
    pub(crate) fn new(field: &'static str, problem: impl fmt::Display, remedy: String) -> Self {
        Self { field, problem: problem.to_string(), remedy }
    }
}

impl Settings {
    /// The usual settings of a preset on that board, unrated. They may still be refused: see [`Settings::validate`].
    pub const fn of_preset(preset: Preset, size: Size) -> Self {
        Self {
            preset,
            size,
            rules: preset.rules(),
            komi: preset.komi(),
            control: match preset {
                Preset::Igo => Control::USUAL_BYOYOMI,
                _ => Control::PerMove { time: USUAL_TIME },
            },
            rated: false,
            move_limit: Some(preset.move_limit(size)),
            dead: DeadStones::of_preset(preset),
            handicap: Handicap { stones: 0, free: false },
            draw_offers: matches!(preset, Preset::Quick),
            takebacks: true,
            grace: Grace::of_size(size),
            watch_key: None,
        }
    }

    /// The moves that Black makes in a row at the beginning, if Black chooses where handicap stones stand.
    pub(crate) fn placements(&self) -> u32 {
        if self.handicap.free { self.handicap.stones.into() } else { 0 }
    }

    /// Who makes a move, by the number of moves before it.
    pub(crate) fn mover(&self, before: u32) -> Color {
        let first = if self.handicap.stones >= 2 { Color::White } else { Color::Black };
        match before.checked_sub(self.placements()) {
            None => Color::Black,
            Some(after) if after.is_multiple_of(2) => first,
            Some(_) => first.opposite(),
        }
    }

    /// The number of moves after which each side has moved once.
    pub(crate) fn opening(&self) -> u32 {
        self.placements().saturating_add(1).max(2)
    }

    /// The stones that stand on the board before the first move.
    pub(crate) fn fixed_stones(&self) -> Vec<Point> {
        if self.handicap.free {
            return Vec::new();
        }
        handicap_points(self.size, self.handicap.stones).unwrap_or_default()
    }
}
