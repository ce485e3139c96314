use goban::{Color, Komi, Preset, Size};
use nigiri_proto::game::v1 as pb;
use platform::status::Violation;
use referee::{Seat, Seats, Settings};

use super::{control, options};

/// Settings on the wire.
pub fn settings_to_proto(settings: &Settings) -> pb::GameSettings {
    pb::GameSettings {
        preset: settings.preset.name().to_owned(),
        board_size: settings.size.columns().into(),
        komi: f64::from(settings.komi.half_points()) / 2.0,
        time_control: Some(control::to_proto(settings.control)),
        rated: settings.rated,
        move_limit: settings.move_limit.unwrap_or(0),
        options: Some(options::to_proto(settings)),
        watch_key: settings.watch_key.map(|key| key.to_string()).unwrap_or_default(),
    }
}

/// Settings from the wire. What they say together is checked by the referee.
///
/// # Errors
/// Every field that is malformed, and whatever else can be told to be wrong.
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
    let control = control::from_proto(settings.time_control.as_ref());
    if control.is_none() {
        note("time_control", control::MISSING.to_owned());
    }
    let watch_key = match settings.watch_key.as_str() {
        "" => None,
        text => text.parse().map_err(|error: kernel::IdError| note("watch_key", error.to_string())).ok(),
    };
    let options = settings.options.as_ref();
    let malformed = options.map(options::violations).unwrap_or_default();
    let options = options.filter(|_| malformed.is_empty());
    violations.extend(malformed);
    // What is malformed is taken as usual here, so that what is wrong with the rest can be told at the same time.
    let usual = Settings::of_preset(preset.unwrap_or(Preset::Quick), size.unwrap_or(Size::NINE));
    let read = Settings {
        komi: komi.unwrap_or(usual.komi),
        control: control.unwrap_or(usual.control),
        rated: settings.rated,
        move_limit: (settings.move_limit > 0).then_some(settings.move_limit),
        watch_key,
        ..usual
    };
    let read = options.map_or(read, |options| options::apply(options, read));
    if violations.is_empty() {
        return Ok(read);
    }
    // Whether a game may be rated depends on everything else.
    let more = read.validate().err().unwrap_or_default().into_iter().filter(|more| more.field != "rated");
    violations.extend(more.map(|more| violation(&more)));
    Err(violations)
}

/// What the referee finds wrong, by its field in a request that makes a game.
pub fn violation(found: &referee::Violation) -> Violation {
    let within = if found.field == "seats" { "" } else { "settings." };
    Violation::new(format!("{within}{}", found.field), format!("{}; {}", found.problem, found.remedy))
}

fn komi(points: f64) -> Option<Komi> {
    let halves = points * 2.0;
    if halves.fract() != 0.0 || halves.abs() > 300.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked above: whole, and within 300")]
    Komi::from_half_points(halves as i16).ok()
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
        guest: seat.guest,
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
            Ok(player) => {
                let (bot, guest) = (seat.bot, seat.guest);
                Some(Seat { player, name: seat.name.as_str().into(), bot, guest })
            }
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
