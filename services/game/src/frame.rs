//! Messages of a game's stream, ready to send: an update is encoded once, whoever watches, and only the time of sending is added for each.

use std::marker::PhantomData;

use bytes::{BufMut, Bytes, BytesMut};
use kernel::Timestamp;
use ledger::Sequence;
use nigiri_proto::{
    codec::{SmallCodec, buffers},
    game::v1::{self as pb, watch_response::Message as Wire},
};
use platform::convert::to_proto_time;
use prost::Message;
use tonic::{
    Status,
    codec::{BufferSettings, Codec, EncodeBuf, Encoder},
};

/// The key of `WatchResponse.update`: field 2, length-delimited.
const UPDATE: u8 = 2 << 3 | 2;

/// A `WatchResponse`, encoded.
#[derive(Clone, Debug)]
pub struct Frame(Bytes);

impl Frame {
    /// Encodes a message.
    pub fn of(message: Wire) -> Self {
        Self(pb::WatchResponse { message: Some(message) }.encode_to_vec().into())
    }

    /// What it says.
    ///
    /// # Errors
    /// Never for what [`Frame::of`] and [`Update::frame`] make.
    pub fn decode(self) -> Result<pb::WatchResponse, Status> {
        pb::WatchResponse::decode(self.0).map_err(|error| Status::internal(error.to_string()))
    }
}

/// A `GameUpdate` without its `server_time`, encoded.
#[derive(Clone, Debug)]
pub struct Update {
    /// The entry that it tells of.
    pub sequence: Sequence,
    body: Bytes,
}

/// The part of a `GameUpdate` that says when it was sent. Protobuf allows a message's fields to be encoded one after the other, and joined.
#[derive(Clone, PartialEq, Message)]
struct Sent {
    #[prost(message, optional, tag = "5")]
    server_time: Option<prost_types::Timestamp>,
}

impl Update {
    /// Encodes an update.
    pub fn new(update: &pb::GameUpdate) -> Self {
        Self { sequence: update.sequence, body: update.encode_to_vec().into() }
    }

    /// The message of a stream that is sent now.
    pub fn frame(&self, now: Timestamp) -> Frame {
        let mut frame = BytesMut::with_capacity(self.body.len() + 32);
        self.write(UPDATE, now, &mut frame);
        Frame(frame.freeze())
    }

    /// Writes it as a field with this key, sent now, to a buffer that grows.
    pub fn write(&self, key: u8, now: Timestamp, buffer: &mut impl BufMut) {
        let sent = Sent { server_time: Some(to_proto_time(now)) };
        buffer.put_u8(key);
        // A growing buffer always has room.
        let _room = prost::encode_length_delimiter(self.body.len() + sent.encoded_len(), buffer);
        buffer.put_slice(&self.body);
        let _room = sent.encode(buffer);
    }
}

/// Sends frames as they are; `U` is what the client says.
#[derive(Debug, Clone)]
pub struct FrameCodec<U>(PhantomData<U>);

impl<U> Default for FrameCodec<U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<U: Message + Default + Send + 'static> Codec for FrameCodec<U> {
    type Encode = Frame;
    type Decode = U;
    type Encoder = FrameEncoder;
    type Decoder = <SmallCodec<U, U> as Codec>::Decoder;

    fn encoder(&mut self) -> Self::Encoder {
        FrameEncoder
    }

    fn decoder(&mut self) -> Self::Decoder {
        SmallCodec::<U, U>::default().decoder()
    }
}

/// The encoder of a [`FrameCodec`].
#[derive(Debug)]
pub struct FrameEncoder;

impl Encoder for FrameEncoder {
    type Item = Frame;
    type Error = Status;

    fn encode(&mut self, frame: Frame, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(frame.0);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a client reads from a joined frame is the update with its time of sending, for short and for long updates.
    #[test]
    fn a_frame_reads_as_the_update_with_its_time() {
        for points in [0, 3, 400] {
            let illegal =
                |n: usize| pb::IllegalPoint { point: format!("A{n}"), reason: pb::IllegalReason::Ko.into() };
            let update = pb::GameUpdate {
                sequence: 7,
                event_time: Some(to_proto_time(Timestamp::from_millis(5))),
                events: Vec::new(),
                state: Some(pb::TurnState {
                    ply: 6,
                    illegal_points: (0..points).map(illegal).collect(),
                    ..Default::default()
                }),
                server_time: None,
            };
            let now = Timestamp::from_millis(1_700_000_000_123);
            let read = Update::new(&update).frame(now).decode().expect("a frame reads");
            let expected = pb::GameUpdate { server_time: Some(to_proto_time(now)), ..update };
            assert_eq!(read.message, Some(Wire::Update(expected)));
        }
    }
}
