use std::{fmt, time::Duration};

use goban::{Komi, Preset, Rules, Scoring, Size};

use crate::Control;

/// The usual time for a move.
const USUAL_TIME: Duration = Duration::from_secs(30);

/// The shortest and the longest side of a board that is played on.
const SIDES: std::ops::RangeInclusive<u8> = 5..=19;

/// The lowest and the highest move limit.
const MOVE_LIMITS: std::ops::RangeInclusive<u32> = 2..=10_000;

/// What two players agree on before the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The named set of rules that the game was made from; it says what happens after two passes.
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
    /// After this many moves, passes included, the game is counted as after two passes: 2 to 10,000, or no limit.
    pub move_limit: Option<u32>,
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
    /// The usual settings of a preset on that board: its rules, its komi and its move limit, 30 s a move, unrated. They may still be refused:
    /// see [`Settings::validate`].
    pub const fn of_preset(preset: Preset, size: Size) -> Self {
        Self {
            preset,
            size,
            rules: preset.rules(),
            komi: preset.komi(),
            control: Control::PerMove { time: USUAL_TIME },
            rated: false,
            move_limit: Some(preset.move_limit(size)),
        }
    }

    /// Whether a game can be made with these settings.
    ///
    /// # Errors
    /// All that is wrong, at once.
    pub fn validate(&self) -> Result<(), Vec<Violation>> {
        let found = [self.preset_violation(), self.size_violation(), self.scoring_violation()];
        let found = found.into_iter().chain([self.control.violation(), self.move_limit_violation()]);
        let violations: Vec<_> = found.flatten().collect();
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }

    fn preset_violation(&self) -> Option<Violation> {
        let missing = match self.preset {
            Preset::Quick => return None,
            Preset::Territory => {
                "ends with a best estimate of the dead stones, which this server cannot make yet"
            }
            Preset::Weiqi | Preset::Igo => {
                "ends with an agreement about the dead stones, which this server does not offer yet"
            }
            _ => "is a set of rules without a way to end a game",
        };
        let problem = format!("{} {missing}", self.preset);
        Some(Violation::new("preset", problem, format!("for now only {}", Preset::Quick)))
    }

    fn size_violation(&self) -> Option<Violation> {
        let (columns, rows) = (self.size.columns(), self.size.rows());
        (columns != rows || !SIDES.contains(&rows)).then(|| {
            Violation::new(
                "board_size",
                format!("a {} board is not possible", self.size),
                format!("a square board with {} to {} lines a side", SIDES.start(), SIDES.end()),
            )
        })
    }

    /// Territory scoring counts prisoners, so it needs to know the dead stones, not only the clearly dead ones.
    fn scoring_violation(&self) -> Option<Violation> {
        (self.preset == Preset::Quick && self.rules.scoring == Scoring::Territory).then(|| {
            Violation::new(
                "rules.scoring",
                "territory cannot be counted without a best estimate of the dead stones",
                "area scoring".into(),
            )
        })
    }

    fn move_limit_violation(&self) -> Option<Violation> {
        let limit = self.move_limit.filter(|limit| !MOVE_LIMITS.contains(limit))?;
        let remedy = format!("from {} to {} moves, or none", MOVE_LIMITS.start(), MOVE_LIMITS.end());
        Some(Violation::new("move_limit", format!("a limit of {limit} moves is not possible"), remedy))
    }
}
