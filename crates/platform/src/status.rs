//! Refusals on the wire: one table of reasons, and the one place where they become a gRPC status.
//!
//! Every service has an error enum of its own and turns it into a [`Failure`]; `From<Failure> for tonic::Status` adds the
//! google.rpc details: always an `ErrorInfo { reason, domain, metadata }`, and what the reason's code calls for besides.

mod reason;

use std::{collections::HashMap, fmt, time::Duration};

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

pub use reason::Reason;

/// The `domain` of every `ErrorInfo`.
pub const DOMAIN: &str = "nigiri";

/// One field that was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The field's path in the request, for example `settings.komi`.
    pub field: String,
    /// What was wrong with it and what would be right.
    pub description: String,
}

impl Violation {
    /// A violation of this field.
    pub fn new(field: impl Into<String>, description: impl fmt::Display) -> Self {
        Self { field: field.into(), description: description.to_string() }
    }
}

/// Why a call was refused: a reason, words for people, and details for programs.
#[derive(Clone, Debug)]
pub struct Failure(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    reason: Reason,
    message: String,
    metadata: Vec<(&'static str, String)>,
    violations: Vec<Violation>,
    resource: Option<(&'static str, String)>,
    retry_after: Option<Duration>,
}

impl Failure {
    /// A failure for this reason, in these words.
    pub fn new(reason: Reason, message: impl fmt::Display) -> Self {
        Self(Box::new(Inner {
            reason,
            message: message.to_string(),
            metadata: Vec::new(),
            violations: Vec::new(),
            resource: None,
            retry_after: None,
        }))
    }

    /// A malformed request with all that was wrong in it.
    pub fn invalid(violations: Vec<Violation>) -> Self {
        Self::invalid_for(Reason::InvalidRequest, violations)
    }

    /// A malformed request for a particular reason, with all that was wrong in it.
    pub fn invalid_for(reason: Reason, violations: Vec<Violation>) -> Self {
        let words: Vec<_> = violations.iter().map(|v| format!("{}: {}", v.field, v.description)).collect();
        let mut failure = Self::new(reason, words.join("; "));
        failure.0.violations = violations;
        failure
    }

    /// One malformed field.
    pub fn field(reason: Reason, field: &str, description: impl fmt::Display) -> Self {
        Self::invalid_for(reason, vec![Violation::new(field, description)])
    }

    /// A bug of ours. The cause is logged here, once; the caller sees constant words.
    pub fn internal(cause: impl fmt::Display) -> Self {
        tracing::error!(%cause, "internal error");
        Self::new(Reason::Internal, "an internal error; it has been logged")
    }

    /// Adds a fact for programs.
    pub fn with(mut self, key: &'static str, value: impl fmt::Display) -> Self {
        self.0.metadata.push((key, value.to_string()));
        self
    }

    /// Names the resource that is missing or in the way.
    pub fn resource(mut self, kind: &'static str, name: impl fmt::Display) -> Self {
        self.0.resource = Some((kind, name.to_string()));
        self
    }

    /// Says when to try again.
    pub fn retry_after(mut self, time: Duration) -> Self {
        self.0.retry_after = Some(time);
        self
    }

    /// The fields that were wrong.
    pub fn into_violations(self) -> Vec<Violation> {
        self.0.violations
    }

    /// Why.
    pub fn reason(&self) -> Reason {
        self.0.reason
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.reason.name(), self.0.message)
    }
}

impl std::error::Error for Failure {}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Self {
        let failure = *failure.0;
        let metadata: HashMap<String, String> =
            failure.metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let mut details = ErrorDetails::with_error_info(failure.reason.name(), DOMAIN, metadata);
        for violation in failure.violations {
            details.add_bad_request_violation(violation.field, violation.description);
        }
        if let Some((kind, name)) = failure.resource {
            details.set_resource_info(kind, name, "", failure.message.clone());
        }
        let code = failure.reason.code();
        // A request that is too large stays too large.
        let default_retry = matches!(code, Code::Unavailable | Code::ResourceExhausted)
            && failure.reason != Reason::MessageTooLarge;
        if let Some(time) = failure.retry_after.or_else(|| default_retry.then_some(Duration::from_secs(1))) {
            details.set_retry_info(Some(time));
        }
        Status::with_error_details(code, failure.message, details)
    }
}

impl From<ledger::Unavailable> for Failure {
    fn from(error: ledger::Unavailable) -> Self {
        Self::new(Reason::LedgerUnavailable, error)
    }
}

impl From<sqlx::Error> for Failure {
    /// A store that cannot be reached is [`Reason::StoreUnavailable`]; anything else from the store is a bug of ours.
    fn from(error: sqlx::Error) -> Self {
        if crate::db::is_away(&error) {
            tracing::warn!(%error, "the store is unavailable");
            Self::new(Reason::StoreUnavailable, "the store is unavailable; try again")
        } else {
            Self::internal(error)
        }
    }
}

/// The reason that a status carries, if it is one of ours. For clients and tests.
pub fn reason_of(status: &Status) -> Option<String> {
    status.get_details_error_info().map(|info| info.reason)
}
