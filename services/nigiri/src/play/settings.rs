//! What is played, from the command line.

use anyhow::ensure;
use goban::{Komi, Preset, Size};
use nigiri_proto::game::v1::{GameOptions, GameSettings, NoClock, TimeControl, time_control::Control};

/// What is played.
#[derive(clap::Args, Clone, Debug)]
pub struct Wanted {
    /// The rules: quick, territory, weiqi, igo, or those that other servers name, such as aga.
    #[arg(long, default_value = "quick")]
    preset: Preset,

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
}

impl Wanted {
    /// The settings of an unrated game without a clock.
    ///
    /// # Errors
    /// When there is no such board.
    pub fn settings(&self) -> anyhow::Result<GameSettings> {
        let usual = self.preset.sides().first().copied().unwrap_or(9);
        let side = self.size.unwrap_or(usual);
        ensure!((5..=19).contains(&side), "a board has 5 to 19 lines");
        let handicap_komi = Komi::from_half_points(1)?;
        let komi = match (self.komi, self.handicap) {
            (Some(komi), _) => komi,
            (None, 0) => self.preset.komi(),
            (None, _) => handicap_komi,
        };
        Ok(GameSettings {
            preset: self.preset.name().to_owned(),
            board_size: side.into(),
            komi: f64::from(komi.half_points()) / 2.0,
            time_control: Some(TimeControl { control: Some(Control::None(NoClock {})) }),
            rated: false,
            move_limit: self.preset.move_limit(Size::square(side)?),
            options: Some(GameOptions {
                handicap: self.handicap.into(),
                free_placement: self.free_placement,
                ..GameOptions::default()
            }),
            watch_key: String::new(),
        })
    }
}
