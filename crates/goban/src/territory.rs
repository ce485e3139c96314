//! Who surrounds which points.

use crate::rules::Tax;
use crate::{Color, Point, Size};

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
    pub(crate) fn of(size: Size, living: &[Option<Color>], _dead: &[Option<Color>], _tax: Tax) -> Self {
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
        let counted = owner.iter().zip(living).map(|(&o, l)| if l.is_none() { o } else { None }).collect();
        Self { owner, counted, groups: [0; 2] }
    }
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
