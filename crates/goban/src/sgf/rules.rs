//! Names of rules in `RU`.

use crate::{HandicapBonus, KoRule, Preset, Rules, Scoring, Tax};

/// The preset that a file means by a name, in any case and spelling that is about.
#[must_use]
pub fn preset_from_name(name: &str) -> Option<Preset> {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    Some(match &plain[..] {
        "chinese" | "cn" | "china" => Preset::Chinese,
        "chinesesuperko" | "chineseogs" | "chinesekgs" => Preset::ChineseSuperko,
        "japanese" | "japan" | "jp" | "jpn" | "nihonkiin" => Preset::Japanese,
        "korean" | "korea" | "kr" | "kor" => Preset::Korean,
        // The British and the French rules are the American ones in all that is asked here.
        "aga" | "american" | "bga" | "british" | "french" | "ffg" => Preset::Aga,
        "nz" | "newzealand" => Preset::NewZealand,
        "tromptaylor" | "tt" => Preset::TrompTaylor,
        _ => return Preset::ALL.into_iter().find(|preset| preset.name() == plain),
    })
}

/// The name that FF[4] has for a preset's rules, or our own.
#[must_use]
pub const fn preset_to_name(preset: Preset) -> &'static str {
    match preset {
        Preset::Chinese => "Chinese",
        Preset::Japanese => "Japanese",
        Preset::Korean => "Korean",
        Preset::Aga => "AGA",
        Preset::NewZealand => "NZ",
        other => other.name(),
    }
}

/// The rules that a file names: those of a preset, or spelled out as `KataGo` does it: see [`rules_to_name`].
#[must_use]
pub fn rules_from_name(name: &str) -> Option<Rules> {
    preset_from_name(name).map(Preset::rules).or_else(|| spelled_out(name.trim()))
}

fn spelled_out(text: &str) -> Option<Rules> {
    /// The value whose name the text goes on with, and what follows.
    fn take<'a, T: Copy>(text: &'a str, key: &str, values: &[(&str, T)]) -> Option<(T, &'a str)> {
        let rest = text.strip_prefix(key)?;
        values.iter().find_map(|&(name, value)| Some((value, rest.strip_prefix(name)?)))
    }
    let (ko, rest) = take(text, "ko", &KoRule::NAMES)?;
    let (scoring, rest) = take(rest, "score", &Scoring::NAMES)?;
    let (tax, rest) = take(rest, "tax", &Tax::NAMES)?;
    let (multi_stone_suicide, rest) = take(rest, "sui", &[("1", true), ("0", false)])?;
    // Left out by `KataGo` when there is none; the button is not among our rules.
    let rest = rest.strip_prefix("button0").unwrap_or(rest);
    let (handicap_bonus, rest) =
        take(rest, "whb", &HandicapBonus::NAMES).unwrap_or((HandicapBonus::None, rest));
    let rest = rest.strip_prefix("fpok").map_or(rest, |rest| rest.get(1..).unwrap_or_default());
    let known = rest.is_empty() || rest.starts_with("komi");
    known.then_some(Rules { ko, scoring, multi_stone_suicide, tax, handicap_bonus })
}

/// Any rules, spelled out as `KataGo` does it: `koPOSITIONALscoreAREAtaxNONEsui0whbN`.
#[must_use]
pub fn rules_to_name(rules: Rules) -> String {
    fn name<T: PartialEq>(values: &[(&'static str, T)], value: &T) -> &'static str {
        values.iter().find(|(_, v)| v == value).map_or("", |&(name, _)| name)
    }
    let suicide = u8::from(rules.multi_stone_suicide);
    let (ko, scoring) = (name(&KoRule::NAMES, &rules.ko), name(&Scoring::NAMES, &rules.scoring));
    let (tax, bonus) = (name(&Tax::NAMES, &rules.tax), name(&HandicapBonus::NAMES, &rules.handicap_bonus));
    format!("ko{ko}score{scoring}tax{tax}sui{suicide}whb{bonus}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every preset and every combination of rules is read from the name that it is written with.
    #[test]
    fn rules_read_back_from_their_names() {
        for preset in Preset::ALL {
            let read = preset_from_name(preset_to_name(preset));
            assert_eq!(read, Some(preset));
            assert_eq!(preset_from_name(&preset.name().to_uppercase()), Some(preset));
        }
        for (_, ko) in KoRule::NAMES {
            for (_, scoring) in Scoring::NAMES {
                for (_, tax) in Tax::NAMES {
                    for (_, handicap_bonus) in HandicapBonus::NAMES {
                        for multi_stone_suicide in [false, true] {
                            let rules = Rules { ko, scoring, multi_stone_suicide, tax, handicap_bonus };
                            assert_eq!(rules_from_name(&rules_to_name(rules)), Some(rules));
                        }
                    }
                }
            }
        }
        let spelled = "koSIMPLEscoreTERRITORYtaxSEKIsui0komi6.5";
        assert_eq!(rules_from_name(spelled), Some(Preset::Japanese.rules()));
        for unknown in ["GOE", "", "koSIMPLE", "koSIMPLEscoreAREAtaxNONEsui0button1"] {
            assert_eq!(rules_from_name(unknown), None, "{unknown}");
        }
    }
}
