use std::ops::RangeInclusive;

use goban::{Preset, Scoring, handicap_points};

use super::{DeadStones, Settings, Violation};
use crate::Control;

/// The shortest and the longest side of a board that is played on.
const SIDES: RangeInclusive<u8> = 5..=19;

/// The lowest and the highest move limit.
const MOVE_LIMITS: RangeInclusive<u32> = 2..=10_000;

/// How many handicap stones there may be.
const HANDICAPS: RangeInclusive<u8> = 2..=9;

impl Settings {
    /// Whether a game can be made with these settings.
    ///
    /// # Errors
    /// All that is wrong, at once.
    pub fn validate(&self) -> Result<(), Vec<Violation>> {
        let mut violations = Vec::new();
        violations.extend(self.size_violation());
        violations.extend(self.control.violations());
        violations.extend(self.move_limit_violation());
        violations.extend(self.dead_violation());
        violations.extend(self.handicap_violation());
        violations.extend(self.grace.violations());
        if self.rated {
            violations.extend(self.rated_violation());
        }
        if violations.is_empty() { Ok(()) } else { Err(violations) }
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

    fn move_limit_violation(&self) -> Option<Violation> {
        let limit = self.move_limit.filter(|limit| !MOVE_LIMITS.contains(limit))?;
        let remedy = format!("from {} to {} moves, or none", MOVE_LIMITS.start(), MOVE_LIMITS.end());
        Some(Violation::new("move_limit", format!("a limit of {limit} moves is not possible"), remedy))
    }

    /// Territory scoring counts prisoners, so it needs to know all dead stones, not only the clearly dead ones.
    fn dead_violation(&self) -> Option<Violation> {
        let few = matches!(self.dead, DeadStones::None | DeadStones::Clear);
        (few && self.rules.scoring == Scoring::Territory).then(|| {
            Violation::new(
                "options.dead_stones",
                "territory cannot be counted without knowing all dead stones",
                "a best estimate, an agreement, or area scoring".into(),
            )
        })
    }

    fn handicap_violation(&self) -> Option<Violation> {
        let stones = self.handicap.stones;
        let field = "options.handicap";
        let range = format!("0, or {} to {} stones", HANDICAPS.start(), HANDICAPS.end());
        if stones == 0 {
            let free = "free placement of no stones is not possible";
            return self.handicap.free.then(|| Violation::new(field, free, range));
        }
        if !HANDICAPS.contains(&stones) {
            return Some(Violation::new(field, format!("a handicap of {stones} is not possible"), range));
        }
        let nowhere = !self.handicap.free && handicap_points(self.size, stones).is_none();
        nowhere.then(|| {
            let problem = format!("a {} board has no fixed points for {stones} stones", self.size);
            Violation::new(field, problem, "free placement, or a board of 9, 13 or 19 lines".into())
        })
    }

    /// A rating compares games of one kind: a preset that is offered by name, on its own boards, with a clock, unchanged but for the clock.
    fn rated_violation(&self) -> Option<Violation> {
        let usual = Self::of_preset(self.preset, self.size);
        let like_the_preset = self.rules == usual.rules
            && self.komi == usual.komi
            && self.dead == usual.dead
            && self.handicap == usual.handicap
            && self.draw_offers == usual.draw_offers
            && self.move_limit == usual.move_limit;
        let problem = if !Preset::OFFERED.contains(&self.preset) {
            format!("games of {} are never rated", self.preset)
        } else if !self.preset.allows(self.size) {
            format!("games of {} on {} are never rated", self.preset, self.size)
        } else if !like_the_preset {
            format!("a game that changes the rules of {} is never rated", self.preset)
        } else if self.control == Control::None {
            "a game without a clock is never rated".into()
        } else {
            return None;
        };
        Some(Violation::new("rated", problem, "an unrated game, or a preset as it is".into()))
    }
}
