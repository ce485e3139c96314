//! Play in a small set of points, as bits of a word.
//!
//! One side, the *keeper*, owns chains around the set that are taken as uncapturable (each has a liberty elsewhere that the keeper
//! can hold); the other, the *owner*, may have any help from everything else: whatever is neither in the set nor
//! such a chain counts as an uncapturable stone of the owner's. So whatever the keeper reaches here, the keeper reaches on the
//! whole board by answering each move of the owner's in the set with a move in the set.
//!
//! Two things could make the board differ from this picture, and both are excluded. The owner's stones that touch
//! the outside may in truth be captured there: then the owner has only less. The keeper's stones that touch the
//! outside may in truth have liberties there: so the picture ends, lost for the keeper, when such stones are taken in it.

/// At most so many points and chains in a set: one bit of the word stays free.
pub(super) const MOST: usize = 63;

/// The set: its points, and chains that are shrunk to one node since their capture ends the game.
pub(super) struct Local {
    /// The nodes beside each node.
    pub(super) near: [u64; 64],
    /// How many nodes there are.
    pub(super) nodes: usize,
    /// Nodes beside an uncapturable chain of the keeper's.
    pub(super) friend: u64,
    /// Nodes beside something else outside.
    pub(super) foe: u64,
    /// Whether the owner may take two or more own stones off by filling their last liberty.
    pub(super) suicide: bool,
}

/// The stones in the set.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// The keeper's.
    pub(super) keeper: u64,
    /// The owner's.
    pub(super) owner: u64,
}

impl State {
    pub(super) const fn stones(self) -> u64 {
        self.keeper | self.owner
    }
}

/// The bits of a set, one by one.
pub(super) fn bits(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}

impl Local {
    /// All nodes.
    pub(super) fn all(&self) -> u64 {
        (1 << self.nodes) - 1
    }

    pub(super) fn empty(&self, state: State) -> u64 {
        self.all() & !state.stones()
    }

    /// The nodes beside a set, some of which may be in it.
    pub(super) fn beside(&self, set: u64) -> u64 {
        let (mut beside, mut rest) = (0, set);
        while rest != 0 {
            beside |= self.near[rest.trailing_zeros() as usize & 63];
            rest &= rest - 1;
        }
        beside
    }

    /// What of `set` is connected with `seed` through it, `seed` included.
    pub(super) fn flood(&self, set: u64, seed: u64) -> u64 {
        let (mut found, mut open) = (seed, seed);
        while open != 0 {
            let new = self.near[open.trailing_zeros() as usize & 63] & set & !found;
            open = (open & (open - 1)) | new;
            found |= new;
        }
        found
    }

    /// As [`Self::flood`], as far as one of the `stop` nodes at most; whether none was met.
    pub(super) fn enclosed(&self, set: u64, seed: u64, stop: u64) -> (u64, bool) {
        let (mut found, mut open) = (seed, seed);
        while open != 0 && found & stop == 0 {
            let new = self.near[open.trailing_zeros() as usize & 63] & set & !found;
            open = (open & (open - 1)) | new;
            found |= new;
        }
        (found, found & stop == 0)
    }

    /// What of `stones` beside a node is taken when that node, no longer in `empty`, is filled; `outside` are nodes with liberties elsewhere.
    fn taken(&self, stones: u64, node: u64, empty: u64, outside: u64) -> u64 {
        let mut rest = self.near_of(node) & stones;
        let mut taken = 0;
        while rest != 0 {
            let seed = rest & rest.wrapping_neg();
            rest ^= seed;
            // Most stones have a liberty of their own.
            if self.near_of(seed) & empty == 0 && seed & outside == 0 {
                let (chain, is_lost) = self.without(stones, seed, empty, outside);
                rest &= !chain;
                if is_lost {
                    taken |= chain;
                }
            }
        }
        taken
    }

