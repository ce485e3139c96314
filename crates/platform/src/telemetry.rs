//! Logs, metrics and traces of a process.

mod ledger;
mod otlp;
mod rpc;
pub mod trace;

use std::{
    io::IsTerminal,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use ::ledger::SharedLedger;
use anyhow::Context as _;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tracing::Subscriber;
use tracing_subscriber::{
    EnvFilter, Layer, filter::filter_fn, fmt, layer::SubscriberExt, registry::LookupSpan,
    util::SubscriberInitExt,
};

use crate::config::{LogFormat, TelemetryArgs};

pub use ledger::ObservedLedger;
pub use rpc::{Rpc, RpcLayer};

/// Whether nothing is counted, timed or traced in this process.
static OFF: AtomicBool = AtomicBool::new(false);

/// Whether anything is counted, timed or traced in this process.
fn is_on() -> bool {
    !OFF.load(Ordering::Relaxed)
}

/// A ledger whose round trips are counted and traced, if anything is.
pub fn observed(ledger: SharedLedger) -> SharedLedger {
    if is_on() { Arc::new(ObservedLedger(ledger)) } else { ledger }
}

/// Upper bounds, in seconds, of the buckets of every latency histogram.
const LATENCY_BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];

/// The process's metrics, as `/metrics` shows them.
#[derive(Clone)]
pub struct Metrics(PrometheusHandle);

impl Metrics {
    /// Installs the process's recorder; later calls give the same one.
    ///
    /// # Panics
    /// Never: the buckets are a constant, and the recorder is installed once.
    pub fn install() -> Self {
        static INSTALLED: OnceLock<PrometheusHandle> = OnceLock::new();
        let handle = INSTALLED.get_or_init(|| {
            let builder = PrometheusBuilder::new()
                .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &LATENCY_BUCKETS)
                .unwrap_or_else(|_| PrometheusBuilder::new());
            let recorder = builder.build_recorder();
            let handle = recorder.handle();
            if is_on() && metrics::set_global_recorder(recorder).is_err() {
                tracing::warn!("another metrics recorder is installed already: /metrics stays empty");
            }
            handle
        });
        rpc::describe();
        ledger::describe();
        crate::connections::describe();
        crate::tls::describe();
        Self(handle.clone())
    }

    /// Sorts what has been recorded into its buckets. Without it the samples pile up until somebody scrapes.
    pub fn upkeep(&self) {
        self.0.run_upkeep();
    }

    /// The text that Prometheus scrapes.
    pub fn render(&self) -> String {
        self.0.run_upkeep();
        self.0.render()
    }
}

/// What a process has begun to tell of itself.
#[must_use = "what has not been sent is lost without `finish`"]
pub struct Telemetry(Option<otlp::Exporting>);

impl Telemetry {
    /// Sends what has not been sent yet: the last thing that a process does.
    pub async fn finish(self) {
        if let Some(exporting) = self.0 {
            exporting.finish().await;
        }
    }
}

/// Sends logs to standard error, and traces and metrics to a collector if there is one. Later calls change nothing about logs and traces.
/// `service` is what the process is.
///
/// # Errors
/// When the filter is malformed, or nothing can be sent.
pub fn init(args: &TelemetryArgs, service: &'static str) -> anyhow::Result<Telemetry> {
    OFF.store(!args.instruments, Ordering::Relaxed);
    let filter = EnvFilter::try_new(&args.log).context("--log (NIGIRI_LOG) is malformed")?;
    let exporting = otlp::Exporting::begin(args, service)?;
    let result = match &exporting {
        // One filter for all is quicker.
        None => tracing_subscriber::registry().with(filter).with(lines(args)).try_init(),
        Some(exporting) => {
            let traces = tracing_opentelemetry::layer()
                .with_tracer(exporting.tracer())
                .with_location(false)
                .with_threads(false)
                .with_tracked_inactivity(false)
                .with_filter(filter_fn(|metadata| metadata.target() == trace::TARGET));
            // Log lines name the trace that they belong to.
            let own = format!("{}=trace", trace::TARGET).parse().context("no directive")?;
            let lines = lines(args).with_filter(filter.add_directive(own));
            trace::keep(args.trace_ratio, args.trace_callers);
            tracing_subscriber::registry().with(traces).with(lines).try_init()
        }
    };
    if result.is_err() {
        tracing::debug!("logging was set up before");
    }
    Ok(Telemetry(exporting))
}

/// What writes log lines.
fn lines<S>(args: &TelemetryArgs) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let layer = fmt::layer().with_writer(std::io::stderr);
    match args.log_format {
        LogFormat::Text => layer.with_ansi(std::io::stderr().is_terminal()).with_target(false).boxed(),
        LogFormat::Json => layer.json().boxed(),
    }
}
