//! Traces: which calls are traced, and how a trace goes on from one process to the next: in the metadata of calls, and in what the ledger's
//! streams carry.
//!
//! Whether a trace is kept is decided by its id, with a key that services share: so all of its parts are kept or none, and nobody outside can have
//! traces kept by asking for it. A caller whose `traceparent` says that it keeps the trace has it kept as often as others. Entries and notices say
//! of their cause whether it is kept. A span costs up to a tenth of a call, so what is not traced has none at all, and without an endpoint to send traces to
//! all of this is one look at a constant.

use std::{
    fmt,
    str::FromStr,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use http::{HeaderMap, HeaderValue};
use opentelemetry::{
    Context,
    trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState},
};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};
use ring::hmac;
use tracing::{Span, debug_span, field::Empty, trace_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::config::Secret;

/// The header of a call that carries the context of its trace (W3C Trace Context).
pub(crate) const HEADER: &str = "traceparent";

/// What our services send when what they do is not traced, so that nobody begins a trace in the middle.
const UNTRACED: &str = "00-00000000000000000000000000000001-0000000000000001-00";

/// The target of spans that are sent away.
pub(super) const TARGET: &str = "nigiri_trace";

/// Which part of the calls that begin a trace is traced, of 2^64. Not set: traces are not sent anywhere.
static KEPT: OnceLock<u64> = OnceLock::new();

/// Whether a caller's word that a trace is kept counts.
static CALLERS_ARE_TRUSTED: OnceLock<bool> = OnceLock::new();

/// By which key traces are chosen.
static KEY: OnceLock<hmac::Key> = OnceLock::new();

/// So many ids are looked at for one that is chosen.
const LOOKED_AT: u32 = 20_000;

/// Traces are chosen by this secret, the same in every process.
pub(crate) fn choose_by(secret: &Secret) {
    KEY.get_or_init(|| key(secret.expose().as_bytes()));
}

fn key(secret: &[u8]) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, &[b"traces that are kept: ", secret].concat())
}

/// Whether a trace is among this part of all.
fn is_chosen(kept: u64, key: &hmac::Key, trace: u128) -> bool {
    if kept == u64::MAX {
        return true;
    }
    let tag = hmac::sign(key, &trace.to_be_bytes());
    let (first, _) = tag.as_ref().split_at(8);
    first.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte)) < kept
}

/// Whether a call that has brought this context is traced.
fn is_kept(kept: u64, key: &hmac::Key, sent: Option<TraceContext>) -> bool {
    // A call that has brought none begins a trace.
    sent.map_or_else(|| dice(kept), |sent| sent.is_kept() && is_chosen(kept, key, sent.trace))
}

/// Gives the traces that begin here, and are kept, ids that every process chooses.
#[derive(Debug, Default)]
pub(super) struct Ids(RandomIdGenerator);

impl IdGenerator for Ids {
    fn new_trace_id(&self) -> TraceId {
        let (Some(kept), Some(key)) = (KEPT.get(), KEY.get()) else { return self.0.new_trace_id() };
        chosen(*kept, key, || self.0.new_trace_id())
    }

    fn new_span_id(&self) -> SpanId {
        self.0.new_span_id()
    }
}

/// The first of these ids that is chosen. Of a trace that is kept seldom so many are looked at that it comes to one for each call.
fn chosen(kept: u64, key: &hmac::Key, ids: impl Fn() -> TraceId) -> TraceId {
    let mut id = ids();
    for _ in 0..LOOKED_AT {
        if is_chosen(kept, key, u128::from_be_bytes(id.to_bytes())) {
            break;
        }
        id = ids();
    }
    id
}

/// From now on this part of the traces is kept, and if callers are trusted those that they keep.
pub(super) fn keep(ratio: f64, callers_are_trusted: bool) {
    // The whole of it, for 1: the conversion stops at the highest number.
    let part = (ratio.clamp(0.0, 1.0) * 2f64.powi(64)) as u64;
    if CALLERS_ARE_TRUSTED.set(callers_are_trusted).is_err() || KEPT.set(part).is_err() {
        tracing::warn!("traces were set up before: how many are kept does not change");
    }
}

/// Whether traces are sent anywhere.
pub fn is_on() -> bool {
    KEPT.get().is_some()
}

/// Whether a trace that begins now is kept.
fn dice(kept: u64) -> bool {
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    if kept == u64::MAX {
        return true;
    }
    // SplitMix64 (Steele, Lea and Flood 2014): numbers that look random, without a generator that threads would share.
    let mut z = BEGUN.fetch_add(1, Ordering::Relaxed).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) < kept
}

/// A place in a trace: one of its spans. Written as a `traceparent` of W3C Trace Context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    trace: u128,
    span: u64,
    flags: u8,
}

