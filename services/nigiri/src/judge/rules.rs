//! The rules of a request: a preset's, with KataGo's keys and values over them.

use goban::{HandicapBonus, KoRule, Rules, Scoring, Tax};
use serde_json::Value;

use super::refusal::Refusal;

/// Changes those rules that the object names.
pub fn override_with(rules: &mut Rules, object: &Value) -> Result<(), Refusal> {
    let Value::Object(keys) = object else {
        return Err(Refusal::value("rules", "an object such as {\"ko\": \"SIMPLE\"}", object));
    };
    for (key, value) in keys {
        set(rules, key, value)?;
    }
    Ok(())
}

fn set(rules: &mut Rules, key: &str, value: &Value) -> Result<(), Refusal> {
    let text = value.as_str().unwrap_or_default();
    let expected = |expected: &str| Refusal::value(key, expected, value);
    match key {
        "ko" => {
            rules.ko =
                named(&KoRule::NAMES, text).ok_or_else(|| expected("SIMPLE, POSITIONAL or SITUATIONAL"))?
        }
        "scoring" => {
            rules.scoring = named(&Scoring::NAMES, text).ok_or_else(|| expected("AREA or TERRITORY"))?
        }
        "tax" => rules.tax = named(&Tax::NAMES, text).ok_or_else(|| expected("NONE, SEKI or ALL"))?,
        "suicide" => rules.multi_stone_suicide = value.as_bool().ok_or_else(|| expected("true or false"))?,
        "whiteHandicapBonus" => {
            let number = (value.as_u64() == Some(0)).then_some(HandicapBonus::None);
            let bonus = named(&HandicapBonus::NAMES, text).or(number);
            rules.handicap_bonus = bonus.ok_or_else(|| expected("0, N-1 or N"))?;
        }
        // KataGo writes these too. The first would change a score; the second is about how its engine passes.
        "hasButton" if value == &Value::Bool(false) => {}
        "hasButton" => return Err(expected("false: the button is not among our rules")),
        "friendlyPassOk" if value.is_boolean() => {}
        _ => {
            return Err(Refusal::new(
                "unknown_key",
                format!("{key:?} is no rule: there are ko, scoring, tax, suicide and whiteHandicapBonus"),
            ));
        }
    }
    Ok(())
}

fn named<T: Copy>(names: &[(&str, T)], text: &str) -> Option<T> {
    names.iter().find(|(name, _)| *name == text).map(|&(_, value)| value)
}
