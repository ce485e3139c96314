//! A line of input: its JSON, its keys, and what they must be.

use std::{collections::BTreeMap, fmt};

use goban::{Board, Color, Komi, Point, Preset, Rules, Size};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

use super::{dead::Dead, refusal::Refusal, rules};

const KEYS: [&str; 15] = [
    "id",
    "size",
    "preset",
    "rules",
    "komi",
    "handicap",
    "board",
    "to_move",
    "moves",
    "plays",
    "setup_black",
    "setup_white",
    "dead",
    "legal",
    "alive",
];

/// What is asked.
pub struct Request {
    pub size: Size,
    pub rules: Rules,
    pub komi: Komi,
    /// Stones that Black was given.
    pub handicap: u8,
    /// Black's and White's stones before the first move; `None` when nothing was said of them.
    pub stones: Option<[Vec<Point>; 2]>,
    pub to_move: Option<Color>,
    /// Moves in turn, and then moves with their colours: read as they are played.
    pub moves: Vec<Value>,
    pub plays: Vec<Value>,
    pub dead: Dead,
    /// Whether the legal points of the player to move are asked for.
    pub legal: bool,
    /// Whether the pass-alive chains are asked for.
    pub alive: bool,
}

impl Request {
    /// Reads a line. `id` is set as soon as it is known, so that also an answer to a broken line can carry it.
    pub fn read(line: &[u8], id: &mut Value) -> Result<Self, Refusal> {
        let mut json = serde_json::Deserializer::from_slice(line.trim_ascii_end());
        let wrong = |error: serde_json::Error| Refusal::new("bad_json", error.to_string());
        let keys = Keys { id }.deserialize(&mut json).map_err(wrong)?;
        json.end().map_err(wrong)?;
        if let Some(key) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let known = KEYS.join(", ");
            return Err(Refusal::new("unknown_key", format!("there is no key {key:?}: there are {known}")));
        }
        Self::from_keys(keys)
    }

    fn from_keys(mut keys: BTreeMap<String, Value>) -> Result<Self, Refusal> {
        // `null` is as good as nothing.
        keys.retain(|_, value| !value.is_null());
        let size = size(keys.get("size").ok_or_else(|| Refusal::new("missing_key", "\"size\" is missing"))?)?;
        let preset = optional(&keys, "preset", preset)?.unwrap_or(Preset::Weiqi);
        let mut rules = preset.rules();
        if let Some(object) = keys.get("rules") {
            rules::override_with(&mut rules, object)?;
        }
        let mut list = |key| match keys.remove(key) {
            Some(Value::Array(list)) => Ok(list),
            Some(other) => Err(Refusal::value(key, "a list of moves", &other)),
            None => Ok(Vec::new()),
        };
        let (moves, plays) = (list("moves")?, list("plays")?);
        let flag = |key: &str| {
            keys.get(key).map_or(Ok(false), |value| {
                value.as_bool().ok_or_else(|| Refusal::value(key, "true or false", value))
            })
        };
        Ok(Self {
            size,
            rules,
            komi: optional(&keys, "komi", komi)?.unwrap_or_else(|| preset.komi()),
            handicap: optional(&keys, "handicap", handicap)?.unwrap_or(0),
            stones: stones(&keys, size)?,
            to_move: optional(&keys, "to_move", to_move)?,
            moves,
            plays,
            dead: optional(&keys, "dead", |value| dead(value, size))?.unwrap_or(Dead::Estimate),
            legal: flag("legal")?,
            alive: flag("alive")?,
        })
    }
}

/// The keys and values of an object, each key once.
struct Keys<'a> {
    id: &'a mut Value,
}

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = BTreeMap<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = BTreeMap<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut keys = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            let value: Value = map.next_value()?;
            if key == "id" {
                self.id.clone_from(&value);
            }
            if keys.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key {key:?} stands there twice")));
            }
            keys.insert(key, value);
        }
        Ok(keys)
    }
}

fn optional<T>(
    keys: &BTreeMap<String, Value>,
    key: &str,
    read: impl FnOnce(&Value) -> Result<T, Refusal>,
) -> Result<Option<T>, Refusal> {
    keys.get(key).map(read).transpose()
}

