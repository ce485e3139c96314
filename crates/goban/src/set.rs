//! Sets of points.

/// A set of points by their index in row order: a bit for each of at most 625.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Set([u64; 10]);

impl Set {
    pub(crate) fn insert(&mut self, index: usize) -> bool {
        let new = !self.contains(index);
        self.0[index / 64] |= 1 << (index % 64);
        new
    }

    pub(crate) const fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    pub(crate) const fn contains(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0 == [0; 10]
    }

    /// The indices, ascending.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let (mut at, mut word) = (0, self.0[0]);
        std::iter::from_fn(move || {
            while word == 0 {
                at += 1;
                word = *self.0.get(at)?;
            }
            let index = at * 64 + word.trailing_zeros() as usize;
            word &= word - 1;
            Some(index)
        })
    }

    /// The same as a list of just that length.
    pub(crate) fn to_vec(self) -> Vec<usize> {
        let mut list = Vec::with_capacity(self.len());
        list.extend(self.iter());
        list
    }

    fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        !self.zip(other, |a, b| a & b).is_empty()
    }

    pub(crate) fn count(&self, holds: impl Fn(usize) -> bool) -> usize {
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
