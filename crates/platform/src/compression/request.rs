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
use crate::status::{Failure, Reason};

/// The longest message that is uncompressed, in bytes: more than any call takes.
const LONGEST: usize = 64 * 1024;

/// A request whose messages are uncompressed as they come.
pub struct Unpacking {
    inner: Body,
    begun: BytesMut,
    broken: bool,
}

impl Unpacking {
    /// The request of this body.
    pub fn new(inner: Body) -> Self {
        Self { inner, begun: BytesMut::new(), broken: false }
    }

    /// What can be read of what has come: whole messages.
    fn take(&mut self, data: &[u8]) -> Result<Bytes, Failure> {
        self.begun.extend_from_slice(data);
        let mut out = BytesMut::new();
        while let Some((mark, length)) = head(&self.begun) {
            if length > LONGEST {
                return Err(too_large());
            }
            if self.begun.len() - HEAD < length {
                break;
            }
            let message = self.begun.split_to(HEAD + length);
            if mark == 1 {
                let message = unpacked(&message[HEAD..])?;
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
fn unpacked(packed: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut message = Vec::new();
    let most = u64::try_from(LONGEST + 1).unwrap_or(u64::MAX);
    match GzDecoder::new(packed).take(most).read_to_end(&mut message) {
        Ok(_) if message.len() > LONGEST => Err(too_large()),
        Ok(_) => Ok(message),
        Err(error) => {
            let words = format!("a message says that it is compressed by gzip, and is not: {error}");
            Err(Failure::new(Reason::InvalidRequest, words))
        }
    }
}

fn too_large() -> Failure {
    Failure::new(Reason::MessageTooLarge, format!("a compressed request has at most {LONGEST} bytes"))
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
                Ok(Err(failure)) => {
                    self.broken = true;
                    return Poll::Ready(Some(Err(failure.into())));
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
