use goban::{Dead, Komi, Position, Verdict, judge};

/// What is agreed about a game beside its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// What White receives for moving second.
    pub komi: Komi,
    /// Stones that Black was given; 0 or 1 for none. What White receives for them is in the rules.
    pub handicap: u8,
    /// How the dead stones are found when both have passed.
    pub dead: Dead<'static>,
}

impl Terms {
    /// An even game whose clearly dead stones are taken off at the end.
    #[must_use]
    pub const fn even(komi: Komi) -> Self {
        Self { komi, handicap: 0, dead: Dead::Clear }
    }

    /// What White receives in all, in half points.
    pub(crate) fn for_white(&self, position: &Position) -> i32 {
        let bonus = position.rules().handicap_bonus.points(self.handicap);
        i32::from(self.komi.half_points()) + 2 * i32::from(bonus)
    }

    /// What the game would count to if it ended now.
    #[must_use]
    pub fn count(&self, position: &Position) -> Verdict {
        judge(position, self.komi, self.handicap, self.dead)
    }
}
