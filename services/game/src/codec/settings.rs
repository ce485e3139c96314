use std::time::Duration;

use goban::{Color, Komi, Preset, Size};
use nigiri_proto::game::v1 as pb;
use platform::{
    convert::{from_proto_duration, to_proto_duration},
    status::Violation,
};
use referee::{Control, Seat, Seats, Settings};

/// Settings on the wire.
pub fn settings_to_proto(settings: &Settings) -> pb::GameSettings {
    let control = match settings.control {
        Control::None => pb::time_control::Control::None(pb::NoClock {}),
        Control::PerMove { time } => {
            pb::time_control::Control::PerMove(pb::PerMove { time: Some(to_proto_duration(time)) })
        }
    };
    pb::GameSettings {
        preset: settings.preset.name().to_owned(),
        board_size: settings.size.columns().into(),
        komi: f64::from(settings.komi.half_points()) / 2.0,
        time_control: Some(pb::TimeControl { control: Some(control) }),
        rated: settings.rated,
        move_limit: settings.move_limit.unwrap_or(0),
    }
}

/// Settings from the wire. What they say together is checked by the referee.
///
/// # Errors
/// Every field that is malformed.
pub fn settings_from_proto(settings: Option<&pb::GameSettings>) -> Result<Settings, Vec<Violation>> {
    let Some(settings) = settings else {
        return Err(vec![Violation::new("settings", "missing: say what is played")]);
    };
    let mut violations = Vec::new();
    let mut note =
        |field: &str, problem: String| violations.push(Violation::new(format!("settings.{field}"), problem));
    let preset = settings.preset.parse::<Preset>().map_err(|error| note("preset", error.to_string())).ok();
    let size = u8::try_from(settings.board_size).ok().and_then(|side| Size::square(side).ok());
    if size.is_none() {
        note("board_size", format!("{} is no board: 5 to 19 lines a side", settings.board_size));
    }
    let komi = komi(settings.komi);
    if komi.is_none() {
        note("komi", format!("{} is no komi: a multiple of 0.5 from -150 to 150", settings.komi));
    }
    let control = control(settings.time_control.as_ref());
    if control.is_none() {
        note("time_control", "missing: one of none, per_move { time }".to_owned());
    }
    match (preset, size, komi, control) {
        (Some(preset), Some(size), Some(komi), Some(control)) => Ok(Settings {
            preset,
            size,
            rules: preset.rules(),
            komi,
            control,
            rated: settings.rated,
            move_limit: (settings.move_limit > 0).then_some(settings.move_limit),
        }),
        _ => Err(violations),
    }
}

fn komi(points: f64) -> Option<Komi> {
    let halves = points * 2.0;
    if halves.fract() != 0.0 || halves.abs() > 300.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked above: whole, and within 300")]
    Komi::from_half_points(halves as i16).ok()
}

fn control(control: Option<&pb::TimeControl>) -> Option<Control> {
    match control?.control.as_ref()? {
        pb::time_control::Control::None(_) => Some(Control::None),
        pb::time_control::Control::PerMove(per_move) => {
            let time = from_proto_duration(per_move.time?);
            // Whole milliseconds: the store's clock has no others.
            let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            Some(Control::PerMove { time: Duration::from_millis(millis) })
        }
    }
}

/// Both seats on the wire, Black first.
pub fn seats_to_proto(seats: &Seats) -> Vec<pb::Seat> {
    [Color::Black, Color::White].map(|color| seat_to_proto(color, seats.get(color))).into()
}

/// One seat on the wire.
pub fn seat_to_proto(color: Color, seat: &Seat) -> pb::Seat {
    pb::Seat {
        color: super::color_to_proto(Some(color)).into(),
        player_id: seat.player.to_string(),
        name: seat.name.to_string(),
        bot: seat.bot,
    }
}

/// Both seats from the wire, in any order.
///
/// # Errors
/// Every field that is malformed.
pub fn seats_from_proto(seats: &[pb::Seat]) -> Result<Seats, Vec<Violation>> {
    let mut violations = Vec::new();
    let mut of = |wanted: Color| {
        let mut found =
            seats.iter().enumerate().filter(|(_, s)| super::color_from_proto(s.color) == Some(wanted));
        let (Some((index, seat)), None) = (found.next(), found.next()) else {
            violations.push(Violation::new("seats", format!("exactly one seat must be {wanted}")));
            return None;
        };
        match seat.player_id.parse() {
            Ok(player) => Some(Seat { player, name: seat.name.as_str().into(), bot: seat.bot }),
            Err(error) => {
                violations.push(Violation::new(format!("seats[{index}].player_id"), error));
                None
            }
        }
    };
    match (of(Color::Black), of(Color::White)) {
        (Some(black), Some(white)) if seats.len() == 2 => Ok(Seats { black, white }),
        _ => {
            if violations.is_empty() {
                violations.push(Violation::new("seats", "exactly two seats, one of each colour"));
            }
            Err(violations)
        }
    }
}
