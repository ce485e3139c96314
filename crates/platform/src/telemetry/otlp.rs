//! Sending traces and metrics to a collector, by OTLP over gRPC.

mod metrics;

use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::{KeyValue, trace::TracerProvider};
use opentelemetry_otlp::{SpanExporter, WithTonicConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{Sampler, SdkTracer, SdkTracerProvider},
};
use tokio::{sync::watch, task::JoinHandle};
use tonic::transport::Endpoint;

use super::Metrics;
use crate::config::TelemetryArgs;

/// What is still to be sent at the end is given up after this.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// A collector that does not answer is not waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(10);

/// What sends in the background.
pub(super) struct Exporting {
    provider: SdkTracerProvider,
    metrics: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl Exporting {
    /// Begins to send, if there is somewhere to send to. `service` is what the process is.
    ///
    /// # Errors
    /// When the exporter cannot be made.
    pub fn begin(args: &TelemetryArgs, service: &'static str) -> anyhow::Result<Option<Self>> {
        let Some(endpoint) = args.otlp_endpoint.clone() else { return Ok(None) };
        let channel = Endpoint::from(endpoint).connect_timeout(PATIENCE).timeout(PATIENCE).connect_lazy();
        let exporter = SpanExporter::builder().with_tonic().with_channel(channel.clone()).build();
        let exporter = exporter.context("cannot send traces")?;
        let name = format!("nigiri-{service}");
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name(name.clone()).with_attribute(version).build();
        // Only what is kept comes this far.
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(Sampler::AlwaysOn)
            .with_id_generator(super::trace::Ids::default())
            .with_resource(resource)
            .build();
        let (stop, stopped) = watch::channel(false);
        let pushing = metrics::push(Metrics::install(), channel, name, args.otlp_metrics_interval, stopped);
        // It ends by `finish`, after all that a Shutdown looks after.
        let metrics = tokio::spawn(pushing);
        Ok(Some(Self { provider, metrics, stop }))
    }

    /// What makes spans.
    pub fn tracer(&self) -> SdkTracer {
        self.provider.tracer("nigiri")
    }

    /// Sends what is left, and stops.
    pub async fn finish(self) {
        let Self { provider, metrics, stop } = self;
        stop.send_replace(true);
        let traces = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(LAST_WORDS));
        let both = async { tokio::join!(traces, metrics) };
        match tokio::time::timeout(LAST_WORDS, both).await {
            Ok((Ok(Ok(())), Ok(()))) => {}
            ended => tracing::warn!(?ended, "the last traces or metrics were not sent"),
        }
    }
}
