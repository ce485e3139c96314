//! As much of Redis's protocol (RESP2) as scripts that answer with numbers need.

use ::redis::{ErrorKind, RedisError, RedisResult, parse_redis_value};
use bytes::{BufMut, BytesMut};

/// A request that is being written: an array of strings.
#[derive(Debug)]
pub(super) struct Request<'a> {
    out: &'a mut BytesMut,
}

impl<'a> Request<'a> {
    /// Writes to the end of this buffer.
    pub fn new(out: &'a mut BytesMut) -> Self {
        Self { out }
    }

    /// Begins a request of so many strings.
    pub fn begin(&mut self, count: usize) {
        self.header(b'*', count);
    }

    /// The next string, in pieces.
    pub fn text(&mut self, pieces: &[&[u8]]) {
        self.header(b'$', pieces.iter().map(|piece| piece.len()).sum());
        pieces.iter().for_each(|piece| self.out.extend_from_slice(piece));
        self.out.extend_from_slice(b"\r\n");
    }

    /// The next string: a number.
    pub fn number(&mut self, number: u64) {
        let mut digits = [0; 20];
        let text = decimal(number, &mut digits);
        self.text(&[text]);
    }

    /// A whole request of these words.
    pub fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) {
        let words: Vec<&str> = words.into_iter().collect();
        self.begin(words.len());
        words.iter().for_each(|word| self.text(&[word.as_bytes()]));
    }

    fn header(&mut self, kind: u8, count: usize) {
        self.out.put_u8(kind);
        let mut digits = [0; 20];
        self.out.extend_from_slice(decimal(count as u64, &mut digits));
        self.out.extend_from_slice(b"\r\n");
    }
}

/// A number's digits.
pub(super) fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[first..];
        }
    }
}

/// What a server answered, and how many bytes that took.
type Taken = (RedisResult<Vec<i64>>, usize);

/// The first answer in a buffer: an array of numbers, or an error. None if it is not there as a whole.
///
/// # Errors
/// When it is anything else: then nothing that follows can be understood.
pub(super) fn numbers(buffer: &[u8]) -> RedisResult<Option<Taken>> {
    let Some((head, mut at)) = split_line(buffer, 0) else { return Ok(None) };
    match head.split_first() {
        Some((b'*', count)) => {
            let count = usize::try_from(integer(count)?).map_err(|_| nonsense())?;
            let mut all = Vec::with_capacity(count.min(16));
            for _ in 0..count {
                let Some((line, next)) = split_line(buffer, at) else { return Ok(None) };
                let Some((b':', number)) = line.split_first() else { return Err(nonsense()) };
                all.push(integer(number)?);
                at = next;
            }
            Ok(Some((Ok(all), at)))
        }
        Some((b'-', _)) => {
            let error = parse_redis_value(&buffer[..at]).and_then(::redis::Value::extract_error);
            Ok(Some((Err(error.err().unwrap_or_else(nonsense)), at)))
        }
        _ => Err(nonsense()),
    }
}

/// How many bytes the first answer in a buffer takes, if it is there and says that all is well.
///
/// # Errors
/// When the server says no.
pub(super) fn line(buffer: &[u8]) -> RedisResult<Option<usize>> {
    let Some((head, at)) = split_line(buffer, 0) else { return Ok(None) };
    if head.starts_with(b"+") {
        return Ok(Some(at));
    }
    parse_redis_value(&buffer[..at]).and_then(::redis::Value::extract_error)?;
    Err(nonsense())
}

/// The line that begins there, without its end, and where the next one begins.
fn split_line(buffer: &[u8], from: usize) -> Option<(&[u8], usize)> {
    let rest = buffer.get(from..)?;
    let end = rest.iter().position(|byte| *byte == b'\r').filter(|end| rest.get(end + 1) == Some(&b'\n'))?;
    Some((&rest[..end], from + end + 2))
}

fn integer(text: &[u8]) -> RedisResult<i64> {
    str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(nonsense)
}

fn nonsense() -> RedisError {
    RedisError::from((ErrorKind::Parse, "an answer that makes no sense"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers are taken whole or not at all, however they arrive; what is no answer to a script of ours ends the connection.
    #[test]
    fn answers_are_taken_whole() {
        let whole = b"*3\r\n:0\r\n:-17\r\n:1700000000000\r\n*0\r\n-NOSCRIPT No matching script.\r\n";
        let (first, taken) = numbers(whole).unwrap().unwrap();
        assert_eq!(first.unwrap(), [0, -17, 1_700_000_000_000]);
        for short in 0..taken {
            assert!(numbers(&whole[..short]).unwrap().is_none(), "{short} bytes");
        }
        let (second, next) = numbers(&whole[taken..]).unwrap().unwrap();
        assert!(second.unwrap().is_empty());
        let (third, _) = numbers(&whole[taken + next..]).unwrap().unwrap();
        let kind = third.unwrap_err().kind();
        assert_eq!(kind, ErrorKind::Server(::redis::ServerErrorKind::NoScript));
        for wrong in [&b"$3\r\nabc\r\n"[..], b"*1\r\n+OK\r\n", b"*x\r\n", b"*-1\r\n", b"\r\n", b"*1\r\n:\r\n"]
        {
            assert!(numbers(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(line(b"+OK\r\n+OK\r\n").unwrap(), Some(5));
        assert!(line(b"-WRONGPASS no\r\n").is_err() && line(b"+O").unwrap().is_none());
    }

    /// A request reads as the array of its strings.
    #[test]
    fn a_request_is_an_array_of_strings() {
        let mut out = BytesMut::new();
        let mut request = Request::new(&mut out);
        request.begin(4);
        request.text(&[b"GE", b"T"]);
        request.number(0);
        request.number(u64::MAX);
        request.text(&[]);
        assert_eq!(&out[..], b"*4\r\n$3\r\nGET\r\n$1\r\n0\r\n$20\r\n18446744073709551615\r\n$0\r\n\r\n");
    }
}
