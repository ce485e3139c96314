//! Borders that are still open.

use crate::{Board, Color, Point};

/// The empty points that both colours' living stones reach, in places where there is something left to divide: several points that
/// do not touch both colours. A neutral point, or a shared liberty in a seki, touches both.
pub(super) fn open(board: &Board, dead: &[Point]) -> Vec<Point> {
    let size = board.size();
    let living = |p: Point| board.stone(p).filter(|_| dead.binary_search(&p).is_err());
    let touches = |p: Point, color: Color| size.neighbours(p).any(|n| living(n) == Some(color));
    let mut seen = vec![false; size.area()];
    let mut found = Vec::new();
    for from in size.points() {
        if living(from).is_some() || seen[size.index(from)] {
            continue;
        }
        seen[size.index(from)] = true;
        let mut region = vec![from];
        let mut done = 0;
        while let Some(&point) = region.get(done) {
            done += 1;
            for n in size.neighbours(point) {
                if living(n).is_none() && !seen[size.index(n)] {
                    seen[size.index(n)] = true;
                    region.push(n);
                }
            }
        }
        let both = Color::BOTH.into_iter().all(|color| region.iter().any(|&p| touches(p, color)));
        let loose = region.iter().filter(|&&p| !Color::BOTH.into_iter().all(|color| touches(p, color)));
        if both && loose.count() > 1 {
            found.extend(region.into_iter().filter(|&p| board.is_empty(p)));
        }
    }
    found.sort_unstable();
    found
}