impl TraceContext {
    /// Whether the trace is kept.
    pub const fn is_kept(self) -> bool {
        self.flags & 1 == 1
    }

    /// The same place, of a trace that is not kept here.
    const fn not_kept(self) -> Self {
        Self { flags: self.flags & !1, ..self }
    }

    fn span_context(self) -> SpanContext {
        SpanContext::new(
            TraceId::from_bytes(self.trace.to_be_bytes()),
            SpanId::from_bytes(self.span.to_be_bytes()),
            TraceFlags::new(self.flags),
            true,
            TraceState::default(),
        )
    }

    /// What a call has brought; none if that is nothing, or cannot be read.
    fn of_call(headers: &HeaderMap) -> Option<Self> {
        headers.get(HEADER)?.to_str().ok()?.parse().ok()
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// A text that is no `traceparent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no traceparent of W3C Trace Context")]
pub struct TraceContextError;

impl FromStr for TraceContext {
    type Err = TraceContextError;

    fn from_str(text: &str) -> Result<Self, TraceContextError> {
        let part = |from: usize, to: usize| {
            let digits = text.get(from..to).ok_or(TraceContextError)?;
            let hex = digits.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
            u128::from_str_radix(digits, 16).ok().filter(|_| hex).ok_or(TraceContextError)
        };
        let dashes = [2, 35, 52].iter().all(|&place| text.as_bytes().get(place) == Some(&b'-'));
        // Later versions may add something after another dash; version 0 has nothing.
        let version = part(0, 2)?;
        let ends = text.len() == 55 || (version > 0 && text.as_bytes().get(55) == Some(&b'-'));
        let (trace, span, flags) = (part(3, 35)?, part(36, 52)?, part(53, 55)?);
        if !dashes || !ends || version == 0xff || trace == 0 || span == 0 {
            return Err(TraceContextError);
        }
        let span = u64::try_from(span).map_err(|_| TraceContextError)?;
        Ok(Self { trace, span, flags: u8::try_from(flags).map_err(|_| TraceContextError)? })
    }
}

/// The place of a span; none if it is not traced.
pub fn place(span: &Span) -> Option<TraceContext> {
    if !is_on() || span.metadata().is_none_or(|metadata| metadata.target() != TARGET) {
        return None;
    }
    let context = span.context();
    let span = context.span();
    let known = span.span_context();
    known.is_valid().then(|| TraceContext {
        trace: u128::from_be_bytes(known.trace_id().to_bytes()),
        span: u64::from_be_bytes(known.span_id().to_bytes()),
        flags: known.trace_flags().to_u8(),
    })
}

/// The place of what is being done; none if it is not traced.
pub fn current() -> Option<TraceContext> {
    is_on().then(Span::current).and_then(|span| place(&span))
}

/// What goes into entries and notices as the cause of what a call does: its place in the caller's trace, and whether that is kept, for which the caller's
/// word does not count. Empty if the caller has sent no trace, even if one began with the call.
pub fn cause(headers: &HeaderMap) -> String {
    let Some(sent) = headers.get(HEADER).and_then(|value| value.to_str().ok()) else { return String::new() };
    if sent == UNTRACED {
        return String::new();
    }
    let place = current().or_else(|| sent.parse().ok().map(TraceContext::not_kept));
    place.map(|place| place.to_string()).unwrap_or_default()
}

/// The header of a call of ours to another service; none where traces are not sent anywhere.
pub(crate) fn header() -> Option<HeaderValue> {
    if !is_on() {
        return None;
    }
    match current() {
        Some(place) => HeaderValue::try_from(place.to_string()).ok(),
        None => Some(HeaderValue::from_static(UNTRACED)),
    }
}

/// The span of a call to this process.
pub(super) fn of_call(path: &str, headers: &HeaderMap) -> Span {
    let sent = TraceContext::of_call(headers);
    let asked = sent.is_some_and(TraceContext::is_kept) && CALLERS_ARE_TRUSTED.get() == Some(&true);
    let kept = asked || KEPT.get().zip(KEY.get()).is_some_and(|(kept, key)| is_kept(*kept, key, sent));
    if !kept {
        let trace = sent.map(|sent| sent.to_string()).unwrap_or_default();
        return debug_span!("rpc", method = path, trace, game.id = Empty, player.id = Empty);
    }
    let span = trace_span!(
        target: TARGET,
        "rpc",
        otel.name = path.trim_start_matches('/'),
        otel.kind = "server",
        otel.status_code = Empty,
        rpc.system = "grpc",
        rpc.grpc.status_code = Empty,
        trace_id = Empty,
        game.id = Empty,
        player.id = Empty
    );
    adopt(&span, sent);
    span
}

/// The span of a round trip to the ledger.
pub(super) fn of_ledger(operation: &'static str) -> Span {
    if current().is_none() {
        return debug_span!("ledger", operation);
    }
    trace_span!(target: TARGET, "ledger", otel.name = "ledger", otel.kind = "client", operation)
}

/// A span of work within what is being done; none if that is not traced.
pub fn part(name: &'static str) -> Span {
    if current().is_none() {
        return Span::none();
    }
    let span = work(name);
    note_id(&span);
    span
}

/// A span of work that others caused: the first cause whose trace is kept is its parent, the others are linked, and so is what is being
/// done now if that belongs to another trace. None if no cause is kept.
pub fn caused(name: &'static str, causes: impl IntoIterator<Item = TraceContext>) -> Span {
    if !is_on() {
        return Span::none();
    }
    let mut causes = causes.into_iter().filter(|cause| cause.is_kept());
    let Some(parent) = causes.next() else { return Span::none() };
    let now = current().filter(|now| now.trace != parent.trace);
    let span = work(name);
    for other in causes.chain(now) {
        span.add_link(other.span_context());
    }
    adopt(&span, Some(parent));
    span
}

fn work(name: &'static str) -> Span {
    trace_span!(target: TARGET, "work", otel.name = name, trace_id = Empty, game.id = Empty, player.id = Empty)
}

/// Makes a new span the child of a span elsewhere, or the root of its trace.
fn adopt(span: &Span, parent: Option<TraceContext>) {
    let context = Context::new();
    let context = match parent {
        Some(parent) => context.with_remote_span_context(parent.span_context()),
        None => context,
    };
    if let Err(error) = span.set_parent(context) {
        tracing::debug!(%error, "a span has no parent");
    }
    note_id(span);
}

/// For log lines.
fn note_id(span: &Span) {
    if let Some(place) = place(span) {
        span.record("trace_id", tracing::field::display(format_args!("{:032x}", place.trace)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `traceparent` is read and written as W3C Trace Context has it, later versions included, and what is none is refused.
    #[test]
    fn a_traceparent_is_read_as_the_standard_has_it() {
        let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let context: TraceContext = text.parse().unwrap();
        assert!(context.is_kept());
        assert_eq!(context.to_string(), text);
        assert!(!UNTRACED.parse::<TraceContext>().unwrap().is_kept());
        let later = "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more";
        assert_eq!(later.parse(), Ok(context));
        for wrong in [
            "",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333é-1",
        ] {
            assert_eq!(wrong.parse::<TraceContext>(), Err(TraceContextError), "{wrong:?}");
        }
    }

    /// Of the traces that begin, about the part is kept that was asked for; none and all exactly.
    #[test]
    fn about_the_wanted_part_of_the_traces_is_kept() {
        let kept = |ratio: f64| {
            let part = (ratio * 2f64.powi(64)) as u64;
            (0..100_000).filter(|_| dice(part)).count()
        };
        assert_eq!((kept(0.0), kept(1.0)), (0, 100_000));
        assert!((900..1100).contains(&kept(0.01)), "{}", kept(0.01));
    }

    /// A caller cannot have traces kept by saying so: of those that say it about the part is kept that was asked for, and every process of ours that has
    /// the secret keeps the same ones; of those that say no, none. Traces that begin here have ids that are kept everywhere.
    #[test]
    fn a_caller_cannot_have_its_traces_kept() {
        let (key, part) = (key(b"a secret"), (0.01 * 2f64.powi(64)) as u64);
        let ids = RandomIdGenerator::default();
        let sent: Vec<_> = (0..100_000)
            .map(|_| u128::from_be_bytes(ids.new_trace_id().to_bytes()))
            .map(|trace| TraceContext { trace, span: 1, flags: 1 })
            .collect();
        let kept = |key: &hmac::Key, flags: u8| {
            let sent = sent.iter().map(|sent| TraceContext { flags, ..*sent });
            sent.filter(|sent| is_kept(part, key, Some(*sent))).map(|sent| sent.trace).collect::<Vec<_>>()
        };
        let ours = kept(&key, 1);
        assert!((900..1100).contains(&ours.len()), "{}", ours.len());
        assert_eq!(kept(&super::key(b"a secret"), 1), ours);
        assert_ne!(kept(&super::key(b"another"), 1), ours);
        assert_eq!(kept(&key, 0), []);
        assert!(is_kept(u64::MAX, &key, Some(sent[0])), "of all none is left out");
        let begun = chosen(part, &key, || ids.new_trace_id());
        assert!(is_chosen(part, &key, u128::from_be_bytes(begun.to_bytes())));
        assert!(!sent[0].not_kept().is_kept());
    }
}
