//! From text to trees, in one pass and without recursion.

use super::{
    MAX_NODES, Reason,
    tree::{Collection, NONE, Span, short},
};
use crate::point::shorten;

/// Where a file is wrong, as an offset into its text, and why.
type Wrong = (usize, Reason);

/// Reads the text of a collection into its nodes.
pub(super) fn into(collection: &mut Collection) -> Result<(), Wrong> {
    // Apart, so that nodes can be added while it is read.
    let text = std::mem::take(&mut collection.text);
    let result = Parser { text: &text, at: 0, out: collection }.games();
    collection.text = text;
    result
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    out: &'a mut Collection,
}

impl Parser<'_> {
    fn games(&mut self) -> Result<(), Wrong> {
        while self.find_game() {
            self.game()?;
        }
        if self.out.roots.is_empty() { Err((0, Reason::NoGame)) } else { Ok(()) }
    }

    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Goes to the next `(` that a `;` follows; whatever stands before it is no game.
    fn find_game(&mut self) -> bool {
        while let Some(start) = self.rest().iter().position(|&byte| byte == b'(') {
            let behind = self.rest()[start + 1..].iter();
            let blank = behind.take_while(|byte| byte.is_ascii_whitespace()).count();
            if self.rest().get(start + 1 + blank) == Some(&b';') {
                self.at += start;
                return true;
            }
            self.at += start + 1 + blank;
        }
        false
    }

    /// One tree. `open` holds, for each `(` that is not closed, its place and the node that it hangs on.
    fn game(&mut self) -> Result<(), Wrong> {
        let mut open = vec![(self.at, NONE)];
        let mut node = NONE;
        // Whether a variation has been closed since the last node: then only others, or the end, may follow.
        let mut closed = false;
        self.at += 1;
        self.expect_node()?;
        loop {
            self.skip_blank();
            let Some(&byte) = self.rest().first() else {
                let (start, _) = open.last().copied().unwrap_or_default();
                return Err((start, Reason::Unclosed));
            };
            match byte {
                b'(' => {
                    open.push((self.at, node));
                    closed = false;
                    self.at += 1;
                    self.expect_node()?;
                }
                b')' => {
                    self.at += 1;
                    node = open.pop().map_or(NONE, |(_, node)| node);
                    closed = true;
                    if open.is_empty() {
                        return Ok(());
                    }
                }
                _ if closed => return Err((self.at, Reason::BehindVariation(self.character()))),
                b';' => node = self.node(node)?,
                b if b.is_ascii_alphabetic() => self.property()?,
                _ => return Err((self.at, Reason::Unexpected(self.character()))),
            }
        }
    }

    fn skip_blank(&mut self) {
        self.at += self.rest().iter().take_while(|&&byte| byte.is_ascii_whitespace() || byte == 0x0B).count();
    }

    fn character(&self) -> char {
        self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn expect_node(&mut self) -> Result<(), Wrong> {
        self.skip_blank();
        if self.rest().first() == Some(&b';') { Ok(()) } else { Err((self.at, Reason::NoNode)) }
    }

    fn node(&mut self, parent: u32) -> Result<u32, Wrong> {
        if self.out.nodes.len() >= MAX_NODES {
            return Err((self.at, Reason::TooManyNodes));
        }
        let node = self.out.push_node(parent, short(self.at));
        self.at += 1;
        Ok(node)
    }

    /// A name and its values.
    fn property(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name = self.span(start);
        let written = &self.text[start..self.at];
        if !written.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err((start, Reason::Name(shorten(written))));
        }
        self.skip_blank();
        if self.rest().first() != Some(&b'[') {
            return Err((start, Reason::NoValue(shorten(written))));
        }
        self.out.push_property(name);
        while self.rest().first() == Some(&b'[') {
            self.value()?;
            self.skip_blank();
        }
        Ok(())
    }

    /// A value, to the first `]` that no `\` escapes.
    fn value(&mut self) -> Result<(), Wrong> {
        let bracket = self.at;
        self.at += 1;
        let start = self.at;
        loop {
            let Some(next) = self.rest().iter().position(|&byte| byte == b']' || byte == b'\\') else {
                return Err((bracket, Reason::UnclosedValue));
            };
            self.at += next;
            if self.rest().starts_with(b"]") {
                let span = self.span(start);
                self.out.values.push(span);
                self.at += 1;
                return Ok(());
            }
            // An escaped character may have several bytes; none of the others is a bracket or an escape.
            self.at += 2;
        }
    }

    fn span(&self, start: usize) -> Span {
        Span { start: short(start), end: short(self.at) }
    }
}
