use tonic::{Code, transport::Endpoint};

use crate::world::{World, call};

/// What callers invent is kept nowhere: a path that is none of ours becomes no label of the metrics, whether its caller is refused for want of a
/// token or for want of such a service.
#[tokio::test(flavor = "multi_thread")]
async fn made_up_paths_are_no_labels() {
    let world = World::with(&[]).await;
    let channel = Endpoint::from_shared(format!("http://{}", world.address)).unwrap().connect_lazy();
    for path in ["/invented.Service/One", "/nigiri.game.v1.GameService/InventedCall"] {
        let refused = call(channel.clone(), path).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unauthenticated);
    }
    // Somebody serves the whole of this one.
    call(channel, "/test.Words/InventedEcho").await.unwrap();
    let metrics = platform::telemetry::Metrics::install().render();
    assert!(metrics.contains("method=\"unknown\""), "{metrics}");
    assert!(!metrics.to_lowercase().contains("invented"), "{metrics}");
    world.stop().await;
}
