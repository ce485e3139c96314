//! Protobuf messages with buffers of our size: tonic's own begins every call with two of 8 KiB, and a stream keeps one for as long as it
//! lives. Most of our messages have some hundred bytes, and there are tens of thousands of streams.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// Bytes that a message's buffer begins with, and grows by.
const BUFFER: usize = 512;

/// Bytes of messages that a stream sends at once.
const YIELD: usize = 32 * 1024;

/// The buffers of a call.
#[must_use]
pub fn buffers() -> BufferSettings {
    BufferSettings::new(BUFFER, YIELD)
}

/// The codec of all our services and clients.
#[derive(Debug, Clone)]
pub struct SmallCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for SmallCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for SmallCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(buffers())
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(buffers())
    }
}
