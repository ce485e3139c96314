//! Logs and metrics of a process.

mod ledger;
mod rpc;

use std::{io::IsTerminal, sync::OnceLock};

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::{LogFormat, TelemetryArgs};

pub use ledger::ObservedLedger;
pub use rpc::{Rpc, RpcLayer, traceparent};

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
            if metrics::set_global_recorder(recorder).is_err() {
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

/// Sends logs to standard error. Later calls change nothing.
///
/// # Errors
/// When the filter is malformed.
pub fn init(args: &TelemetryArgs) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&args.log)
        .map_err(|error| anyhow::anyhow!("--log (NIGIRI_LOG) is malformed: {error}"))?;
    let registry = tracing_subscriber::registry().with(filter);
    let colours = std::io::stderr().is_terminal();
    let result = match args.log_format {
        LogFormat::Text => registry
            .with(fmt::layer().with_writer(std::io::stderr).with_ansi(colours).with_target(false))
            .try_init(),
        LogFormat::Json => registry.with(fmt::layer().json().with_writer(std::io::stderr)).try_init(),
    };
    if result.is_err() {
        tracing::debug!("logging was set up before");
    }
    Ok(())
}
