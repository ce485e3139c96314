//! How many eyes an eye is worth, at the end of a game: 0, 1 or 2.

use super::eyes::{Eye, Eyes};
use super::ground::Ground;
use crate::Color;
use crate::set::Set;

/// Too many moves to be made.
const NEVER: u32 = 1_000;

/// Finds the real points of each eye and estimates its value.
pub(super) fn estimate(ground: &Ground<'_>, eyes: &mut Eyes, false_points: &Set) {
    let liberties = Liberties::of(ground);
    for eye in &mut eyes.eyes {
        eye.real = eye.points.minus(false_points);
        let color = eyes.regions[eye.region].color;
        let shape = Shape::new(ground, &liberties, eye, color, false_points);
        eye.value = shape.value();
    }
}

/// Which stones belong to a chain with at most one liberty. Dead and living stones of a colour make no chain together.
struct Liberties {
    short: Set,
}

impl Liberties {
    fn of(ground: &Ground<'_>) -> Self {
        let mut seen = Set::default();
        let mut short = Set::default();
        for point in ground.points().filter(|&p| !ground.is_empty(p)) {
            if seen.contains(point) {
                continue;
            }
            let same = |p| ground.living[p] == ground.living[point] && ground.dead[p] == ground.dead[point];
            let chain = ground.flood([point], same);
            let beside = chain.iter().flat_map(|p| ground.beside(p).iter().copied());
            if beside.filter(|&n| ground.is_empty(n)).collect::<Set>().len() <= 1 {
                short = short.union(&chain);
            }
            seen = seen.union(&chain);
        }
        Self { short }
    }
}

/// An eye with what is known of each of its real points.
struct Shape<'a> {
    ground: &'a Ground<'a>,
    eye: &'a Eye,
    color: Color,
    false_points: &'a Set,
    liberties: &'a Liberties,
    /// For each point of the board, for real points of the eye only: moves that its owner needs to close it.
    moves: Vec<u32>,
    /// Dead opposing stones on false points beside it.
    thrown_in: Vec<usize>,
}

impl<'a> Shape<'a> {
    fn new(
        ground: &'a Ground<'a>,
        liberties: &'a Liberties,
        eye: &'a Eye,
        color: Color,
        false_points: &'a Set,
    ) -> Self {
        let none = vec![0; ground.living.len()];
        let (moves, thrown_in) = (vec![0; none.len()], none);
        let mut this = Self { ground, eye, color, false_points, liberties, moves, thrown_in };
        for point in eye.real.iter() {
            this.thrown_in[point] = this.beside(point, |n| this.is_enemy(n) && false_points.contains(n));
        }
        for point in eye.real.iter() {
            this.moves[point] = ground.beside(point).iter().map(|&n| this.moves_against(n)).sum();
        }
        this
    }

    fn beside(&self, point: usize, holds: impl Fn(usize) -> bool) -> usize {
        self.ground.beside(point).iter().filter(|&&n| holds(n)).count()
    }

    fn is_enemy(&self, point: usize) -> bool {
        self.ground.stone(point) == Some(self.color.opposite())
    }

    /// Neighbours in the eye.
    fn degree(&self, point: usize) -> usize {
        self.beside(point, |n| self.eye.real.contains(n))
    }

    /// Empty false points beside a point.
    fn gaps(&self, point: usize) -> usize {
        self.beside(point, |n| self.ground.is_empty(n) && self.false_points.contains(n))
    }

    /// Moves that a neighbour costs the owner of a point who wants to close it: one for a gap; none will do once the opponent's
    /// stones reach in through a false point, or can from two sides.
    fn moves_against(&self, n: usize) -> u32 {
        let real = self.eye.real.contains(n);
        if self.ground.is_empty(n) {
            return u32::from(!real || self.thrown_in[n] > 0);
        }
        if !self.is_enemy(n) {
            return 0;
        }
        let reaches_in = real && (self.thrown_in[n] > 0 || self.gaps(n) >= 2);
        if self.false_points.contains(n) || reaches_in { NEVER } else { u32::from(real && self.gaps(n) > 0) }
    }

    /// Whether the owner can play there: it is empty, and no wall of opposing chains with liberties.
    fn can_play(&self, point: usize) -> bool {
        self.ground.is_empty(point)
            && self.beside(point, |n| !self.is_enemy(n) || self.liberties.short.contains(n)) > 0
    }

