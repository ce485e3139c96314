//! Named sets of rules. The first four are what games are created with; the others are the rulesets that
//! players of other servers and engines know by name. All of them are data.

use std::fmt;
use std::str::FromStr;

use crate::komi::Komi;
use crate::point::shorten;
use crate::rules::{HandicapBonus, KoRule, Rules, Scoring, Tax};
use crate::size::Size;

/// A named set of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Preset {
    /// 9x9 with area scoring and komi 7, counted by the server at once; a tie is a draw.
    Quick,
    /// 9x9 with territory scoring, counted by the server at once.
    Territory,
    /// Area scoring with agreement about dead stones.
    Weiqi,
    /// Territory scoring with agreement about dead stones, and handicaps.
    Igo,
    /// Chinese rules as they are played: simple ko.
    Chinese,
    /// Chinese rules as they are written: positional superko.
    ChineseSuperko,
    /// Japanese rules.
    Japanese,
    /// Korean rules.
    Korean,
    /// Rules of the American Go Association.
    Aga,
    /// New Zealand rules.
    NewZealand,
    /// Tromp-Taylor rules, here without suicide of a single stone.
    TrompTaylor,
}

/// A name that no preset has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are no rules called {0:?}: there are {names}", names = all_names())]
pub struct PresetError(pub String);

fn all_names() -> String {
    Preset::ALL.map(Preset::name).join(", ")
}

const fn rules(ko: KoRule, scoring: Scoring, suicide: bool, tax: Tax, bonus: HandicapBonus) -> Rules {
    Rules { ko, scoring, multi_stone_suicide: suicide, tax, handicap_bonus: bonus }
}

impl Preset {
    /// All of them, the four that games are created with first.
    pub const ALL: [Self; 11] = [
        Self::Quick,
        Self::Territory,
        Self::Weiqi,
        Self::Igo,
        Self::Chinese,
        Self::ChineseSuperko,
        Self::Japanese,
        Self::Korean,
        Self::Aga,
        Self::NewZealand,
        Self::TrompTaylor,
    ];

    /// The four that the product offers by name.
    pub const OFFERED: [Self; 4] = [Self::Quick, Self::Territory, Self::Weiqi, Self::Igo];

    /// The name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Territory => "territory",
            Self::Weiqi => "weiqi",
            Self::Igo => "igo",
            Self::Chinese => "chinese",
            Self::ChineseSuperko => "chinese-superko",
            Self::Japanese => "japanese",
            Self::Korean => "korean",
            Self::Aga => "aga",
            Self::NewZealand => "new-zealand",
            Self::TrompTaylor => "tromp-taylor",
        }
    }

    /// The rules.
    #[must_use]
    pub const fn rules(self) -> Rules {
        use HandicapBonus::{N, NMinusOne};
        use KoRule::{Positional, Simple, Situational};
        use Scoring::{Area, Territory};
        match self {
            Self::Quick | Self::Weiqi => rules(Positional, Area, false, Tax::None, HandicapBonus::None),
            Self::Territory | Self::Igo => rules(Simple, Territory, false, Tax::None, HandicapBonus::None),
            Self::Chinese => rules(Simple, Area, false, Tax::None, N),
            Self::ChineseSuperko => rules(Positional, Area, false, Tax::None, N),
            Self::Japanese | Self::Korean => rules(Simple, Territory, false, Tax::Seki, HandicapBonus::None),
            Self::Aga => rules(Situational, Area, false, Tax::None, NMinusOne),
            Self::NewZealand => rules(Situational, Area, true, Tax::None, HandicapBonus::None),
            Self::TrompTaylor => rules(Positional, Area, true, Tax::None, HandicapBonus::None),
        }
    }

    /// The komi of an even game.
    #[must_use]
    pub const fn komi(self) -> Komi {
        match self {
            Self::Quick | Self::NewZealand => Komi::halves(14),
            Self::Territory | Self::Igo | Self::Japanese | Self::Korean => Komi::halves(13),
            Self::Weiqi | Self::Chinese | Self::ChineseSuperko | Self::Aga | Self::TrompTaylor => {
                Komi::halves(15)
            }
        }
    }

    /// Sides of the square boards that it is played on, the usual one first.
    #[must_use]
    pub const fn sides(self) -> &'static [u8] {
        match self {
            Self::Quick | Self::Territory => &[9],
            Self::Weiqi => &[9, 13, 19],
            _ => &[19, 9, 13],
        }
    }

    /// Whether it is played on boards of that size.
    #[must_use]
    pub fn allows(self, size: Size) -> bool {
        size.columns() == size.rows() && self.sides().contains(&size.rows())
    }

    /// The number of moves, passes included, after which a game is counted as after two passes. Boards
    /// of other sizes have the limit of the next larger of 9x9, 13x13 and 19x19.
    #[must_use]
    pub const fn move_limit(self, size: Size) -> u32 {
        match (self, if size.rows() > size.columns() { size.rows() } else { size.columns() }) {
            (Self::Quick | Self::Territory, _) | (_, ..=9) => 300,
            (_, ..=13) => 600,
            _ => 1_200,
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = PresetError;

    fn from_str(text: &str) -> Result<Self, PresetError> {
        Self::ALL.into_iter().find(|preset| preset.name() == text).ok_or_else(|| PresetError(shorten(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every preset is found by its name, and an unknown name is answered with the list.
    #[test]
    fn a_preset_is_found_by_its_name() {
        for preset in Preset::ALL {
            assert_eq!(preset.to_string().parse(), Ok(preset));
        }
        let error = "ing".parse::<Preset>().unwrap_err().to_string();
        assert!(error.contains("\"ing\"") && error.contains("tromp-taylor"), "{error}");
    }

    /// The four offered presets are those of the product's description.
    #[test]
    fn the_four_presets_are_as_described() {
        let facts = |p: Preset| (p.komi().to_string(), p.sides(), p.move_limit(Size::NINE));
        assert_eq!(facts(Preset::Quick), ("7".into(), &[9][..], 300));
        assert_eq!(facts(Preset::Territory), ("6.5".into(), &[9][..], 300));
        assert_eq!(facts(Preset::Weiqi), ("7.5".into(), &[9, 13, 19][..], 300));
        assert_eq!(facts(Preset::Igo), ("6.5".into(), &[19, 9, 13][..], 300));
        assert_eq!(Preset::Weiqi.move_limit(Size::THIRTEEN), 600);
        assert_eq!(Preset::Igo.move_limit(Size::NINETEEN), 1_200);
        assert!(!Preset::Quick.allows(Size::NINETEEN) && Preset::Igo.allows(Size::THIRTEEN));
    }
}
