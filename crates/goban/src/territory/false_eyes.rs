//! Points of an eye that are none: their owner will have to fill them.

use super::eyes::Eyes;
use super::ground::Ground;
use crate::set::Set;

/// The points where a group beside an eye is held to the rest by that point alone: from the group there is no way, through stones,
/// other eyes and the rest of this eye, to all sides of the point. Once eyes have values, a group that
/// reaches an eye of some value needs no such way.
pub(super) fn false_points(ground: &Ground<'_>, eyes: &Eyes) -> Set {
    let mut found = Set::default();
    for (number, eye) in eyes.eyes.iter().enumerate() {
        for (&group, touched) in &eye.points_at {
            for point in touched.iter() {
                let inside = ground.beside(point).iter().filter(|&&n| eye.points.contains(n)).count();
                if inside < 2 && !Search::new(ground, eyes, number, point).holds(group) {
                    found.insert(point);
                }
            }
        }
    }
    found
}

/// The walk from one group around one point of one eye.
struct Search<'a> {
    ground: &'a Ground<'a>,
    eyes: &'a Eyes,
    eye: usize,
    point: usize,
    /// Sides of the point that were reached, of how many.
    sides: Set,
    needed: usize,
    /// Points of the eye that were walked through, the point itself among them so that no way leads over it.
    walked: Set,
    seen_eyes: Vec<bool>,
    seen_groups: Vec<bool>,
    open: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(ground: &'a Ground<'a>, eyes: &'a Eyes, eye: usize, point: usize) -> Self {
        let region = eyes.eyes[eye].region;
        let needed = ground.beside(point).iter().filter(|&&n| eyes.region_of[n] == Some(region)).count();
        Self {
            ground,
            eyes,
            eye,
            point,
            sides: Set::default(),
            needed,
            walked: [point].into_iter().collect(),
            seen_eyes: vec![false; eyes.eyes.len()],
            seen_groups: vec![false; eyes.groups.len()],
            open: Vec::new(),
        }
    }

    fn holds(mut self, group: usize) -> bool {
        self.enter(group);
        while let Some(group) = self.open.pop() {
            for (&eye, stones) in &self.eyes.groups[group].stones_at {
                let held =
                    if eye == self.eye { self.meet_own_eye(group, stones) } else { self.meet_eye(eye) };
                if held {
                    return true;
                }
            }
        }
        false
    }

    fn enter(&mut self, group: usize) {
        if !std::mem::replace(&mut self.seen_groups[group], true) {
            self.open.push(group);
        }
    }

    /// Another eye: it is worth something, or leads to more groups.
    fn meet_eye(&mut self, eye: usize) -> bool {
        if std::mem::replace(&mut self.seen_eyes[eye], true) {
            return false;
        }
        if self.eyes.eyes[eye].value > 0 {
            return true;
        }
        self.eyes.eyes[eye].points_at.keys().for_each(|&group| self.enter(group));
        false
    }

    /// The eye of the point, from a group beside it: its stones may be sides of the point, and so may
    /// what the group reaches inside the eye without passing over the point.
    fn meet_own_eye(&mut self, group: usize, stones: &Set) -> bool {
        let eye = &self.eyes.eyes[self.eye];
        let from: Vec<usize> = eye.points_at.get(&group).map(|at| at.iter().collect()).unwrap_or_default();
        let reached = self.ground.flood(from, |p| eye.points.contains(p) && !self.walked.contains(p));
        self.walked = self.walked.union(&reached);
        for &side in self.ground.beside(self.point) {
            if stones.contains(side) || reached.contains(side) {
                self.sides.insert(side);
            }
        }
        if self.sides.len() >= self.needed || (eye.value > 0 && reached.meets(&eye.real)) {
            return true;
        }
        for (&next, at) in &eye.points_at {
            if at.meets(&reached) {
                self.enter(next);
            }
        }
        false
    }
}