    fn value(&self) -> usize {
        let real = &self.eye.real;
        let dead = real.count(|p| self.is_enemy(p) && self.ground.dead[p].is_some());
        if dead >= 8 || self.is_roomy() || self.splits_in_two() || self.lives_when_taken() {
            return 2;
        }
        let closes = real.iter().any(|p| self.moves[p] <= 1);
        let one = usize::from(closes || dead >= 5);
        one.max(self.most_parts()).min(2)
    }

    /// Six or more good points, or many points with room around.
    fn is_roomy(&self) -> bool {
        let real = &self.eye.real;
        let weak = real.count(|p| self.moves[p] >= 1) + real.count(|p| self.moves[p] >= 2);
        let lodged = real.count(|p| self.is_enemy(p) && self.degree(p) >= 2);
        let wide = |degree| real.count(|p| self.ground.is_empty(p) && self.degree(p) >= degree);
        real.len() >= weak + lodged + 6 || wide(3) + wide(4) >= 6
    }

    /// The most parts with an eye each that one stone makes.
    fn most_parts(&self) -> usize {
        let parts_at = |cut: usize| {
            let mut rest = self.eye.real;
            rest.remove(cut);
            let parts = self.ground.parts(&rest);
            // The stone itself closes a part that only it left open.
            let open = u32::from(self.thrown_in[cut] == 1);
            let eyes = parts.iter().filter(|part| part.iter().any(|p| self.moves[p] <= open)).count();
            if parts.len() < 2 { 0 } else { eyes }
        };
        self.eye.real.iter().filter(|&p| self.can_play(p)).map(parts_at).max().unwrap_or(0)
    }

    /// Whether two points side by side in the middle divide the eye so that either one does for its owner.
    fn splits_in_two(&self) -> bool {
        let central = |p: usize| self.degree(p) >= 3 && self.moves[p] <= 1;
        let first = |p: usize| central(p) && self.can_play(p) && !self.ground.is_edge(p);
        let second = |p: usize| {
            let room = self.beside(p, |n| self.ground.is_empty(n) && self.eye.real.contains(n));
            self.eye.real.contains(p) && central(p) && (self.ground.is_empty(p) || room > 1)
        };
        let divides = |a: usize, b: usize| {
            let mut rest = self.eye.real;
            rest.remove(a);
            rest.remove(b);
            let closed: Vec<usize> =
                self.ground.parts(&rest).iter().map(|part| part.count(|p| self.moves[p] == 0)).collect();
            let at_least = |n: usize| closed.iter().filter(|&&points| points >= n).count();
            at_least(1) >= 2 && at_least(2) >= if self.ground.is_empty(b) { 1 } else { 2 }
        };
        let firsts = self.eye.real.iter().filter(|&p| first(p));
        firsts.into_iter().any(|a| self.ground.beside(a).iter().any(|&b| second(b) && divides(a, b)))
    }

    /// Whether the dead stones inside, once taken, leave a shape with two eyes, whichever point that the owner
    /// cannot play now is left out by the opponent.
    fn lives_when_taken(&self) -> bool {
        let dead = |p: usize| self.is_enemy(p) && self.ground.dead[p].is_some();
        let taken: Set = self.eye.real.iter().filter(|&p| dead(p)).collect();
        let shut: Set = self.eye.real.iter().filter(|&p| !dead(p) && !self.can_play(p)).collect();
        let thrown_in = self.eye.points.count(|p| self.is_enemy(p) && self.false_points.contains(p));
        let lives = |left_out: Option<usize>| {
            let mut shape = taken.union(&shut);
            left_out.into_iter().for_each(|p| shape.remove(p));
            self.eyes_of(&shape) >= 2 + thrown_in
        };
        !taken.is_empty() && lives(None) && shut.iter().all(|p| lives(Some(p)))
    }

    /// Eyes in an empty shape: one for each part, and one for each two points that would divide it.
    fn eyes_of(&self, shape: &Set) -> usize {
        let parts = self.ground.parts(shape).len();
        let vital = shape.count(|p| {
            let mut rest = *shape;
            rest.remove(p);
            self.ground.parts(&rest).len() > parts || self.beside(p, |n| shape.contains(n)) >= 3
        });
        parts + (vital + usize::from(shape.len() >= 7)) / 2
    }
}
