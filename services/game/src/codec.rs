//! Between the referee's words and protobuf's. Everything that is written is read back as it was.

mod control;
mod entry;
mod event;
mod options;
mod settings;
mod table;
mod verdict;
mod view;

use goban::{Color, Point};
use nigiri_proto::game::v1 as pb;

pub use entry::{Unreadable, read_entry, write_entry};
pub use event::{event_from_proto, event_to_proto, result_of, result_to_proto};
pub use settings::{
    seat_to_proto, seats_from_proto, seats_to_proto, settings_from_proto, settings_to_proto, violation,
};
pub use verdict::{verdict_from_proto, verdict_to_proto};
pub use view::{preview_to_proto, snapshot, turn_state, update};

/// A colour on the wire.
pub fn color_to_proto(color: Option<Color>) -> pb::Color {
    match color {
        None => pb::Color::Unspecified,
        Some(Color::Black) => pb::Color::Black,
        Some(Color::White) => pb::Color::White,
    }
}

/// A colour from the wire; none for "nobody" and for what a newer version says.
pub fn color_from_proto(color: i32) -> Option<Color> {
    match pb::Color::try_from(color) {
        Ok(pb::Color::Black) => Some(Color::Black),
        Ok(pb::Color::White) => Some(Color::White),
        Ok(pb::Color::Unspecified) | Err(_) => None,
    }
}

fn points_to_proto(points: &[Point]) -> Vec<String> {
    points.iter().map(Point::to_string).collect()
}

fn points_from_proto(points: &[String]) -> Option<Vec<Point>> {
    points.iter().map(|point| point.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use goban::{Color, Dead, Point, Preset, Size, judge};
    use kernel::{GameId, PlayerId, Timestamp, WatchKey};
    use referee::{Control, DeadStones, EndReason, Event, Game, Handicap, Outcome, Seat, Seats, Settings};

    use super::*;

    fn seats() -> Seats {
        let seat = |name: &str, bot, guest| Seat {
            player: PlayerId::from_uuid(GameId::derive(name).as_uuid()),
            name: name.into(),
            bot,
            guest,
        };
        Seats { black: seat("Shusaku", false, true), white: seat("Gennan", true, false) }
    }

    fn custom(preset: Preset, control: Control) -> Settings {
        Settings {
            control,
            dead: DeadStones::Estimate,
            handicap: Handicap { stones: 3, free: true },
            draw_offers: true,
            takebacks: false,
            move_limit: None,
            watch_key: Some(WatchKey::from_uuid(GameId::derive("a key").as_uuid())),
            ..Settings::of_preset(preset, Size::NINE)
        }
    }

    /// Every event, with settings of every preset and every control, is read back as it was written.
    #[test]
    fn every_event_is_read_back_as_it_was() {
        let (second, color) = (Duration::from_millis(1_001), Color::White);
        let point: Point = "D5".parse().unwrap();
        let usual = Settings::of_preset(Preset::Igo, Size::NINE);
        let empty = Event::Created { settings: Box::new(usual), seats: seats() };
        let game = Game::begin(&empty, Timestamp::from_millis(5)).unwrap();
        let verdict = Box::new(judge(game.position(), usual.komi, 0, Dead::Estimate));
        assert!(verdict.doubt.is_some());
        let (reason, accepted) = ("why".into(), [true, false]);
        let outcome = Outcome::read(EndReason::Abandonment, "B+F").unwrap();
        let mut events = vec![
            empty,
            Event::MovePlayed { color, point, captured: vec![point] },
            Event::Passed { color },
            Event::TakenBack { color, moves: 2 },
            Event::TimeCredited {
                credit: second,
                grace: [Duration::ZERO, second],
                settled_until: Timestamp::from_millis(77),
                reason,
            },
            Event::TimeGiven { time: second, reason: "why".into() },
            Event::PlayerAway { color, left: true, grace: second },
            Event::PlayerBack { color },
            Event::DrawOffered { color, id: 3, version: 4 },
            Event::TakebackRequested { color, id: 3, version: 4, moves: 1 },
            Event::ProposalAnswered { color, id: 3, accepted: true },
            Event::ScoreProposed { version: 1, verdict: verdict.clone(), accepted, time: second },
            Event::ChainMarked {
                color,
                point,
                dead: true,
                version: 2,
                verdict: verdict.clone(),
                accepted,
                extension: Duration::ZERO,
            },
            Event::ScoreAccepted { color, version: 2 },
            Event::ScoreDisputed { color, version: 2, turn: Color::Black },
            Event::Adjudicated { reason: "why".into() },
            Event::Finished { outcome, verdict: Some(verdict) },
            Event::RematchRequested { color },
            Event::RematchAgreed { game: GameId::derive("next") },
        ];
        for control in [
            Control::None,
            Control::PerMove { time: second },
            Control::Absolute { time: second },
            Control::Fischer { time: second, increment: second, cap: None },
            Control::Fischer { time: second, increment: second, cap: Some(second) },
            Control::Byoyomi { time: Duration::ZERO, period: second, periods: 5 },
            Control::Canadian { time: second, period: second, stones: 25 },
        ] {
            let created =
                |preset| Event::Created { settings: Box::new(custom(preset, control)), seats: seats() };
            events.extend(Preset::ALL.map(created));
        }
        for event in events {
            let written = event_to_proto(&event, Size::NINE);
            assert_eq!(event_from_proto(&written, Some(Size::NINE)), Some(event));
        }
    }

    /// Settings without options are those of the preset, as old logs have them.
    #[test]
    fn settings_without_options_are_the_presets() {
        for preset in Preset::ALL {
            let usual = Settings::of_preset(preset, Size::NINE);
            let bare = pb::GameSettings { options: None, ..settings_to_proto(&usual) };
            assert_eq!(settings_from_proto(Some(&bare)).unwrap(), usual);
        }
    }
}
