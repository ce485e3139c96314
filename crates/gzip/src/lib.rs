//! Messages of gRPC that are compressed by gzip, as they stand in a body: what servers and clients both need of it.
//!
//! A body is a row of messages. Before each stand a mark, which says whether it is compressed, and its length; so each is compressed or not by itself.

mod unpacking;

pub use unpacking::{Fault, Unpacking};

/// What stands before each message: its mark (a byte), and its length (four, the highest first).
pub const HEAD: usize = 5;

/// The mark and the length of the message that begins here; none while its head is not all there.
pub fn head(bytes: &[u8]) -> Option<(u8, usize)> {
    let (head, _) = bytes.split_first_chunk::<HEAD>()?;
    let [mark, length @ ..] = *head;
    Some((mark, usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX)))
}

/// A head.
pub fn new_head(mark: u8, length: usize) -> [u8; HEAD] {
    let [a, b, c, d] = u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    [mark, a, b, c, d]
}
