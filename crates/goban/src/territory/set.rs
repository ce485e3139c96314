//! Sets of points.

/// A set of points by their index in row order: a bit for each of at most 625.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Set([u64; 10]);

impl Set {
    pub(super) fn insert(&mut self, index: usize) -> bool {
        let new = !self.contains(index);
        self.0[index / 64] |= 1 << (index % 64);
        new
    }

    pub(super) const fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    pub(super) const fn contains(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; 10]
    }

    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(i, word)| {
            std::iter::successors(Some(word), |w| Some(w & w.wrapping_sub(1)))
                .take_while(|&w| w != 0)
                .map(move |w| i * 64 + w.trailing_zeros() as usize)
        })
    }

    fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        !self.zip(other, |a, b| a & b).is_empty()
    }

    pub(super) fn count(&self, holds: impl Fn(usize) -> bool) -> usize {
        self.iter().filter(|&p| holds(p)).count()
    }
}

impl FromIterator<usize> for Set {
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        let mut set = Self::default();
        indices.into_iter().for_each(|i| _ = set.insert(i));
        set
    }
}