    /// As much of the chain of `seed` as it takes to find a liberty, and whether there is none: then it is all of the chain.
    fn without(&self, stones: u64, seed: u64, empty: u64, outside: u64) -> (u64, bool) {
        let (mut found, mut open) = (seed, seed);
        while open != 0 {
            let near = self.near[open.trailing_zeros() as usize & 63];
            let new = near & stones & !found;
            if near & empty != 0 || new & outside != 0 {
                return (found, false);
            }
            open = (open & (open - 1)) | new;
            found |= new;
        }
        (found, true)
    }

    /// The nodes beside one.
    const fn near_of(&self, node: u64) -> u64 {
        self.near[node.trailing_zeros() as usize & 63]
    }

    /// The keeper plays on an empty node; `None` when that is suicide, or takes a ko, that is one
    /// stone by a stone that could be taken back at once: the owner wins all of these.
    pub(super) fn keep(&self, state: State, node: u64) -> Option<State> {
        let keeper = state.keeper | node;
        let empty = self.empty(state) & !node;
        let taken = self.taken(state.owner, node, empty, self.foe);
        let near = self.near_of(node);
        if taken == 0 && near & empty == 0 && node & self.friend == 0 {
            let (_, is_suicide) = self.without(keeper, node, empty, self.friend);
            if is_suicide {
                return None;
            }
        }
        let after = State { keeper, owner: state.owner & !taken };
        let ko = taken.count_ones() == 1
            && node & self.friend == 0
            && near & keeper == 0
            && near & self.empty(after) == taken;
        (!ko).then_some(after)
    }

    /// The owner plays on an empty node; `None` when the rules forbid it. Also what of the keeper's was taken.
    pub(super) fn attack(&self, state: State, node: u64) -> Option<(State, u64)> {
        let owner = state.owner | node;
        let empty = self.empty(state) & !node;
        let taken = self.taken(state.keeper, node, empty, self.friend);
        let keeper = state.keeper & !taken;
        if taken == 0 && node & self.foe == 0 && self.near_of(node) & empty == 0 {
            let (chain, is_suicide) = self.without(owner, node, empty, self.foe);
            if is_suicide {
                let several = self.suicide && chain != node;
                return several.then_some((State { keeper, owner: owner & !chain }, 0));
            }
        }
        Some((State { keeper, owner }, taken))
    }

    /// The keeper's stones that are connected with an uncapturable chain.
    pub(super) fn safe(&self, state: State) -> u64 {
        let seed = state.keeper & self.friend;
        if seed == 0 { 0 } else { self.flood(state.keeper, seed) }
    }

    /// Whether some chain of the keeper's has liberties outside at most, so that it can be taken from there.
    pub(super) fn is_exposed(&self, state: State) -> bool {
        let empty = self.empty(state);
        let mut rest = state.keeper & self.foe & !self.friend;
        while rest != 0 {
            let seed = rest & rest.wrapping_neg();
            let (chain, is_lost) = if self.near_of(seed) & empty == 0 {
                self.without(state.keeper, seed, empty, self.friend)
            } else {
                (seed, false)
            };
            if is_lost {
                return true;
            }
            rest &= !chain;
        }
        false
    }

    /// The regions, connected nodes outside `walls`, that are closed: no node is beside the outside.
    pub(super) fn closed_regions(&self, walls: u64) -> impl Iterator<Item = u64> + '_ {
        let mut rest = self.all() & !walls;
        std::iter::from_fn(move || {
            while rest != 0 {
                let region = self.flood(rest, rest & rest.wrapping_neg());
                rest &= !region;
                if region & self.foe == 0 {
                    return Some(region);
                }
            }
            None
        })
    }

    /// Whether every point of a region that is empty, or could become so by a capture or by suicide, is among `liberties`, and one is
    /// empty: the owner can never fill the last of them (D. Benson's vital region).
    pub(super) fn is_vital(&self, state: State, region: u64, liberties: u64) -> bool {
        let must = if self.suicide { region } else { region & !state.owner };
        region & !state.stones() != 0 && must & !liberties == 0
    }
}
