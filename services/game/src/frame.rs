//! Messages of a game's stream, ready to send: an update is encoded once, whoever watches, and only the time of sending is added for each. They go out as they are, past
//! tonic's own encoder: that one copies each, and keeps a buffer as large as the largest for as long as the stream is open.

use bytes::{BufMut, Bytes, BytesMut};
use kernel::Timestamp;
use ledger::Sequence;
use nigiri_proto::game::v1::{self as pb, watch_response::Message as Wire};
use platform::convert::to_proto_time;
use prost::Message;
use tonic::Status;

/// The key of `WatchResponse.update`: field 2, length-delimited.
const UPDATE: u8 = 2 << 3 | 2;

/// What stands before each message of gRPC: whether it is compressed, and its length in four bytes.
const HEAD: usize = 5;

/// A `WatchResponse`, encoded, with its head: as it goes out.
#[derive(Clone, Debug)]
pub struct Frame(Bytes);

impl Frame {
    /// Encodes a message.
    pub fn of(message: Wire) -> Self {
        let message = pb::WatchResponse { message: Some(message) };
        let mut frame = Self::begin(message.encoded_len());
        // A growing buffer always has room.
        let _room = message.encode(&mut frame);
        Self::end(frame)
    }

    /// A buffer for a message of about this length.
    fn begin(length: usize) -> BytesMut {
        let mut frame = BytesMut::with_capacity(HEAD + length);
        frame.put_bytes(0, HEAD);
        frame
    }

    fn end(mut frame: BytesMut) -> Self {
        let length = u32::try_from(frame.len() - HEAD).unwrap_or(u32::MAX);
        frame[1..HEAD].copy_from_slice(&length.to_be_bytes());
        Self(frame.freeze())
    }

    /// Its bytes.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// What it says.
    ///
    /// # Errors
    /// Never for what [`Frame::of`] and [`Update::frame`] make.
    pub fn decode(self) -> Result<pb::WatchResponse, Status> {
        pb::WatchResponse::decode(self.0.slice(HEAD..)).map_err(|error| Status::internal(error.to_string()))
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

    /// Whether both are one encoding.
    #[cfg(test)]
    pub fn is_one_with(&self, other: &Self) -> bool {
        std::ptr::eq(self.body.as_ptr(), other.body.as_ptr())
    }

    /// The message of a stream that is sent now.
    pub fn frame(&self, now: Timestamp) -> Frame {
        let mut frame = Frame::begin(self.body.len() + 32);
        self.write(UPDATE, now, &mut frame);
        Frame::end(frame)
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
