//! What is played, from the command line.

use std::time::Duration;

use anyhow::ensure;
use goban::{Komi, Preset, Size};
use nigiri_proto::{
    game::v1::{GameOptions, GameSettings, NoClock, PerMove, TimeControl, time_control::Control},
    matchmaking::v1::{MatchSettings, Pace},
};
use platform::convert::to_proto_duration;

/// What one meets a stranger for.
#[derive(clap::Args, Clone, Debug)]
pub struct Accepted {
    /// The rules: quick, territory, weiqi or igo; several with commas between.
    #[arg(long, default_value = "quick", value_delimiter = ',')]
    preset: Vec<Preset>,

    /// Lines of the board: 9, 13 or 19; several with commas between. Default: the preset's usual board.
    #[arg(long, value_delimiter = ',')]
    size: Vec<u32>,

    /// The clock; several with commas between. Default: the preset's usual clock.
    #[arg(long, value_delimiter = ',')]
    clock: Vec<Clock>,
}

impl Default for Accepted {
    fn default() -> Self {
        Self { preset: vec![Preset::Quick], size: Vec::new(), clock: Vec::new() }
    }
}

impl Accepted {
    /// The same on the wire: the server says what is not to be had.
    pub fn accepts(&self) -> Vec<MatchSettings> {
        let paces: Vec<i32> = self.clock.iter().map(|clock| Pace::from(*clock).into()).collect();
        let accepted = self.preset.iter().map(|preset| MatchSettings {
            preset: preset.name().to_owned(),
            board_sizes: self.size.clone(),
            paces: paces.clone(),
        });
        accepted.collect()
    }
}

/// The clocks that strangers meet by.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Clock {
    /// 30 s for each move.
    PerMove,
    /// 5 minutes, and 10 s more with each move.
    Fischer,
    /// 10 minutes, then 5 periods of 30 s.
    Byoyomi,
}

impl From<Clock> for Pace {
    fn from(clock: Clock) -> Self {
        match clock {
            Clock::PerMove => Self::PerMove,
            Clock::Fischer => Self::Fischer,
            Clock::Byoyomi => Self::Byoyomi,
        }
    }
}

/// What is played.
#[derive(clap::Args, Clone, Debug)]
pub struct Wanted {
    /// The rules: quick, territory, weiqi, igo, or those that other servers name, such as aga. Default: quick; against a bot by name, its usual game.
    #[arg(long)]
    preset: Option<Preset>,

    /// Lines of the board, 5 to 19. Default: the preset's usual board.
    #[arg(long)]
    size: Option<u8>,

    /// Points for White. Default: the preset's, or 0.5 with a handicap.
    #[arg(long, allow_negative_numbers = true)]
    komi: Option<Komi>,

    /// Stones that Black has before White's first move: 0, or 2 to 9.
    #[arg(long, default_value_t = 0)]
    handicap: u8,

    /// Black chooses where the handicap stones stand.
    #[arg(long)]
    free_placement: bool,

    /// Seconds for each move. Default: no clock.
    #[arg(long)]
    seconds: Option<u32>,
}

impl Wanted {
    /// The settings of an unrated game; none when nothing was said of them.
    ///
    /// # Errors
    /// When there is no such board.
    pub fn given(&self) -> anyhow::Result<Option<GameSettings>> {
        let Self { preset, size, komi, handicap, free_placement, seconds } = self;
        let is_silent = preset.is_none() && size.is_none() && komi.is_none() && seconds.is_none();
        if is_silent && *handicap == 0 && !free_placement { Ok(None) } else { self.settings().map(Some) }
    }

    /// The settings of an unrated game.
    ///
    /// # Errors
    /// When there is no such board.
    pub fn settings(&self) -> anyhow::Result<GameSettings> {
        let preset = self.preset.unwrap_or(Preset::Quick);
        let usual = preset.sides().first().copied().unwrap_or(9);
        let side = self.size.unwrap_or(usual);
        ensure!((5..=19).contains(&side), "a board has 5 to 19 lines");
        let handicap_komi = Komi::from_half_points(1)?;
        let komi = match (self.komi, self.handicap) {
            (Some(komi), _) => komi,
            (None, 0) => preset.komi(),
            (None, _) => handicap_komi,
        };
        let control = match self.seconds {
            Some(seconds) => Control::PerMove(PerMove {
                time: Some(to_proto_duration(Duration::from_secs(seconds.into()))),
            }),
            None => Control::None(NoClock {}),
        };
        let options = GameOptions {
            handicap: self.handicap.into(),
            free_placement: self.free_placement,
            ..GameOptions::default()
        };
        Ok(GameSettings {
            komi: f64::from(komi.half_points()) / 2.0,
            time_control: Some(TimeControl { control: Some(control) }),
            options: Some(options),
            ..unrated(preset, side)?
        })
    }
}

/// An unrated game without a clock, as the preset has it.
///
/// # Errors
/// When there is no such board.
pub fn unrated(preset: Preset, side: u8) -> anyhow::Result<GameSettings> {
    Ok(GameSettings {
        preset: preset.name().to_owned(),
        board_size: side.into(),
        komi: f64::from(preset.komi().half_points()) / 2.0,
        time_control: Some(TimeControl { control: Some(Control::None(NoClock {})) }),
        rated: false,
        move_limit: preset.move_limit(Size::square(side)?),
        options: Some(GameOptions::default()),
        watch_key: String::new(),
    })
}
