use std::{
    collections::HashSet,
    sync::{Arc, LazyLock},
};

use http::Response;
use prost::Message;
use prost_types::{FileDescriptorSet, MethodDescriptorProto};
use tonic::body::Body;

use super::{Bans, Identity};
use crate::ending::end_with;

/// The paths of what is served here: the API, health and reflection.
static SERVED: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut paths = paths(nigiri_proto::DESCRIPTOR_SET, |_| true);
    paths.extend(self::paths(tonic_health::pb::FILE_DESCRIPTOR_SET, |_| true));
    paths.extend(self::paths(tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET, |_| true));
    paths
});

/// The paths of the API's streams.
static STREAMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| paths(nigiri_proto::DESCRIPTOR_SET, MethodDescriptorProto::server_streaming));

/// The paths of these methods of a descriptor set.
fn paths(set: &[u8], wanted: impl Fn(&MethodDescriptorProto) -> bool) -> HashSet<String> {
    let set = FileDescriptorSet::decode(set).unwrap_or_default();
    let mut paths = HashSet::new();
    for file in &set.file {
        for service in &file.service {
            for method in service.method.iter().filter(|method| wanted(method)) {
                paths.insert(format!("/{}.{}/{}", file.package(), service.name(), method.name()));
            }
        }
    }
    paths
}

/// Whether a path is one of ours, whoever serves it, and not a caller's invention.
pub(crate) fn is_served(path: &str) -> bool {
    SERVED.contains(path)
}

/// Whether a path is that of a stream.
pub fn is_stream(path: &str) -> bool {
    STREAMS.contains(path)
}

/// Whether a call may be a stream: ours, or reflection's and health's.
pub(crate) fn lasts(path: &str) -> bool {
    is_stream(path) || path.starts_with("/grpc.")
}

/// Ends a stream's answer, with the reason, as soon as its caller is out.
pub fn guard(response: Response<Body>, bans: &Arc<Bans>, identity: Arc<Identity>) -> Response<Body> {
    end_with(response, Arc::clone(bans).out(identity))
}

#[cfg(test)]
mod tests {
    use std::{
        pin::Pin,
        task::{Context, Poll},
        time::Duration,
    };

    use bytes::Bytes;
    use http_body::{Body as HttpBody, Frame};
    use kernel::{PlayerId, Timestamp};
    use ledger::ManualClock;
    use nigiri_proto::events::v1::{AccountNotice, PlayerBanned, account_notice::Event};
    use tonic::Status;

    use super::*;
    use crate::auth::{Role, Subject};

    /// An open stream that has nothing to say ends with the reason when its caller is banned, and another's goes on.
    #[tokio::test]
    async fn an_open_stream_ends_with_the_reason() {
        let now = Timestamp::from_millis(1_800_000_000_000);
        let bans = Arc::new(Bans::new(ManualClock::new(now).clock()));
        let [one, two] = [1, 2].map(|seed| PlayerId::from_uuid(uuid::Uuid::from_u128(seed)));
        let open = |player| {
            let identity = Identity {
                subject: Subject::Player(player),
                name: "Honinbo".into(),
                role: Role::Player,
                guest: true,
                session: None,
                expires: now + Duration::from_secs(900),
            };
            guard(Response::new(Body::new(silent())), &bans, Arc::new(identity)).into_body()
        };
        let (mut banned, mut other) = (open(one), open(two));
        let mut next = tokio::spawn(async move {
            std::future::poll_fn(|context| Pin::new(&mut banned).poll_frame(context)).await
        });
        assert!(tokio::time::timeout(Duration::from_millis(20), &mut next).await.is_err(), "nothing yet");
        bans.apply(&AccountNotice {
            player_id: one.to_string(),
            revision: 1,
            tokens_expire_time: Some(crate::convert::to_proto_time(now + Duration::from_secs(900))),
            event: Some(Event::Banned(PlayerBanned {
                reason: "stalling".to_owned(),
                ..PlayerBanned::default()
            })),
            ..AccountNotice::default()
        });
        let frame = next.await.unwrap().unwrap().unwrap();
        let status = Status::from_header_map(frame.trailers_ref().unwrap()).unwrap();
        assert_eq!(crate::status::reason_of(&status).as_deref(), Some("BANNED"));
        let quiet = std::future::poll_fn(|context| Pin::new(&mut other).poll_frame(context));
        assert!(tokio::time::timeout(Duration::from_millis(20), quiet).await.is_err());
    }

    /// A body that never says anything.
    fn silent() -> impl HttpBody<Data = Bytes, Error = Status> + Send + 'static {
        struct Silent;
        impl HttpBody for Silent {
            type Data = Bytes;
            type Error = Status;
            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
                Poll::Pending
            }
        }
        Silent
    }

    /// The streams of the API are known by their descriptors, and nothing else is one.
    #[test]
    fn streams_are_known_by_their_descriptors() {
        assert!(is_stream("/nigiri.game.v1.GameService/Watch"));
        assert!(!is_stream("/nigiri.game.v1.GameService/PlayMove") && !is_stream("/"));
        for ours in [
            "/nigiri.game.v1.GameService/PlayMove",
            "/grpc.health.v1.Health/Check",
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        ] {
            assert!(is_served(ours), "{ours}");
        }
        assert!(!is_served("/nigiri.game.v1.GameService/Cheat") && !is_served("/"));
    }
}
