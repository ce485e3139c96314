//! From bytes to text, by what the file says of its own encoding.

/// How bytes are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Charset {
    Utf8,
    /// One byte is one character of the same number: ISO 8859-1, the default of FF[4].
    Latin1,
    /// Two bytes a character for all that is not ASCII, the second of which may look like `]` or `\`: Chinese, Japanese and Korean
    /// encodings. The game in such a file can be read; its names are not, and become U+FFFD.
    DoubleByte,
}

/// The text of a file. Without `CA`, what is valid UTF-8 is that, and anything else Latin-1.
pub(super) fn decode(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match declared(bytes) {
        Some(Charset::Latin1) => latin1(bytes),
        Some(Charset::DoubleByte) => double_byte(bytes),
        Some(Charset::Utf8) => String::from_utf8_lossy(bytes).into_owned(),
        None => str::from_utf8(bytes).map_or_else(|_| latin1(bytes), str::to_owned),
    }
}

/// The charset that the first `CA` in the head of the file names, if we know it.
fn declared(bytes: &[u8]) -> Option<Charset> {
    const HEAD: usize = 4096;
    let head = &bytes[..bytes.len().min(HEAD)];
    let start = head.windows(3).position(|window| window == b"CA[")? + 3;
    // A name such as `BCA[` is another property; `Ca[` has never been written.
    if start >= 4 && head[start - 4].is_ascii_uppercase() {
        return None;
    }
    let name = head[start..].split(|&byte| byte == b']').next()?.to_ascii_lowercase();
    let name: Vec<u8> = name.into_iter().filter(u8::is_ascii_alphanumeric).collect();
    match &name[..] {
        b"utf8" | b"utf" | b"usascii" | b"ascii" => Some(Charset::Utf8),
        b"iso88591" | b"88591" | b"latin1" | b"windows1252" | b"cp1252" | b"iso885915" => {
            Some(Charset::Latin1)
        }
        b"gb2312" | b"gbk" | b"gb18030" | b"cp936" | b"big5" | b"cp950" | b"shiftjis" | b"sjis"
        | b"cp932" | b"windows31j" | b"eucjp" | b"euckr" | b"cp949" | b"ksc56011987" => {
            // Many such files have been converted since, and still say what they were.
            str::from_utf8(bytes).is_err().then_some(Charset::DoubleByte)
        }
        _ => None,
    }
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

fn double_byte(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte.is_ascii() {
            text.push(char::from(byte));
        } else {
            text.push(char::REPLACEMENT_CHARACTER);
            // The second byte of a character is never below 0x30, so that a line never ends within one.
            rest.next_if(|&second| second >= 0x30 && byte != 0x80 && byte != 0xFF);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same bytes are read as the file says; without a word, as what they can be; and a Japanese or Chinese character whose second byte
    /// looks like a bracket ends no value.
    #[test]
    fn bytes_are_read_as_the_file_says() {
        assert_eq!(decode("(;CA[UTF-8]PB[é囲])".as_bytes()), "(;CA[UTF-8]PB[é囲])");
        assert_eq!(decode("\u{feff}(;PB[囲])".as_bytes()), "(;PB[囲])");
        assert_eq!(decode(b"(;PB[Andr\xE9])"), "(;PB[André])");
        assert_eq!(decode("(;CA[ISO-8859-1]PB[é])".as_bytes()), "(;CA[ISO-8859-1]PB[Ã©])");
        assert_eq!(decode(b"(;CA[utf-8]PB[\xE9])"), "(;CA[utf-8]PB[\u{fffd}])");
        assert_eq!(
            decode(b"(;CA[Shift_JIS]PB[\x83\x5D\x83\x5C]B[aa])"),
            "(;CA[Shift_JIS]PB[\u{fffd}\u{fffd}]B[aa])"
        );
        assert_eq!(decode("(;CA[gb2312]PB[棋])".as_bytes()), "(;CA[gb2312]PB[棋])");
    }
}