fn size(value: &Value) -> Result<Size, Refusal> {
    let wrong = || Refusal::value("size", "a number from 1 to 25, or [columns, rows]", value);
    let side = |value: &Value| value.as_u64().and_then(|n| u8::try_from(n).ok()).ok_or_else(wrong);
    let (columns, rows) = match value {
        Value::Array(sides) => match &sides[..] {
            [columns, rows] => (side(columns)?, side(rows)?),
            _ => return Err(wrong()),
        },
        one => (side(one)?, side(one)?),
    };
    Size::new(columns, rows).map_err(|_| wrong())
}

fn preset(value: &Value) -> Result<Preset, Refusal> {
    let name = value.as_str().ok_or_else(|| Refusal::value("preset", "the name of a ruleset", value))?;
    name.parse().map_err(|error: goban::PresetError| Refusal::new("bad_value", error.to_string()))
}

fn komi(value: &Value) -> Result<Komi, Refusal> {
    let wrong = || Refusal::value("komi", "a whole or half number from -150 to 150", value);
    let halves = 2.0 * value.as_f64().ok_or_else(wrong)?;
    if halves.fract() != 0.0 || halves.abs() > f64::from(Komi::MAX_HALF_POINTS) {
        return Err(wrong());
    }
    #[expect(clippy::cast_possible_truncation, reason = "a whole number, at most MAX_HALF_POINTS either way")]
    Komi::from_half_points(halves as i16).map_err(|_| wrong())
}

fn handicap(value: &Value) -> Result<u8, Refusal> {
    let number = value.as_u64().and_then(|n| u8::try_from(n).ok());
    number.ok_or_else(|| Refusal::value("handicap", "a number of stones from 0 to 255", value))
}

fn to_move(value: &Value) -> Result<Color, Refusal> {
    let color = value.as_str().and_then(color);
    color.ok_or_else(|| Refusal::value("to_move", "\"black\" or \"white\"", value))
}

/// A colour by its name or first letter.
pub fn color(text: &str) -> Option<Color> {
    let is = |names: [&str; 2]| names.iter().any(|name| text.eq_ignore_ascii_case(name));
    if is(["b", "black"]) { Some(Color::Black) } else { is(["w", "white"]).then_some(Color::White) }
}

fn points(key: &str, value: &Value, size: Size) -> Result<Vec<Point>, Refusal> {
    let wrong = |value: &Value| Refusal::value(key, "a list of points such as [\"D4\"]", value);
    let point = |value: &Value| {
        let text = value.as_str().ok_or_else(|| wrong(value))?;
        size.parse_point(text).map_err(Refusal::from)
    };
    value.as_array().ok_or_else(|| wrong(value))?.iter().map(point).collect()
}

fn dead(value: &Value, size: Size) -> Result<Dead, Refusal> {
    match value {
        Value::Array(_) => return points("dead", value, size).map(Dead::Given),
        Value::String(name) => name.parse().ok(),
        _ => None,
    }
    .ok_or_else(|| Refusal::value("dead", "\"clear\", \"estimate\", \"none\" or a list of points", value))
}

/// Black's and White's stones on the board before the first move.
fn stones(keys: &BTreeMap<String, Value>, size: Size) -> Result<Option<[Vec<Point>; 2]>, Refusal> {
    let board = optional(keys, "board", |value| board(value, size))?;
    let mut stones = board.clone().unwrap_or_default();
    let mut set_up = false;
    for (stones, key) in stones.iter_mut().zip(["setup_black", "setup_white"]) {
        let points = optional(keys, key, |value| points(key, value, size))?.unwrap_or_default();
        set_up |= !points.is_empty();
        stones.extend(points);
    }
    Ok((set_up || board.is_some()).then_some(stones))
}

fn board(value: &Value, size: Size) -> Result<[Vec<Point>; 2], Refusal> {
    let wrong = || Refusal::value("board", "a list of rows such as [\".X.\", ...], the top one first", value);
    let rows: Option<Vec<&str>> = value.as_array().ok_or_else(wrong)?.iter().map(Value::as_str).collect();
    let board = Board::parse(&rows.ok_or_else(wrong)?.join("\n"))?;
    if board.size() != size {
        let drawn = board.size();
        return Err(Refusal::new("bad_value", format!("\"board\" is {drawn}, but \"size\" is {size}")));
    }
    Ok(Color::BOTH.map(|color| board.stones(color).collect()))
}
