//! A collector of traces and metrics, as an operator would have one, in this process.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use opentelemetry_proto::tonic::{
    collector::{
        metrics::v1::{
            ExportMetricsServiceRequest, ExportMetricsServiceResponse,
            metrics_service_server::{MetricsService, MetricsServiceServer},
        },
        trace::v1::{
            ExportTraceServiceRequest, ExportTraceServiceResponse,
            trace_service_server::{TraceService, TraceServiceServer},
        },
    },
    common::v1::any_value::Value,
    metrics::v1::{metric::Data, number_data_point},
    resource::v1::Resource,
};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, transport::Server};

/// A span, by the names that people read.
#[derive(Clone, Debug)]
pub struct Span {
    pub service: String,
    pub name: String,
    pub trace: String,
    pub id: String,
    pub parent: String,
}

/// All that was sent.
#[derive(Clone, Default)]
pub struct Collector {
    spans: Arc<Mutex<Vec<Span>>>,
    /// The last value of each counter and gauge, by its service and its name, all labels together.
    numbers: Arc<Mutex<BTreeMap<(String, String), f64>>>,
}

impl Collector {
    /// Listens; gives the address for `--otlp-endpoint`.
    pub async fn start() -> (Self, String) {
        let collector = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let server = Server::builder()
            .add_service(TraceServiceServer::new(collector.clone()))
            .add_service(MetricsServiceServer::new(collector.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        tokio::spawn(server);
        (collector, address)
    }

    pub fn spans(&self) -> Vec<Span> {
        self.spans.lock().expect("a lock").clone()
    }

    pub fn number(&self, service: &str, name: &str) -> Option<f64> {
        self.numbers.lock().expect("a lock").get(&(service.to_owned(), name.to_owned())).copied()
    }
}

fn service_of(resource: Option<&Resource>) -> String {
    let attributes = resource.map(|resource| &resource.attributes[..]).unwrap_or_default();
    let name = attributes.iter().find(|attribute| attribute.key == "service.name");
    match name.and_then(|name| name.value.as_ref()?.value.as_ref()) {
        Some(Value::StringValue(name)) => name.clone(),
        other => panic!("no name: {other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource in request.into_inner().resource_spans {
            let service = service_of(resource.resource.as_ref());
            let spans = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
            self.spans.lock().expect("a lock").extend(spans.map(|span| Span {
                service: service.clone(),
                name: span.name,
                trace: hex(&span.trace_id),
                id: hex(&span.span_id),
                parent: hex(&span.parent_span_id),
            }));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl MetricsService for Collector {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        for resource in request.into_inner().resource_metrics {
            let service = service_of(resource.resource.as_ref());
            for metric in resource.scope_metrics.into_iter().flat_map(|scope| scope.metrics) {
                let points = match metric.data {
                    Some(Data::Sum(sum)) => sum.data_points,
                    Some(Data::Gauge(gauge)) => gauge.data_points,
                    _ => continue,
                };
                let values = points.iter().map(|point| match point.value {
                    Some(number_data_point::Value::AsDouble(value)) => value,
                    _ => 0.0,
                });
                let key = (service.clone(), metric.name);
                self.numbers.lock().expect("a lock").insert(key, values.sum());
            }
        }
        Ok(Response::new(ExportMetricsServiceResponse::default()))
    }
}
