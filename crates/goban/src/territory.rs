//! Who surrounds which points, and which of them count.
//!
//! Without a tax every point counts that only one colour reaches. With a tax on seki only groups with two eyes
//! have points, and false eyes, which will have to be filled, are none. Whether a group has two eyes is estimated from the shape of what it surrounds: the
//! method, its shapes and its thresholds are those that D. Wu describes in goscorer ("Territory scoring
//! with automated seki detection", 2024), whose answers other servers use; the code is ours.

use crate::rules::Tax;
use crate::{Color, Point, Size};

mod eyes;
mod false_eyes;
mod ground;
mod value;

use crate::set::Set;
use eyes::Eyes;
use ground::Ground;

/// The owners of the points of a board whose dead stones are known. All in row order from the bottom left.
pub(crate) struct Territory {
    /// Living stones, and points that reach only one colour.
    pub(crate) owner: Vec<Option<Color>>,
    /// The surrounded points that count as territory under the tax.
    pub(crate) counted: Vec<Option<Color>>,
    /// Living groups of Black and White, for the tax on all groups.
    pub(crate) groups: [u32; 2],
}

impl Territory {
    /// From the living stones and the dead ones.
    pub(crate) fn of(size: Size, living: &[Option<Color>], dead: &[Option<Color>], tax: Tax) -> Self {
        let owner = owners(size, living);
        let free = |p: usize| if living[p].is_none() { owner[p] } else { None };
        let surrounded: Vec<Option<Color>> = (0..owner.len()).map(free).collect();
        if tax == Tax::None {
            return Self { owner, counted: surrounded, groups: [0; 2] };
        }
        let ground = Ground::new(size, living, dead);
        let mut eyes = Eyes::of(&ground);
        let false_points = false_eyes::false_points(&ground, &eyes);
        value::estimate(&ground, &mut eyes, &false_points);
        // Now that eyes have values: a false point of a group that has an eye anyway counts.
        let to_fill = with_thrown_in(&ground, &eyes, &false_eyes::false_points(&ground, &eyes));
        let mut counted = vec![None; owner.len()];
        let mut groups = [0; 2];
        for (number, region) in eyes.regions.iter().enumerate().filter(|(number, _)| eyes.lives(*number)) {
            groups[region.color.index()] += 1;
            for point in region.points.iter() {
                if surrounded[point] == Some(region.color)
                    && !to_fill.contains(point)
                    && is_within(&ground, &eyes, point, number)
                {
                    counted[point] = Some(region.color);
                }
            }
        }
        Self { owner, counted, groups }
    }
}

/// Adds, to false points where a dead stone was thrown in, the points of its captor beside them.
fn with_thrown_in(ground: &Ground<'_>, eyes: &Eyes, false_points: &Set) -> Set {
    let mut all = *false_points;
    for point in false_points.iter() {
        let Some(thrown) = ground.dead[point] else { continue };
        for &n in ground.beside(point) {
            if eyes.region_of[n].is_some_and(|r| eyes.regions[r].color != thrown) {
                all.insert(n);
            }
        }
    }
    all
}

/// Whether all empty points, or dead stones of a colour, that are connected to a point lie in the same region.
fn is_within(ground: &Ground<'_>, eyes: &Eyes, point: usize, region: usize) -> bool {
    let same = |p: usize| ground.living[p].is_none() && ground.dead[p] == ground.dead[point];
    ground.flood([point], same).iter().all(|p| eyes.region_of[p] == Some(region))
}

/// Whose each point is that holds a living stone or reaches only one colour.
fn owners(size: Size, living: &[Option<Color>]) -> Vec<Option<Color>> {
    let mut owner = living.to_vec();
    let mut seen = vec![false; size.area()];
    for point in size.points() {
        let index = size.index(point);
        if living[index].is_none() && !seen[index] {
            let (region, reached) = region(size, living, point, &mut seen);
            if let [Some(color), None] | [None, Some(color)] = reached {
                region.iter().for_each(|&p| owner[size.index(p)] = Some(color));
            }
        }
    }
    owner
}

/// The points without a living stone that are connected to one, and the colours that they reach.
fn region(
    size: Size,
    living: &[Option<Color>],
    from: Point,
    seen: &mut [bool],
) -> (Vec<Point>, [Option<Color>; 2]) {
    let mut reached = [None; 2];
    let mut points = vec![from];
    seen[size.index(from)] = true;
    let mut done = 0;
    while let Some(&point) = points.get(done) {
        done += 1;
        for n in size.neighbours(point) {
            let index = size.index(n);
            match living[index] {
                Some(color) => reached[color.index()] = Some(color),
                None if !seen[index] => {
                    seen[index] = true;
                    points.push(n);
                }
                None => {}
            }
        }
    }
    (points, reached)
}
