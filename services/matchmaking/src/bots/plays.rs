//! What bots say that they would play, and whether a game is among that.

use std::{collections::BTreeSet, time::Duration};

use goban::Preset;
use nigiri_proto::{
    game::v1::{Absolute, Canadian, GameSettings, NoClock, time_control::Control},
    matchmaking::v1::{AiLevel, BotAccepts, ClockKind, OfferBotRequest, Pace},
};
use platform::{convert::to_proto_duration, status::Violation};

use crate::{error::Error, kinds, request};

/// The longest list of games that makes sense, and the highest limit of games at once.
const LONGEST_LIST: usize = 16;
const MOST_GAMES: u32 = 100;

/// Lines of boards, and stones of handicaps, that there are.
const SIDES: std::ops::RangeInclusive<u32> = 5..=19;
const MOST_STONES: u32 = 9;

/// What a bot says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// How strong it plays; any when it leaves without saying.
    pub level: AiLevel,
    /// All that it would play; empty for anything.
    pub accepts: Vec<BotAccepts>,
    /// How many games at once; 0 for any number.
    pub max_games: u32,
    /// Whether it is not ready any more.
    pub leaving: bool,
}

impl Said {
    /// What the request says.
    ///
    /// # Errors
    /// [`Error::Invalid`], with everything that is wrong.
    pub fn read(request: OfferBotRequest) -> Result<Self, Error> {
        let OfferBotRequest { level, accepts, max_games, leaving } = request;
        if leaving {
            return Ok(Self { level: AiLevel::Normal, accepts: Vec::new(), max_games: 0, leaving });
        }
        let mut violations = Vec::new();
        let level = request::level(level, &mut violations);
        if accepts.len() > LONGEST_LIST {
            violations.push(Violation::new("accepts", format!("at most {LONGEST_LIST} kinds of games")));
        }
        for (place, one) in accepts.iter().take(LONGEST_LIST).enumerate() {
            let found = wrong(one).into_iter();
            violations.extend(
                found.map(|(field, words)| Violation::new(format!("accepts[{place}].{field}"), words)),
            );
        }
        if max_games > MOST_GAMES {
            let words = format!("{max_games} is out of range: 1 to {MOST_GAMES}, or 0 for any number");
            violations.push(Violation::new("max_games", words));
        }
        if violations.is_empty() {
            Ok(Self { level, accepts, max_games, leaving })
        } else {
            Err(Error::Invalid(violations))
        }
    }
}

fn wrong(one: &BotAccepts) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    if let Err(error) = one.preset.parse::<Preset>() {
        found.push(("preset", error.to_string()));
    }
    if let Some(side) = one.board_sizes.iter().find(|side| !SIDES.contains(*side)) {
        found.push(("board_sizes", format!("{side} is no board: 5 to 19 lines a side")));
    }
    let is_clock =
        |clock: &i32| ClockKind::try_from(*clock).is_ok_and(|clock| clock != ClockKind::Unspecified);
    if let Some(clock) = one.clocks.iter().find(|clock| !is_clock(clock)) {
        found.push(("clocks", format!("there is no clock number {clock}")));
    }
    if one.max_handicap > MOST_STONES {
        found.push(("max_handicap", format!("{} is out of range: 0 to {MOST_STONES}", one.max_handicap)));
    }
    found
}

/// What is wrong with a game for a bot that would play these: nothing, if it would play it. Of several kinds of games of its preset, the nearest speaks.
pub fn declines(accepts: &[BotAccepts], settings: &GameSettings) -> Vec<Violation> {
    if accepts.is_empty() {
        return Vec::new();
    }
    let of_preset = accepts.iter().filter(|one| one.preset == settings.preset);
    let nearest = of_preset.map(|one| misses(one, settings)).min_by_key(Vec::len);
    nearest.unwrap_or_else(|| {
        let presets: BTreeSet<_> = accepts.iter().map(|one| one.preset.as_str()).collect();
        let presets: Vec<_> = presets.into_iter().collect();
        vec![Violation::new("settings.preset", format!("it plays {}", presets.join(", ")))]
    })
}

fn misses(one: &BotAccepts, settings: &GameSettings) -> Vec<Violation> {
    let mut found = Vec::new();
    if !one.board_sizes.is_empty() && !one.board_sizes.contains(&settings.board_size) {
        let sides: Vec<_> = one.board_sizes.iter().map(u32::to_string).collect();
        let words = format!("it plays {} on boards of {} lines", one.preset, sides.join(", "));
        found.push(Violation::new("settings.board_size", words));
    }
    // A game without a word about its clock is none, as the game service will say.
    if let Some(clock) = clock_of(settings)
        && !one.clocks.is_empty()
        && !one.clocks.contains(&clock.into())
    {
        let clocks: Vec<_> = one.clocks().map(name_of).collect();
        let words = format!("it plays {} by these clocks: {}", one.preset, clocks.join(", "));
        found.push(Violation::new("settings.time_control", words));
    }
    let stones = settings.options.as_ref().map_or(0, |options| options.handicap);
    if stones > one.max_handicap {
        let words = match one.max_handicap {
            0 => format!("it plays {} without a handicap", one.preset),
            most => format!("it plays {} with at most {most} stones of handicap", one.preset),
        };
        found.push(Violation::new("settings.options.handicap", words));
    }
    found
}

