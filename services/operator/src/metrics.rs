use metrics::{counter, describe_counter};

const ACTS: &str = "nigiri_operator_acts";

/// Says what each metric means.
pub fn describe() {
    describe_counter!(ACTS, "Acts of operators, by act and outcome.");
}

/// An operator has done something, or could not.
pub fn acted(act: &'static str, done: bool) {
    counter!(ACTS, "act" => act, "outcome" => if done { "done" } else { "failed" }).increment(1);
}
