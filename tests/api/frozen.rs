//! A client that was built from the first version of the API, before anything was added to it.

use bytes::{Buf, BufMut};
use nigiri_proto::DESCRIPTOR_SET;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MethodDescriptor, Value};
use testkit::{World, eventually};
use tonic::{
    Request, Status, Streaming,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::Channel,
};

use crate::calls::SOON;

/// The API as it was. Never changed; see `make proto`.
const FROZEN: &[u8] = include_bytes!("../../proto/frozen/v1.binpb");

/// Messages as they are described, not as they are generated.
struct Dynamic(MethodDescriptor);

impl Codec for Dynamic {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self(self.0.clone())
    }

    fn decoder(&mut self) -> Self {
        Self(self.0.clone())
    }
}

impl Encoder for Dynamic {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, message: DynamicMessage, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&message.encode_to_vec());
        Ok(())
    }
}

impl Decoder for Dynamic {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let bytes = from.copy_to_bytes(from.remaining());
        let message = DynamicMessage::decode(self.0.output(), bytes);
        message.map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}

struct OldClient {
    pool: DescriptorPool,
    channel: Channel,
    token: String,
}

impl OldClient {
    /// A call by its service and its name, with these fields.
    async fn call(
        &self,
        service: &str,
        call: &str,
        fields: &[(&str, Value)],
    ) -> Result<Streaming<DynamicMessage>, Status> {
        let service = self.pool.get_service_by_name(service).expect("a service of the old API");
        let method = service.methods().find(|method| method.name() == call).expect("a call of the old API");
        let mut message = DynamicMessage::new(method.input());
        for (name, value) in fields {
            message.set_field_by_name(name, value.clone());
        }
        let mut request = Request::new(message);
        if !self.token.is_empty() {
            let value = format!("Bearer {}", self.token).parse().expect("ASCII");
            request.metadata_mut().insert("authorization", value);
        }
        let mut client = Grpc::new(self.channel.clone());
        client.ready().await.expect("a connection");
        let uri = format!("/{}/{call}", service.full_name()).parse().expect("a path");
        Ok(client.server_streaming(request, uri, Dynamic(method)).await?.into_inner())
    }

    /// Likewise, and its one answer.
    async fn answer(
        &self,
        service: &str,
        call: &str,
        fields: &[(&str, Value)],
    ) -> Result<DynamicMessage, Status> {
        let mut stream = self.call(service, call, fields).await?;
        stream.message().await?.ok_or_else(|| Status::internal("no answer"))
    }
}

/// The value at a path of names.
fn at(message: &DynamicMessage, path: &[&str]) -> Value {
    let mut value = Value::Message(message.clone());
    for name in path {
        let inner = value.as_message().expect("a message on the way");
        value = inner.get_field_by_name(name).unwrap_or_else(|| panic!("{name} in {inner:?}")).into_owned();
    }
    value
}

fn text(message: &DynamicMessage, path: &[&str]) -> String {
    at(message, path).as_str().expect("a text").to_owned()
}

/// It signs in, begins a game against the AI, plays, and reads the stream to the AI's answer, whatever has been added since.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_first_version_plays_on() {
    const GAME: &str = "nigiri.game.v1.GameService";
    let world = World::start().await;
    let pool = DescriptorPool::decode(FROZEN).expect("descriptors");
    let mut old = OldClient { pool, channel: world.channel(), token: String::new() };
    let name = [("nickname", Value::String("Yore".into()))];
    let signed =
        old.answer("nigiri.session.v1.SessionService", "SignInAsGuest", &name).await.expect("signed in");
    old.token = text(&signed, &["tokens", "access_token"]);
    let wish = [
        ("level", Value::EnumNumber(1)),
        ("color", Value::EnumNumber(1)),
        ("request_id", Value::String("one".into())),
    ];
    let begin =
        || async { old.answer("nigiri.matchmaking.v1.MatchmakingService", "StartAiGame", &wish).await.ok() };
    let game = Value::String(text(&eventually("a bot", SOON, begin).await, &["game_id"]));

    let mut watch = old.call(GAME, "Watch", &[("game_id", game.clone())]).await.expect("a stream");
    let first = watch.message().await.expect("a stream").expect("a message");
    assert_eq!(at(&first, &["snapshot", "state", "turn"]), Value::EnumNumber(1));
    let ply = at(&first, &["snapshot", "state", "ply"]);
    let stone = [
        ("game_id", game),
        ("ply", ply),
        ("point", Value::String("E5".into())),
        ("command_id", Value::String("a".into())),
    ];
    let sequence = at(&old.answer(GAME, "PlayMove", &stone).await.expect("a move"), &["sequence"]);
    assert_eq!(sequence, Value::U64(2));
    loop {
        let next = watch.message().await.expect("a stream").expect("a message");
        if next.has_field_by_name("update") && at(&next, &["update", "state", "ply"]) == Value::U32(2) {
            break;
        }
    }
    world.stop().await;
}

/// The name of a field's type.
fn kind(field: &FieldDescriptor) -> String {
    match field.kind() {
        Kind::Message(message) => message.full_name().to_owned(),
        Kind::Enum(kind) => kind.full_name().to_owned(),
        scalar => format!("{scalar:?}"),
    }
}

/// Whatever the first version has is there still, under its number and with its type: calls, fields, values.
#[test]
fn nothing_of_the_first_version_has_changed() {
    let (old, new) = (DescriptorPool::decode(FROZEN), DescriptorPool::decode(DESCRIPTOR_SET));
    let (old, new) = (old.expect("descriptors"), new.expect("descriptors"));
    for service in old.services() {
        let now = new
            .get_service_by_name(service.full_name())
            .unwrap_or_else(|| panic!("no {}", service.full_name()));
        for call in service.methods() {
            let same = now.methods().any(|now| {
                now.name() == call.name()
                    && now.input().full_name() == call.input().full_name()
                    && now.output().full_name() == call.output().full_name()
                    && (now.is_client_streaming(), now.is_server_streaming())
                        == (call.is_client_streaming(), call.is_server_streaming())
            });
            assert!(same, "{} has changed", call.full_name());
        }
    }
    for message in old.all_messages() {
        let now = new
            .get_message_by_name(message.full_name())
            .unwrap_or_else(|| panic!("no {}", message.full_name()));
        for field in message.fields() {
            let found = now.get_field(field.number());
            let shape = |field: &FieldDescriptor| {
                (field.name().to_owned(), kind(field), field.cardinality(), field.supports_presence())
            };
            assert_eq!(found.as_ref().map(shape), Some(shape(&field)), "{}", field.full_name());
        }
    }
    for kind in old.all_enums() {
        let now = new.get_enum_by_name(kind.full_name()).unwrap_or_else(|| panic!("no {}", kind.full_name()));
        for value in kind.values() {
            let found = now.get_value(value.number()).map(|value| value.name().to_owned());
            assert_eq!(found.as_deref(), Some(value.name()), "{}", value.full_name());
        }
    }
}
