//! A file as a forest of nodes with properties, kept flat: a node costs 24 bytes and a value 8, besides the text itself.

use std::fmt;

use super::{
    Error, MAX_BYTES, Reason, charset, parse,
    text::{self, Place},
};

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// A file: its game trees, in order.
#[derive(Clone, Default)]
pub struct Collection {
    /// The text that values lie in, as it was written.
    pub(super) text: String,
    pub(super) nodes: Vec<Links>,
    pub(super) properties: Vec<Slots>,
    pub(super) values: Vec<Span>,
    pub(super) roots: Vec<u32>,
}

/// Where a node hangs, and where its properties begin: they end where those of the next node begin.
#[derive(Clone, Copy)]
pub(super) struct Links {
    pub(super) parent: u32,
    pub(super) child: u32,
    pub(super) last_child: u32,
    pub(super) sibling: u32,
    pub(super) properties: u32,
    /// Where the node stands in the text.
    pub(super) place: u32,
}

/// A property: its name, and where its values begin. They end where those of the next property begin.
#[derive(Clone, Copy)]
pub(super) struct Slots {
    pub(super) name: Span,
    pub(super) values: u32,
}

/// Bytes of the text.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Collection {
    /// Reads a file.
    ///
    /// # Errors
    /// Where it is wrong, and why. A file with an error in any game is refused whole.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() > MAX_BYTES {
            return Err(Error { line: 1, column: 1, reason: Reason::TooLarge(bytes.len()) });
        }
        let mut collection = Self { text: charset::decode(bytes), ..Self::default() };
        match parse::into(&mut collection) {
            Ok(()) => Ok(collection),
            Err((offset, reason)) => Err(collection.error(offset, reason)),
        }
    }

    /// The roots of its games.
    pub fn games(&self) -> impl ExactSizeIterator<Item = Node<'_>> {
        self.roots.iter().map(|&index| Node { all: self, index })
    }

    /// An error at a place in the text.
    pub(super) fn error(&self, offset: usize, reason: Reason) -> Error {
        let Place { line, column } = text::place(&self.text, offset);
        Error { line, column, reason }
    }

    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Adds a node behind its parent's last child, or as the root of a new game.
    pub(super) fn push_node(&mut self, parent: u32, place: u32) -> u32 {
        let new = short(self.nodes.len());
        let properties = short(self.properties.len());
        self.nodes.push(Links { parent, child: NONE, last_child: NONE, sibling: NONE, properties, place });
        let Some(links) = self.nodes.get_mut(parent as usize) else {
            self.roots.push(new);
            return new;
        };
        let brother = std::mem::replace(&mut links.last_child, new);
        match self.nodes.get_mut(brother as usize) {
            Some(brother) => brother.sibling = new,
            None => self.nodes[parent as usize].child = new,
        }
        new
    }

    /// Adds a property to the newest node.
    pub(super) fn push_property(&mut self, name: Span) {
        let values = short(self.values.len());
        self.properties.push(Slots { name, values });
    }
}

/// Everything is counted in 32 bits: a file is smaller than that.
pub(super) fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

/// A node of a game tree.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    all: &'a Collection,
    index: u32,
}

impl<'a> Node<'a> {
    fn links(self) -> Links {
        self.all.nodes[self.index as usize]
    }

    fn other(self, index: u32) -> Option<Self> {
        (index != NONE).then_some(Self { index, ..self })
    }

    /// The node before.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        self.other(self.links().parent)
    }

    /// The nodes that follow: the first continues the main line, the others are variations.
    pub fn children(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.other(self.links().child), |child| child.other(child.links().sibling))
    }

    /// This node and those that follow it on the main line.
    pub fn main_line(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |node| node.other(node.links().child))
    }

    /// Its properties, in the order of the file.
    pub fn properties(self) -> impl Iterator<Item = Property<'a>> {
        let all = self.all;
        let end =
            all.nodes.get(self.index as usize + 1).map_or(all.properties.len(), |n| n.properties as usize);
        (self.links().properties as usize..end).map(move |index| Property { all, index })
    }

    /// The first property of that name.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Property<'a>> {
        self.properties().find(|property| property.is(name))
    }

    /// An error about this node.
    #[must_use]
    pub fn error(self, reason: Reason) -> Error {
        self.all.error(self.links().place as usize, reason)
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.properties()).finish()
    }
}

/// A property of a node: a name and one or more values.
#[derive(Clone, Copy)]
pub struct Property<'a> {
    all: &'a Collection,
    index: usize,
}

impl<'a> Property<'a> {
    /// The name in capital letters, as FF[4] has it: `B` also where an old file says `Black`.
    #[must_use]
    pub fn name(self) -> String {
        self.written_name().chars().filter(char::is_ascii_uppercase).collect()
    }

    fn written_name(self) -> &'a str {
        self.all.slice(self.all.properties[self.index].name)
    }

    /// Whether it has that name.
    #[must_use]
    pub fn is(self, name: &str) -> bool {
        self.written_name().bytes().filter(u8::is_ascii_uppercase).eq(name.bytes())
    }

    /// The values as they stand in the file, escapes included.
    pub fn raw(self) -> impl Iterator<Item = &'a str> {
        self.spans().iter().map(move |&span| self.all.slice(span))
    }

    /// The values, each with its place for errors.
    pub(super) fn placed(self) -> impl Iterator<Item = (usize, &'a str)> {
        self.spans().iter().map(move |&span| (span.start as usize, self.all.slice(span)))
    }

    fn spans(self) -> &'a [Span] {
        let start = self.all.properties[self.index].values as usize;
        let next = self.all.properties.get(self.index + 1);
        let end = next.map_or(self.all.values.len(), |next| next.values as usize);
        self.all.values.get(start..end).unwrap_or_default()
    }

    /// The first value as text with line breaks.
    #[must_use]
    pub fn text(self) -> String {
        text::read(self.raw().next().unwrap_or_default())
    }

    /// The first value as text on one line.
    #[must_use]
    pub fn simple_text(self) -> String {
        text::read_simple(self.raw().next().unwrap_or_default())
    }

    /// An error about a place of the file.
    pub(super) fn error(self, offset: usize, reason: Reason) -> Error {
        self.all.error(offset, reason)
    }
}

impl fmt::Debug for Property<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())?;
        self.raw().try_for_each(|value| write!(f, "[{value}]"))
    }
}

impl fmt::Debug for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Writes the file again: the same trees with the same values, capital names, and nothing else of what stood between them.
impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for root in self.games() {
            // What is still to write: a node, or the end of a variation.
            let mut open = vec![Some(root)];
            f.write_str("(")?;
            while let Some(next) = open.pop() {
                let Some(node) = next else {
                    f.write_str(")")?;
                    continue;
                };
                let alone = node.parent().is_none_or(|parent| parent.children().nth(1).is_none());
                if !alone {
                    f.write_str("\n(")?;
                    open.push(None);
                }
                f.write_str(";")?;
                node.properties().try_for_each(|property| write!(f, "{property:?}"))?;
                let first = open.len();
                open.extend(node.children().map(Some));
                open[first..].reverse();
            }
            f.write_str(")\n")?;
        }
        Ok(())
    }
}
