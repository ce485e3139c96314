use std::time::Duration;

use nigiri_proto::game::v1::{self as pb, time_control::Control as Wire};
use platform::convert::{from_proto_duration, to_proto_duration};
use referee::Control;

/// What is said of a control that is not there, or not whole.
pub const MISSING: &str = "missing: one of none, per_move { time }, absolute { time }, fischer { time, increment, cap }, \
    byoyomi { time, period, periods }, canadian { time, period, stones }";

/// A control on the wire.
pub fn to_proto(control: Control) -> pb::TimeControl {
    let time = |time| Some(to_proto_duration(time));
    let control = match control {
        Control::None => Wire::None(pb::NoClock {}),
        Control::PerMove { time: each } => Wire::PerMove(pb::PerMove { time: time(each) }),
        Control::Absolute { time: all } => Wire::Absolute(pb::Absolute { time: time(all) }),
        Control::Fischer { time: main, increment, cap } => Wire::Fischer(pb::Fischer {
            time: time(main),
            increment: time(increment),
            cap: cap.and_then(time),
        }),
        Control::Byoyomi { time: main, period, periods } => {
            Wire::Byoyomi(pb::Byoyomi { time: time(main), period: time(period), periods: periods.into() })
        }
        Control::Canadian { time: main, period, stones } => {
            Wire::Canadian(pb::Canadian { time: time(main), period: time(period), stones: stones.into() })
        }
    };
    pb::TimeControl { control: Some(control) }
}

/// A control from the wire; none if a part is missing. Whether it can be played with says the referee.
pub fn from_proto(control: Option<&pb::TimeControl>) -> Option<Control> {
    let read = |time| whole(from_proto_duration(time));
    Some(match control?.control.as_ref()? {
        Wire::None(_) => Control::None,
        Wire::PerMove(pb::PerMove { time }) => Control::PerMove { time: time.map(read)? },
        Wire::Absolute(pb::Absolute { time }) => Control::Absolute { time: time.map(read)? },
        Wire::Fischer(pb::Fischer { time, increment, cap }) => {
            Control::Fischer { time: time.map(read)?, increment: increment.map(read)?, cap: cap.map(read) }
        }
        Wire::Byoyomi(pb::Byoyomi { time, period, periods }) => Control::Byoyomi {
            time: time.map(read).unwrap_or_default(),
            period: period.map(read)?,
            periods: number(*periods),
        },
        Wire::Canadian(pb::Canadian { time, period, stones }) => Control::Canadian {
            time: time.map(read).unwrap_or_default(),
            period: period.map(read)?,
            stones: number(*stones),
        },
    })
}

/// Whole milliseconds: the store's clock has no others.
pub fn whole(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// What is too large for the referee's ranges stays too large.
fn number(count: u32) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}
