//! The earlier positions of a game, as hashes.

use crate::Size;

/// Eight bytes for each position, and a filter (B. Bloom, 1970, with one bit for each hash) that tells at once of most
/// hashes that they are new. That two different positions of one game share a hash of 64 bits has a probability of
/// about 10^-13 for a game of 1,200 moves.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct History {
    hashes: Vec<u64>,
    filter: Box<[u64]>,
}

impl History {
    pub(super) fn new(size: Size) -> Self {
        // About eight bits for each position of a usual game.
        let words = (size.area() / 5).next_power_of_two();
        Self { hashes: Vec::new(), filter: vec![0; words].into() }
    }

    const fn place(&self, hash: u64) -> (usize, u64) {
        ((hash >> 6) as usize & (self.filter.len() - 1), 1 << (hash & 63))
    }

    pub(super) fn push(&mut self, hash: u64) {
        self.hashes.push(hash);
        // A longer game than usual gets a larger filter, so that however long it is, most hashes are known to be new at once.
        if self.hashes.len() * 8 > self.filter.len() * 64 {
            self.filter = vec![0; 2 * self.filter.len()].into();
            for i in 0..self.hashes.len() {
                let (word, bit) = self.place(self.hashes[i]);
                self.filter[word] |= bit;
            }
        }
        let (word, bit) = self.place(hash);
        self.filter[word] |= bit;
    }

    #[inline]
    pub(super) fn contains(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.filter[word] & bit != 0 && self.hashes.contains(&hash)
    }

    pub(super) fn count(&self, hash: u64) -> usize {
        let (word, bit) = self.place(hash);
        if self.filter[word] & bit == 0 { 0 } else { self.hashes.iter().filter(|&&h| h == hash).count() }
    }
}
