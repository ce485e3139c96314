//! The metrics of `/metrics`, sent as they are: read from the text that Prometheus would scrape, so that recording costs nothing more.

mod text;

use std::time::Duration;

use opentelemetry_proto::tonic::{
    collector::metrics::v1::{ExportMetricsServiceRequest, metrics_service_client::MetricsServiceClient},
    common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value},
    metrics::v1::{ResourceMetrics, ScopeMetrics},
    resource::v1::Resource,
};
use tokio::sync::watch;
use tonic::transport::Channel;

use crate::{clock::Clock, telemetry::Metrics};

/// Sends all metrics every so often, and once more at the end.
pub async fn push(
    metrics: Metrics,
    channel: Channel,
    service: String,
    interval: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let mut client = MetricsServiceClient::new(channel);
    let clock = Clock::system();
    let nanos = || clock.now().as_millis().saturating_mul(1_000_000);
    let (begun, mut away) = (nanos(), false);
    loop {
        let last = tokio::select! {
            biased;
            // The other end is dropped when the process ends otherwise.
            _ = stopped.wait_for(|stopped| *stopped) => true,
            () = tokio::time::sleep(interval) => false,
        };
        let request = request(&metrics.render(), &service, begun, nanos());
        match client.export(request).await {
            Ok(_) => away = false,
            // Once, and not every time.
            Err(_) if away => {}
            Err(status) => {
                tracing::warn!(%status, "metrics cannot be sent; trying again");
                away = true;
            }
        }
        if last {
            return;
        }
    }
}

fn request(text: &str, service: &str, begun: u64, now: u64) -> ExportMetricsServiceRequest {
    let scope = InstrumentationScope { name: "nigiri".to_owned(), ..InstrumentationScope::default() };
    let metrics = text::read(text, begun, now);
    let scope_metrics = vec![ScopeMetrics { scope: Some(scope), metrics, ..ScopeMetrics::default() }];
    let attributes = vec![attribute("service.name", service)];
    let resource = Some(Resource { attributes, ..Resource::default() });
    let all = ResourceMetrics { resource, scope_metrics, ..ResourceMetrics::default() };
    ExportMetricsServiceRequest { resource_metrics: vec![all] }
}

/// A label.
fn attribute(key: &str, value: &str) -> KeyValue {
    let value = Some(AnyValue { value: Some(any_value::Value::StringValue(value.to_owned())) });
    KeyValue { key: key.to_owned(), value, ..KeyValue::default() }
}
