//! Messages of a stream of many games, ready to send: an update is encoded once, whoever follows.

use bytes::BufMut;
use kernel::Timestamp;
use nigiri_proto::{
    codec::{SmallCodec, buffers},
    game::v1::{PlayRequest, PlayResponse, play_response::Message as Wire},
};
use prost::{Message, encoding::encode_varint};
use tonic::{
    Status,
    codec::{BufferSettings, Codec, EncodeBuf, Encoder},
};

use crate::frame::Update;

/// The key of `PlayResponse.seat`: field 1, a varint.
const SEAT: u8 = 1 << 3;

/// The key of `PlayResponse.update`: field 4, length-delimited.
const UPDATE: u8 = 4 << 3 | 2;

/// A `PlayResponse`.
pub enum PlayFrame {
    /// As it stands.
    Message(Box<PlayResponse>),
    /// An update of a seat's game, sent at this moment.
    Update(u32, Update, Timestamp),
}

impl PlayFrame {
    /// A message about a seat; 0 for none.
    pub fn of(seat: u32, message: Wire) -> Self {
        Self::Message(Box::new(PlayResponse { seat, message: Some(message) }))
    }

    fn write(&self, buffer: &mut impl BufMut) -> Result<(), prost::EncodeError> {
        match self {
            Self::Message(message) => message.encode(buffer)?,
            Self::Update(seat, update, now) => {
                buffer.put_u8(SEAT);
                encode_varint(u64::from(*seat), buffer);
                update.write(UPDATE, *now, buffer);
            }
        }
        Ok(())
    }
}

/// Sends frames, receives requests.
#[derive(Clone, Copy, Debug)]
pub struct PlayCodec;

impl Codec for PlayCodec {
    type Encode = PlayFrame;
    type Decode = PlayRequest;
    type Encoder = PlayEncoder;
    type Decoder = <SmallCodec<PlayRequest, PlayRequest> as Codec>::Decoder;

    fn encoder(&mut self) -> Self::Encoder {
        PlayEncoder
    }

    fn decoder(&mut self) -> Self::Decoder {
        SmallCodec::<PlayRequest, PlayRequest>::default().decoder()
    }
}

/// The encoder of a [`PlayCodec`].
#[derive(Debug)]
pub struct PlayEncoder;

impl Encoder for PlayEncoder {
    type Item = PlayFrame;
    type Error = Status;

    fn encode(&mut self, frame: PlayFrame, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        frame.write(buffer).map_err(|error| Status::internal(error.to_string()))
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::GameUpdate;
    use platform::convert::to_proto_time;

    use super::*;

    /// What a client reads from a joined frame is the update of its seat, with the time of sending.
    #[test]
    fn a_frame_reads_as_the_update_of_its_seat() {
        let update = GameUpdate {
            sequence: 7,
            event_time: Some(to_proto_time(Timestamp::from_millis(5))),
            ..GameUpdate::default()
        };
        let now = Timestamp::from_millis(1_700_000_000_123);
        for seat in [1, 300] {
            let mut bytes = Vec::new();
            PlayFrame::Update(seat, Update::new(&update), now).write(&mut bytes).unwrap();
            let read = PlayResponse::decode(&bytes[..]).unwrap();
            let expected = GameUpdate { server_time: Some(to_proto_time(now)), ..update.clone() };
            assert_eq!(read, PlayResponse { seat, message: Some(Wire::Update(expected)) });
        }
    }
}
