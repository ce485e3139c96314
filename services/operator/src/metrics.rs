use std::collections::BTreeMap;

use metrics::{counter, describe_counter, describe_gauge, gauge};
use nigiri_proto::operator::v1::ConsumerGroup;

const ACTS: &str = "nigiri_operator_acts";
const LAG: &str = "nigiri_consumer_lag_messages";
const DEAD: &str = "nigiri_consumer_dead_letters";

/// Says what each metric means.
pub fn describe() {
    describe_gauge!(LAG, "Messages that a consumer group has not dealt with yet, by topic and group.");
    describe_gauge!(DEAD, "Messages that failed for good, by topic and group.");
    describe_counter!(ACTS, "Acts of operators, by act and outcome.");
}

/// An operator has done something, or could not.
pub fn acted(act: &'static str, done: bool) {
    counter!(ACTS, "act" => act, "outcome" => if done { "done" } else { "failed" }).increment(1);
}

/// Consumer groups as they stand. All bots' turns are one topic here: ids are no labels.
pub fn groups(groups: &[ConsumerGroup]) {
    let mut sums: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for group in groups {
        let kind = group.topic.split('.').next().unwrap_or_default();
        let name = if kind == group.topic { group.group.as_str() } else { "all" };
        let sum = sums.entry((kind, name)).or_default();
        *sum = (sum.0 + group.lag, sum.1 + u64::from(group.dead_letters));
    }
    for ((topic, group), (lag, dead)) in sums {
        let labels = [("topic", topic.to_owned()), ("group", group.to_owned())];
        gauge!(LAG, &labels).set(lag as f64);
        gauge!(DEAD, &labels).set(dead as f64);
    }
}
