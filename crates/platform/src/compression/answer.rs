use std::{
    io::Write as _,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use flate2::{Compression, write::GzEncoder};
use gzip::{HEAD, head, new_head};
use http_body::{Body as HttpBody, Frame};
use tonic::{Status, body::Body};

/// Messages of fewer bytes stay as they are: a move, an update, a heartbeat. Snapshots, records and lists are longer.
const SHORT: usize = 1024;

/// How hard gzip tries, up to 9.
const EFFORT: u32 = 4;

/// An answer whose longer messages are compressed.
pub struct Packing {
    inner: Body,
    /// What has come of a message that is not all here.
    begun: BytesMut,
}

impl Packing {
    /// The answer of this body.
    pub fn new(inner: Body) -> Self {
        Self { inner, begun: BytesMut::new() }
    }

    /// What can be sent of what has come: whole messages.
    fn take(&mut self, data: Bytes) -> Bytes {
        if self.begun.is_empty() && is_short(&data) {
            return data;
        }
        self.begun.extend_from_slice(&data);
        let mut out = BytesMut::new();
        while let Some((mark, length)) = head(&self.begun)
            && self.begun.len() - HEAD >= length
        {
            let message = self.begun.split_to(HEAD + length);
            let packed = if mark == 0 && length >= SHORT { packed(&message[HEAD..]) } else { None };
            out.extend_from_slice(packed.as_deref().unwrap_or(&message));
        }
        out.freeze()
    }
}

/// Whether these bytes are whole messages of which none is worth being compressed.
fn is_short(mut data: &[u8]) -> bool {
    while let Some((_, length)) = head(data) {
        match data[HEAD..].get(length..) {
            Some(rest) if length < SHORT => data = rest,
            _ => return false,
        }
    }
    data.is_empty()
}

/// The message with its head, compressed; none if that makes it no shorter.
fn packed(message: &[u8]) -> Option<Vec<u8>> {
    let mut start = Vec::with_capacity(HEAD + message.len() / 2);
    start.extend_from_slice(&[0; HEAD]);
    let mut encoder = GzEncoder::new(start, Compression::new(EFFORT));
    // Into memory: there is nothing that could fail.
    encoder.write_all(message).ok()?;
    let mut packed = encoder.finish().ok()?;
    let length = packed.len() - HEAD;
    packed[..HEAD].copy_from_slice(&new_head(1, length));
    (length < message.len()).then_some(packed)
}

impl HttpBody for Packing {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        loop {
            match ready!(Pin::new(&mut self.inner).poll_frame(context)?) {
                None => return Poll::Ready(None),
                Some(frame) => match frame.into_data() {
                    Ok(data) => {
                        let out = self.take(data);
                        if !out.is_empty() {
                            return Poll::Ready(Some(Ok(Frame::data(out))));
                        }
                    }
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    fn message(length: usize) -> Vec<u8> {
        [&new_head(0, length)[..], &vec![7; length]].concat()
    }

    /// However an answer is cut into pieces, its long messages are compressed, its short ones are not, and all of it is there in order.
    #[test]
    fn long_messages_are_compressed_and_short_ones_are_not() {
        let lengths = [3, 5000, 0, SHORT - 1, SHORT, 12];
        let all: Vec<u8> = lengths.iter().flat_map(|&length| message(length)).collect();
        for size in [1, 4, 7, 1000, all.len()] {
            let mut packing = Packing::new(Body::empty());
            let out: Vec<u8> =
                all.chunks(size).flat_map(|piece| packing.take(Bytes::copy_from_slice(piece))).collect();
            let mut rest = &out[..];
            for length in lengths {
                let (mark, packed) = head(rest).unwrap();
                let (body, after) = rest[HEAD..].split_at(packed);
                assert_eq!(mark, u8::from(length >= SHORT), "{length} in pieces of {size}");
                let mut read = Vec::new();
                if mark == 1 {
                    GzDecoder::new(body).read_to_end(&mut read).unwrap();
                } else {
                    read.extend_from_slice(body);
                }
                assert_eq!(read, vec![7; length]);
                rest = after;
            }
            assert!(rest.is_empty() && packing.begun.is_empty());
        }
    }
}
