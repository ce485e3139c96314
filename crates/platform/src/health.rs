//! Whether this process can serve: by gRPC health checking, and by plain HTTP for probes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use http::StatusCode;
use parking_lot::Mutex;
use tonic_health::{
    ServingStatus,
    pb::health_server::{Health as HealthService, HealthServer},
    server::HealthReporter,
};

/// The process's health. Not ready until [`Health::set_ready`].
#[derive(Clone, Default)]
pub struct Health(Arc<Shared>);

#[derive(Default)]
struct Shared {
    ready: AtomicBool,
    reporter: Mutex<Option<(HealthReporter, Vec<&'static str>)>>,
}

impl Health {
    /// Says whether the process takes new work.
    pub async fn set_ready(&self, ready: bool) {
        self.0.ready.store(ready, Ordering::Release);
        let reporter = self.0.reporter.lock().clone();
        if let Some((reporter, services)) = reporter {
            let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
            for service in services.into_iter().chain([""]) {
                reporter.set_service_status(service, status).await;
            }
        }
    }

    pub(crate) fn respond(&self) -> (StatusCode, &'static str) {
        if self.0.ready.load(Ordering::Acquire) {
            (StatusCode::OK, "ready\n")
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, "not ready\n")
        }
    }

    pub(crate) async fn service(&self, services: &[&'static str]) -> HealthServer<impl HealthService> {
        let (reporter, service) = tonic_health::server::health_reporter();
        *self.0.reporter.lock() = Some((reporter, services.to_vec()));
        self.set_ready(self.0.ready.load(Ordering::Acquire)).await;
        service
    }
}
