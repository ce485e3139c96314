//! What a position in a [`Local`] set is worth without reading on.

use super::local::{Local, State, bits};
use super::solver::Standing;

/// Whether the keeper's group beside the nodes `eye` has a liberty in the set now; and whether for ever. `walls` are the keeper's stones that are
/// connected with uncapturable chains.
pub(super) fn eye(local: &Local, state: State, eye: u64, walls: u64) -> Standing {
    let seed = state.keeper & eye;
    let group = if seed == 0 { 0 } else { local.flood(state.keeper, seed) };
    let liberties = eye | local.beside(group);
    if liberties & local.empty(state) == 0 {
        return Standing::Lost;
    }
    if local.closed_regions(walls).any(|region| local.is_vital(state, region, liberties)) {
        Standing::Won
    } else {
        Standing::Open
    }
}

/// Whether the keeper's chains of those nodes are each connected with an uncapturable chain, or have two vital regions between them;
/// lost is when one has no liberty in the set, for the owner can fill the rest.
pub(super) fn life(local: &Local, state: State, guard: u64, walls: u64) -> Standing {
    let walls = walls | local.flood(state.keeper, guard);
    let empty = local.empty(state);
    let mut standing = Standing::Won;
    let mut rest = guard;
    while rest != 0 {
        let chain = local.flood(state.keeper, rest & rest.wrapping_neg());
        rest &= !chain;
        if chain & local.friend != 0 {
            continue;
        }
        let liberties = local.beside(chain);
        if liberties & empty == 0 {
            return Standing::Lost;
        }
        if standing == Standing::Won {
            let is_vital = |&region: &u64| local.is_vital(state, region, liberties);
            if local.closed_regions(walls).filter(is_vital).nth(1).is_none() {
                standing = Standing::Open;
            }
        }
    }
    standing
}

/// Whether the owner, to move, leaves the keeper less than so many separate eyes in the set (one or two), whatever the keeper plays. A
/// stone of the owner's that is connected with the outside stays for ever, so no closed region ever holds it or what is beside it. No claim rests
/// on it.
pub(super) fn spoils(local: &Local, state: State, guard: u64, wanted: u32) -> bool {
    let fixed =
        if state.owner & local.foe == 0 { 0 } else { local.flood(state.owner, state.owner & local.foe) };
    let beside = local.beside(fixed);
    let room = local.all() & !(local.foe | fixed | beside | guard);
    let too_few = |room: u64| match room.count_ones() {
        0 => true,
        1 => wanted > 1,
        2 => wanted > 1 && local.beside(room & room.wrapping_neg()) & room != 0,
        _ => false,
    };
    if room.count_ones() > 3 + wanted {
        return false;
    }
    too_few(room)
        || bits(local.empty(state) & (local.foe | beside)).any(|node| {
            let chain = if local.beside(node) & state.owner & !fixed == 0 {
                node
            } else {
                local.flood(state.owner | node, node)
            };
            too_few(room & !(chain | local.beside(chain)))
        })
}

/// Whether one of the owner's chains on those nodes can no longer be taken: it is connected with the outside, or has two regions to itself
/// whose empty nodes are all its liberties. A search that cannot succeed any more ends with it; no claim rests on it.
pub(super) fn survives(local: &Local, state: State, target: u64) -> bool {
    let empty = local.empty(state);
    let mut rest = target & state.owner;
    while rest != 0 {
        let chain = local.flood(state.owner, rest & rest.wrapping_neg());
        rest &= !chain;
        if chain & local.foe != 0 {
            return true;
        }
        let liberties = local.beside(chain) & empty;
        let open = local.friend | empty & !liberties;
        let (mut seeds, mut eyes) = (liberties, 0);
        while seeds != 0 {
            let seed = seeds & seeds.wrapping_neg();
            let (region, is_own) = local.enclosed(local.all() & !chain, seed, open);
            seeds &= !region;
            eyes += u32::from(is_own);
        }
        if eyes >= 2 {
            return true;
        }
    }
    false
}

/// Whether the keeper's chains on those nodes have no uncapturable chain to join.
pub(super) fn is_alone(local: &Local, guard: u64) -> bool {
    let (_, is_alone) = local.enclosed(local.all(), guard & guard.wrapping_neg(), local.friend);
    is_alone
}

/// Whether the owner's chains on those nodes are lost however the owner plays on: they are shut in by uncapturable chains (the
/// guard's among them, when it lives), and there is no room for two eyes.
///
/// An eye of the owner's is a point that no uncapturable chain is beside, and that no stone of the chain itself is on, since that chain
/// would have to be taken first. The keeper fills every other point. A point with two empty neighbours that are
/// beside uncapturable chains is no eye either, when no other point needs these two: the keeper answers on the one when
/// the owner plays on the other (M. Müller, "Playing it safe", 1997, has such pairs). Two points beside each other make one eye.
pub(super) fn none(local: &Local, state: State, target: u64, guard: u64, mut walls: u64) -> bool {
    if guard != 0 {
        walls |= local.flood(state.keeper, guard);
    }
    let beside = local.friend | local.beside(walls);
    let mut rest = target & state.owner;
    while rest != 0 {
        let chain = local.flood(state.owner, rest & rest.wrapping_neg());
        rest &= !chain;
        if !is_hopeless(local, state, chain, chain, walls, beside) {
            return false;
        }
    }
    // Where stones were taken no others may come to live.
    let left = target & !state.owner & !walls;
    bits(left).all(|seed| is_hopeless(local, state, 0, seed, walls, beside))
}

fn is_hopeless(local: &Local, state: State, chain: u64, seed: u64, walls: u64, beside: u64) -> bool {
    let (region, is_closed) = local.enclosed(local.all() & !walls, seed, local.foe);
    let mut inner = region & !beside & !chain;
    if !is_closed || inner.count_ones() > 12 {
        return false;
    }
    let mut free = region & beside & local.empty(state);
    for point in bits(inner) {
        let around = local.beside(point) & free;
        let one = around & around.wrapping_neg();
        let rest = around ^ one;
        if rest != 0 {
            free &= !(one | (rest & rest.wrapping_neg()));
            inner &= !point;
        }
    }
    match inner.count_ones() {
        0 | 1 => true,
        2 => local.beside(inner & inner.wrapping_neg()) & inner != 0,
        _ => false,
    }
}
