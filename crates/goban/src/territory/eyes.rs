//! Regions that belong to one side, the groups that hold them, and the eyes inside.

use std::collections::BTreeMap;

use super::ground::Ground;
use crate::Color;
use crate::set::Set;

/// Points that only one colour reaches, joined wherever that colour can pass.
pub(super) struct Region {
    pub(super) color: Color,
    pub(super) points: Set,
}

/// Living stones of one colour that are connected, through points of nobody's too.
pub(super) struct Group {
    /// For each eye beside it, which of its stones touch the eye.
    pub(super) stones_at: BTreeMap<usize, Set>,
}

/// Connected points without a living stone in one region.
pub(super) struct Eye {
    pub(super) region: usize,
    pub(super) points: Set,
    /// The points that are no false eyes: known once those have been found.
    pub(super) real: Set,
    /// For each group beside it, which of its points touch the group.
    pub(super) points_at: BTreeMap<usize, Set>,
    /// How many eyes it is worth: 0 until that has been estimated, 2 at most.
    pub(super) value: usize,
}

/// All three, and which of them a point belongs to.
pub(super) struct Eyes {
    pub(super) regions: Vec<Region>,
    pub(super) region_of: Vec<Option<usize>>,
    pub(super) groups: Vec<Group>,
    pub(super) eyes: Vec<Eye>,
}

impl Eyes {
    pub(super) fn of(ground: &Ground<'_>) -> Self {
        let barriers = ground.barriers();
        let (regions, region_of) = regions(ground, &barriers);
        let (groups, group_of) = groups(ground, &barriers, &region_of);
        let mut this = Self { regions, region_of, groups, eyes: Vec::new() };
        this.find_eyes(ground, &group_of);
        this
    }

    fn find_eyes(&mut self, ground: &Ground<'_>, group_of: &[Option<usize>]) {
        for (region, Region { points: within, .. }) in self.regions.iter().enumerate() {
            let free = within.iter().filter(|&p| ground.living[p].is_none()).collect();
            for points in ground.parts(&free) {
                let number = self.eyes.len();
                let mut points_at = BTreeMap::<usize, Set>::new();
                for point in points.iter() {
                    for &stone in ground.beside(point).iter().filter(|&&n| within.contains(n)) {
                        if let Some(group) = group_of[stone] {
                            points_at.entry(group).or_default().insert(point);
                            self.groups[group].stones_at.entry(number).or_default().insert(stone);
                        }
                    }
                }
                self.eyes.push(Eye { region, points, real: Set::default(), points_at, value: 0 });
            }
        }
    }

    /// Whether a region has two eyes, as far as the estimate goes.
    pub(super) fn lives(&self, region: usize) -> bool {
        self.eyes.iter().filter(|eye| eye.region == region).map(|eye| eye.value).sum::<usize>() >= 2
    }
}

fn regions(ground: &Ground<'_>, barriers: &[Option<Color>]) -> (Vec<Region>, Vec<Option<usize>>) {
    let reach = Color::BOTH.map(|color| ground.reach(color, barriers));
    let mut regions = Vec::new();
    let mut region_of: Vec<Option<usize>> = vec![None; ground.living.len()];
    for point in ground.points() {
        for color in Color::BOTH {
            let own = reach[color.index()].minus(&reach[color.opposite().index()]);
            if region_of[point].is_none() && own.contains(point) {
                let enters = |p: usize| ground.is_open(p, color) && region_of[p].is_none();
                let all = ground.spread([point], enters, |p| barriers[p] == Some(color.opposite()));
                let points: Set = all.iter().filter(|&p| own.contains(p)).collect();
                points.iter().for_each(|p| region_of[p] = Some(regions.len()));
                regions.push(Region { color, points });
            }
        }
    }
    (regions, region_of)
}

fn groups(
    ground: &Ground<'_>,
    barriers: &[Option<Color>],
    region_of: &[Option<usize>],
) -> (Vec<Group>, Vec<Option<usize>>) {
    let mut groups = Vec::new();
    let mut group_of = vec![None; ground.living.len()];
    for point in ground.points() {
        let Some(color) = ground.living[point].filter(|_| group_of[point].is_none()) else { continue };
        let own = |p: usize| ground.living[p] == Some(color);
        let passes = |p: usize| own(p) || (region_of[p].is_none() && barriers[p] != Some(color.opposite()));
        for stone in ground.flood([point], passes).iter().filter(|&p| own(p)) {
            group_of[stone] = Some(groups.len());
        }
        groups.push(Group { stones_at: BTreeMap::new() });
    }
    (groups, group_of)
}
