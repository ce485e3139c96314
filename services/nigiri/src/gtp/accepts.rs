//! What a bot would play, from the command line: `weiqi:9+19:none+fischer:2` is weiqi on 9 and 19 lines, without a clock or by Fischer's, with up to two stones of
//! handicap.

use std::str::FromStr;

use clap::ValueEnum as _;
use goban::Preset;
use nigiri_proto::matchmaking::v1::{BotAccepts, ClockKind};

/// Games of a preset that a bot would play.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepts(pub BotAccepts);

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Clock {
    None,
    PerMove,
    Absolute,
    Fischer,
    Byoyomi,
    Canadian,
}

impl From<Clock> for ClockKind {
    fn from(clock: Clock) -> Self {
        match clock {
            Clock::None => Self::None,
            Clock::PerMove => Self::PerMove,
            Clock::Absolute => Self::Absolute,
            Clock::Fischer => Self::Fischer,
            Clock::Byoyomi => Self::Byoyomi,
            Clock::Canadian => Self::Canadian,
        }
    }
}

impl FromStr for Accepts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<_> = text.split(':').collect();
        let [preset, rest @ ..] = parts.as_slice() else { return Err(usage(text)) };
        if rest.len() > 3 {
            return Err(usage(text));
        }
        let part = |place: usize| rest.get(place).copied().unwrap_or_default();
        let words = |place| part(place).split('+').filter(|word| !word.is_empty());
        let preset = preset.parse::<Preset>().map_err(|error| error.to_string())?;
        let size = |word: &str| word.parse().map_err(|_| format!("{word:?} is no size of a board"));
        let clock = |word: &str| Clock::from_str(word, true).map(|clock| ClockKind::from(clock).into());
        let max_handicap = match part(2) {
            "" => 0,
            stones => stones.parse().map_err(|_| format!("{stones:?} is no number of stones"))?,
        };
        Ok(Self(BotAccepts {
            preset: preset.name().to_owned(),
            board_sizes: words(0).map(size).collect::<Result<_, _>>()?,
            clocks: words(1).map(clock).collect::<Result<_, _>>()?,
            max_handicap,
        }))
    }
}

fn usage(text: &str) -> String {
    format!("{text:?} is not PRESET[:SIZES[:CLOCKS[:HANDICAP]]], such as weiqi:9+19:none+fischer:2")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything but the preset may be left out, and means any board, any clock and no handicap; what cannot be read is named.
    #[test]
    fn what_a_bot_accepts_is_read() {
        let read = |text: &str| text.parse::<Accepts>().map(|accepts| accepts.0);
        let all = BotAccepts { preset: "igo".to_owned(), ..BotAccepts::default() };
        assert_eq!((read("igo"), read("igo::")), (Ok(all.clone()), Ok(all)));
        let clocks = vec![ClockKind::None.into(), ClockKind::PerMove.into()];
        let some =
            BotAccepts { preset: "weiqi".to_owned(), board_sizes: vec![9, 19], clocks, max_handicap: 2 };
        assert_eq!(read("weiqi:9+19:none+per-move:2"), Ok(some));
        for (text, word) in [
            ("chess", "chess"),
            ("igo:nine", "nine"),
            ("igo::sundial", "sundial"),
            ("igo:::x", "x"),
            ("igo::::", "PRESET"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
