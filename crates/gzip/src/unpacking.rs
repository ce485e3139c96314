use std::{
    io::Read as _,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use flate2::read::GzDecoder;
use http_body::{Body as HttpBody, Frame};
use tonic::{Status, body::Body};

use super::{HEAD, head, new_head};

/// Why a message cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It is longer than it may be, compressed or not.
    #[error("a message has at most {most} bytes")]
    TooLong {
        /// How long it may be.
        most: usize,
    },
    /// It is marked as compressed and is not.
    #[error("a message says that it is compressed by gzip, and is not: {0}")]
    Malformed(std::io::Error),
}

/// A body whose messages are uncompressed as they come.
pub struct Unpacking {
    inner: Body,
    most: usize,
    refuse: fn(Fault) -> Status,
    begun: BytesMut,
    broken: bool,
}

impl Unpacking {
    /// The messages of this body, none of which may have more than `most` bytes when it is uncompressed. The body ends with what `refuse`
    /// makes of the first fault.
    pub fn new(inner: Body, most: usize, refuse: fn(Fault) -> Status) -> Self {
        Self { inner, most, refuse, begun: BytesMut::new(), broken: false }
    }

    /// What can be read of what has come: whole messages.
    fn take(&mut self, data: &[u8]) -> Result<Bytes, Fault> {
        self.begun.extend_from_slice(data);
        let mut out = BytesMut::new();
        while let Some((mark, length)) = head(&self.begun) {
            if length > self.most {
                return Err(Fault::TooLong { most: self.most });
            }
            if self.begun.len() - HEAD < length {
                break;
            }
            let message = self.begun.split_to(HEAD + length);
            if mark == 1 {
                let message = unpacked(&message[HEAD..], self.most)?;
                out.extend_from_slice(&new_head(0, message.len()));
                out.extend_from_slice(&message);
            } else {
                out.extend_from_slice(&message);
            }
        }
        Ok(out.freeze())
    }
}

/// A message as it was before it was compressed. Whatever it would come to, no more of it is made than may be.
fn unpacked(packed: &[u8], most: usize) -> Result<Vec<u8>, Fault> {
    let mut message = Vec::new();
    let read = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    match GzDecoder::new(packed).take(read).read_to_end(&mut message) {
        Ok(_) if message.len() > most => Err(Fault::TooLong { most }),
        Ok(_) => Ok(message),
        Err(error) => Err(Fault::Malformed(error)),
    }
}

impl HttpBody for Unpacking {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        while !self.broken {
            let Some(frame) = ready!(Pin::new(&mut self.inner).poll_frame(context)?) else { break };
            match frame.into_data().map(|data| self.take(&data)) {
                Ok(Ok(out)) if out.is_empty() => {}
                Ok(Ok(out)) => return Poll::Ready(Some(Ok(Frame::data(out)))),
                Ok(Err(fault)) => {
                    self.broken = true;
                    return Poll::Ready(Some(Err((self.refuse)(fault))));
                }
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        self.broken || self.inner.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn framed(mark: u8, message: &[u8]) -> Vec<u8> {
        [&new_head(mark, message.len())[..], message].concat()
    }

    fn packed(message: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(message).unwrap();
        framed(1, &encoder.finish().unwrap())
    }

    fn unpacking(most: usize) -> Unpacking {
        Unpacking::new(Body::empty(), most, |fault| Status::internal(fault.to_string()))
    }

    /// However a body is cut into pieces, what comes out is all of its messages in order, none of them compressed.
    #[test]
    fn messages_come_out_as_they_were() {
        let (long, short) = (vec![7; 5000], b"abc".to_vec());
        let all = [packed(&long), framed(0, &short), packed(&short), framed(0, b"")].concat();
        let plain = [framed(0, &long), framed(0, &short), framed(0, &short), framed(0, b"")].concat();
        for size in [1, 4, 7, 1000, all.len()] {
            let mut unpacking = unpacking(5000);
            let out: Vec<u8> = all.chunks(size).flat_map(|piece| unpacking.take(piece).unwrap()).collect();
            assert_eq!(out, plain, "in pieces of {size}");
        }
    }

    /// A message that is too long is refused before it is made, and so is one that is none.
    #[test]
    fn what_is_too_long_is_never_made() {
        for body in [packed(&[7; 5001]), framed(0, &[7; 5001]), new_head(1, 1 << 30).to_vec()] {
            assert!(matches!(unpacking(5000).take(&body), Err(Fault::TooLong { most: 5000 })));
        }
        assert!(matches!(unpacking(5000).take(&framed(1, b"no gzip")), Err(Fault::Malformed(_))));
    }
}
