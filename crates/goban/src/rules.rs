//! The rules as orthogonal options: any preset, and any custom game, is a choice of these.

/// Which repetitions are forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// No stone may recreate the position before the opponent's last move. A position that stands a third
    /// time with the same player to move ends the game without a result.
    Simple,
    /// No stone may recreate any earlier position of the game.
    Positional,
    /// No stone may recreate any earlier position of the game with the same player to move.
    Situational,
}

impl KoRule {
    /// `KataGo`'s name of each.
    pub const NAMES: [(&'static str, Self); 3] =
        [("SIMPLE", Self::Simple), ("POSITIONAL", Self::Positional), ("SITUATIONAL", Self::Situational)];
}

/// What is counted at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Living stones, and empty points that reach only one colour.
    Area,
    /// Empty points that reach only one colour, and prisoners.
    Territory,
}

impl Scoring {
    /// `KataGo`'s name of each.
    pub const NAMES: [(&'static str, Self); 2] = [("AREA", Self::Area), ("TERRITORY", Self::Territory)];
}

/// Which surrounded points do not count. The names and meanings are KataGo's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tax {
    /// All of them count, also the eyes of groups in seki.
    None,
    /// The eyes of groups in seki do not count.
    Seki,
    /// As `Seki`, and each living group pays its two eyes (stone scoring).
    All,
}

impl Tax {
    /// `KataGo`'s name of each.
    pub const NAMES: [(&'static str, Self); 3] =
        [("NONE", Self::None), ("SEKI", Self::Seki), ("ALL", Self::All)];
}

/// What White receives for Black's handicap of N stones, N from 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandicapBonus {
    /// Nothing.
    None,
    /// A point for each stone after the first.
    NMinusOne,
    /// A point for each stone.
    N,
}

impl HandicapBonus {
    /// `KataGo`'s name of each. The longer name comes before the one that it begins with.
    pub const NAMES: [(&'static str, Self); 3] =
        [("N-1", Self::NMinusOne), ("N", Self::N), ("0", Self::None)];

    /// Points for White when Black was given `stones`. A handicap of 0 or 1 places no stone and gives nothing.
    #[must_use]
    pub const fn points(self, stones: u8) -> u8 {
        match self {
            _ if stones < 2 => 0,
            Self::None => 0,
            Self::NMinusOne => stones - 1,
            Self::N => stones,
        }
    }
}

/// The rules of a game, apart from komi, clock and agreement. Suicide of a single stone is never allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Which repetitions are forbidden.
    pub ko: KoRule,
    /// What is counted.
    pub scoring: Scoring,
    /// Whether a player may fill the last liberty of two or more own stones, which are then captured.
    pub multi_stone_suicide: bool,
    /// Which surrounded points do not count.
    pub tax: Tax,
    /// What White receives for handicap stones.
    pub handicap_bonus: HandicapBonus,
}
