//! Between protobuf's well-known types and ours.

use std::time::Duration;

use kernel::Timestamp;

/// A moment as protobuf has it.
pub fn to_proto_time(time: Timestamp) -> prost_types::Timestamp {
    let millis = time.as_millis();
    prost_types::Timestamp {
        seconds: i64::try_from(millis / 1000).unwrap_or(i64::MAX),
        nanos: i32::try_from(millis % 1000).unwrap_or(0) * 1_000_000,
    }
}

/// A moment as we have it; moments before 1970 become 1970.
pub fn from_proto_time(time: prost_types::Timestamp) -> Timestamp {
    let seconds = u64::try_from(time.seconds).unwrap_or(0);
    let millis = u64::try_from(time.nanos).unwrap_or(0) / 1_000_000;
    Timestamp::from_millis(seconds.saturating_mul(1000).saturating_add(millis))
}

/// A moment as the store has it: milliseconds since the Unix epoch.
pub fn to_millis(time: Timestamp) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// A moment from the store's milliseconds since the Unix epoch; what is negative counts as 0.
pub fn from_millis(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// A time span as protobuf has it.
pub fn to_proto_duration(time: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(time.subsec_nanos()).unwrap_or(0),
    }
}

/// A time span as we have it; negative ones become zero.
pub fn from_proto_duration(time: prost_types::Duration) -> Duration {
    match (u64::try_from(time.seconds), u32::try_from(time.nanos)) {
        (Ok(seconds), Ok(nanos)) if nanos < 1_000_000_000 => Duration::new(seconds, nanos),
        (Ok(seconds), _) => Duration::from_secs(seconds),
        _ => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole milliseconds survive the way to protobuf and back.
    #[test]
    fn times_round_trip() {
        for millis in [0, 1, 999, 1000, 1_796_000_000_123] {
            let time = Timestamp::from_millis(millis);
            assert_eq!(from_proto_time(to_proto_time(time)), time);
            let span = Duration::from_millis(millis);
            assert_eq!(from_proto_duration(to_proto_duration(span)), span);
        }
        assert_eq!(
            from_proto_time(prost_types::Timestamp { seconds: -5, nanos: 3 }),
            Timestamp::from_millis(0)
        );
        assert_eq!(from_proto_duration(prost_types::Duration { seconds: -1, nanos: -1 }), Duration::ZERO);
    }
}
