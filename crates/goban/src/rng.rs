//! A tiny random number generator for playouts: fast, seedable, the same on every machine.

/// Marsaglia's xorshift with Vigna's multiplier (`xorshift64*`), seeded through `splitmix64` so that seeds 0, 1, 2
/// give unrelated sequences. Not for secrets.
///
/// Sources: G. Marsaglia, "Xorshift RNGs", 2003; S. Vigna, "An experimental exploration of Marsaglia's
/// xorshift generators, scrambled", 2016; G. Steele et al., "Fast splittable pseudorandom number generators", 2014.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng(u64);

impl Rng {
    /// A generator whose sequence depends on the seed only.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        let mixed = splitmix(seed.wrapping_add(1).wrapping_mul(GOLDEN));
        Self(if mixed == 0 { GOLDEN } else { mixed })
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
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