fn clock_of(settings: &GameSettings) -> Option<ClockKind> {
    Some(match settings.time_control.as_ref()?.control.as_ref()? {
        Control::None(_) => ClockKind::None,
        Control::PerMove(_) => ClockKind::PerMove,
        Control::Absolute(_) => ClockKind::Absolute,
        Control::Fischer(_) => ClockKind::Fischer,
        Control::Byoyomi(_) => ClockKind::Byoyomi,
        Control::Canadian(_) => ClockKind::Canadian,
    })
}

/// What a clock is called to people.
const fn name_of(clock: ClockKind) -> &'static str {
    match clock {
        ClockKind::Unspecified | ClockKind::None => "none",
        ClockKind::PerMove => "per move",
        ClockKind::Absolute => "absolute",
        ClockKind::Fischer => "Fischer",
        ClockKind::Byoyomi => "byo-yomi",
        ClockKind::Canadian => "Canadian",
    }
}

/// The usual game of a bot: the first that it would play, without a clock where that may be; `quick` when it would play anything.
pub fn usual(accepts: &[BotAccepts]) -> GameSettings {
    let Some((first, preset)) =
        accepts.first().and_then(|one| Some((one, one.preset.parse::<Preset>().ok()?)))
    else {
        return kinds::without_clock(Preset::Quick);
    };
    let usual_side = preset.sides().first().copied().unwrap_or(9);
    let sides = &first.board_sizes;
    let side = match sides.first() {
        Some(_) if sides.contains(&usual_side.into()) => usual_side,
        Some(first) => u8::try_from(*first).unwrap_or(usual_side),
        None => usual_side,
    };
    let clock = first.clocks().next().unwrap_or(ClockKind::None);
    kinds::settings(preset, side, control(clock), false)
}

/// The usual clock of a kind.
fn control(clock: ClockKind) -> Control {
    let minutes = |minutes: u64| Some(to_proto_duration(Duration::from_secs(60 * minutes)));
    match clock {
        ClockKind::Unspecified | ClockKind::None => Control::None(NoClock {}),
        ClockKind::PerMove => kinds::control(Pace::PerMove),
        ClockKind::Fischer => kinds::control(Pace::Fischer),
        ClockKind::Byoyomi => kinds::control(Pace::Byoyomi),
        ClockKind::Absolute => Control::Absolute(Absolute { time: minutes(15) }),
        ClockKind::Canadian => {
            Control::Canadian(Canadian { time: minutes(10), period: minutes(5), stones: 25 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(preset: &str, sides: &[u32], clocks: &[ClockKind], max_handicap: u32) -> BotAccepts {
        let clocks = clocks.iter().map(|clock| (*clock).into()).collect();
        BotAccepts { preset: preset.to_owned(), board_sizes: sides.to_vec(), clocks, max_handicap }
    }

    /// What a bot would play begins with its usual game; each thing that it would not is named by its field with what it would, by the kind that is nearest.
    #[test]
    fn what_a_bot_declines_says_what_it_would_play() {
        let bot = [
            accepts("igo", &[19, 9], &[ClockKind::Byoyomi], 9),
            accepts("weiqi", &[], &[ClockKind::None, ClockKind::Fischer], 0),
            accepts("weiqi", &[9], &[ClockKind::Canadian], 0),
        ];
        let own = usual(&bot);
        assert_eq!(
            (own.preset.as_str(), own.board_size, clock_of(&own)),
            ("igo", 19, Some(ClockKind::Byoyomi))
        );
        assert_eq!(declines(&bot, &own), []);
        let said = |settings: &GameSettings| {
            let found = declines(&bot, settings).into_iter();
            found
                .map(|violation| format!("{}: {}", violation.field, violation.description))
                .collect::<Vec<_>>()
        };
        let large = GameSettings { board_size: 13, ..own };
        assert_eq!(said(&large), ["settings.board_size: it plays igo on boards of 19, 9 lines"]);
        let mut handicap = kinds::settings(Preset::Weiqi, 19, control(ClockKind::Canadian), false);
        handicap.options = Some(nigiri_proto::game::v1::GameOptions { handicap: 2, ..Default::default() });
        assert_eq!(
            said(&handicap),
            [
                "settings.time_control: it plays weiqi by these clocks: none, Fischer",
                "settings.options.handicap: it plays weiqi without a handicap"
            ]
        );
        assert_eq!(said(&kinds::without_clock(Preset::Quick)), ["settings.preset: it plays igo, weiqi"]);
        assert_eq!(declines(&[], &handicap), []);
        assert_eq!(usual(&[]), kinds::without_clock(Preset::Quick));
        for clock in [ClockKind::Absolute, ClockKind::Canadian, ClockKind::PerMove, ClockKind::None] {
            let bot = [accepts("aga", &[13], &[clock], 0)];
            assert_eq!((usual(&bot).board_size, declines(&bot, &usual(&bot))), (13, vec![]));
        }
    }
}
