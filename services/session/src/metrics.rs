use ::metrics::{counter, describe_counter};

const SIGN_INS: &str = "nigiri_session_sign_ins";
const REFRESHES: &str = "nigiri_session_refreshes";
const REFUSED_NAMES: &str = "nigiri_session_refused_names";

/// Says what each metric is.
pub fn describe() {
    describe_counter!(SIGN_INS, "Sign-ins that succeeded, by kind: guest, bot or service.");
    describe_counter!(REFRESHES, "Uses of refresh tokens, by outcome: rotated, invalid or reused.");
    describe_counter!(REFUSED_NAMES, "Names that were refused, by reason.");
}

/// Somebody has signed in; `kind` is `guest`, `bot` or `service`.
pub fn signed_in(kind: &'static str) {
    counter!(SIGN_INS, "kind" => kind).increment(1);
}

/// A refresh token was used; `outcome` is `rotated`, `invalid` or `reused`.
pub fn refreshed(outcome: &'static str) {
    counter!(REFRESHES, "outcome" => outcome).increment(1);
}

/// A name was refused for one of the API's reasons.
pub fn name_refused(reason: &'static str) {
    counter!(REFUSED_NAMES, "reason" => reason).increment(1);
}
