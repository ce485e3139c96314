//! Between the referee's words and protobuf's. Everything that is written is read back as it was.

mod control;
mod event;
mod options;
mod settings;
mod table;
mod verdict;
mod view;

use goban::{Color, Point};
use nigiri_proto::game::v1 as pb;

pub use event::{event_from_proto, event_to_proto, result_to_proto};
pub use settings::{seat_to_proto, seats_from_proto, seats_to_proto, settings_from_proto, settings_to_proto};
pub use verdict::{verdict_from_proto, verdict_to_proto};
pub use view::{snapshot, turn_state, update};

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
