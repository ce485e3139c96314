//! A tiny random number generator for playouts: fast, seedable, the same on every machine.

/// A Weyl sequence whose terms are mixed by one multiplication of 128 bits (Wang Yi's `wyrand`), seeded through
/// `splitmix64` so that seeds 0, 1, 2 give unrelated sequences. Not for secrets.
///
/// Sources: Wang Yi et al., "Modern non-cryptographic hash function and pseudorandom number generator", 2019; G.
/// Steele et al., "Fast splittable pseudorandom number generators", 2014.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng(u64);

impl Rng {
    /// A generator whose sequence depends on the seed only.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(splitmix(seed.wrapping_add(1).wrapping_mul(GOLDEN)))
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0xA076_1D64_78BD_642F);
        let product = self.0 as u128 * (self.0 ^ 0xE703_7ED1_A0B4_28DB) as u128;
        (product >> 64) as u64 ^ product as u64
    }

    /// A number from 0 to `bound - 1` (0 when `bound` is 0), uniform up to one part in 2^32 / `bound`.
    #[inline]
    pub const fn below(&mut self, bound: u32) -> u32 {
        (((self.next_u64() >> 32) * bound as u64) >> 32) as u32
    }

    /// A number from 0 to 1, 1 excluded.
    #[inline]
    pub const fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1_u64 << 24) as f32
    }
}

pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output function of `splitmix64`.
pub(crate) const fn splitmix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}
