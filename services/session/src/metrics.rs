use ::metrics::{counter, describe_counter};

const SIGN_INS: &str = "nigiri_session_sign_ins";
const REFRESHES: &str = "nigiri_session_refreshes";
const IDENTITIES_REFUSED: &str = "nigiri_session_identities_refused";
const TOLD: &str = "nigiri_session_notices";
const REFUSED_NAMES: &str = "nigiri_session_refused_names";

/// Says what each metric is.
pub fn describe() {
    describe_counter!(
        SIGN_INS,
        "Sign-ins that succeeded, by kind: guest, bot, service, member, member_made, guest_upgraded or guest_merged."
    );
    describe_counter!(REFRESHES, "Uses of refresh tokens, by outcome: rotated, invalid, reused or banned.");
    describe_counter!(
        IDENTITIES_REFUSED,
        "Sign-ins by an identity that failed, by cause: id_token, denied, provider_away or off."
    );
    describe_counter!(TOLD, "Notices about accounts that were taken to the ledger.");
    describe_counter!(REFUSED_NAMES, "Names that were refused, by reason.");
}

/// Somebody has signed in; `kind` is one of the metric's.
pub fn signed_in(kind: &'static str) {
    counter!(SIGN_INS, "kind" => kind).increment(1);
}

/// A refresh token was used; `outcome` is `rotated`, `invalid` or `reused`.
pub fn refreshed(outcome: &'static str) {
    counter!(REFRESHES, "outcome" => outcome).increment(1);
}

/// A sign-in by an identity has failed for one of a few causes.
pub fn identity_refused(cause: &'static str) {
    counter!(IDENTITIES_REFUSED, "cause" => cause).increment(1);
}

/// A notice was taken to the ledger.
pub fn told() {
    counter!(TOLD).increment(1);
}

/// A name was refused for one of the API's reasons.
pub fn name_refused(reason: &'static str) {
    counter!(REFUSED_NAMES, "reason" => reason).increment(1);
}
