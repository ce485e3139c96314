use std::ops::Range;

use goban::grid::Cell;

/// Visits at which a move's own playouts weigh as much as those in which it was played later: the equivalence of S. Gelly and
/// D. Silver's RAVE.
const EQUAL: f32 = 3_500.0;

/// A move and what is known of it. Values are for whoever makes the move.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// The move; [`goban::grid::NOWHERE`] for a pass.
    pub chosen: Cell,
    /// How many children there are, once there are any.
    children: u16,
    first_child: u32,
    pub visits: u32,
    sum: f32,
    /// Playouts in which the same player made the move later.
    amaf_visits: f32,
    amaf_sum: f32,
    /// What a first look says, as if it were playouts.
    prior_visits: f32,
    prior_sum: f32,
    /// Where the game ends: nothing comes after it.
    pub is_void: bool,
}

impl Node {
    pub const fn new(chosen: Cell, (prior_visits, prior_sum): (f32, f32)) -> Self {
        Self {
            chosen,
            children: 0,
            first_child: 0,
            visits: 0,
            sum: 0.0,
            amaf_visits: 0.0,
            amaf_sum: 0.0,
            prior_visits,
            prior_sum,
            is_void: false,
        }
    }

    pub const fn is_expanded(&self) -> bool {
        self.children > 0
    }

    pub fn set_children(&mut self, range: Range<usize>) {
        self.first_child = u32::try_from(range.start).unwrap_or(0);
        self.children = u16::try_from(range.len()).unwrap_or(0);
    }

    pub const fn children(&self) -> Range<usize> {
        let from = self.first_child as usize;
        from..from + self.children as usize
    }

    /// The sum of its playouts' values.
    pub const fn sum(&self) -> f32 {
        self.sum
    }

    /// How much a first look favours it over a move of which nothing is known.
    pub fn promise(&self) -> f32 {
        self.prior_sum - 0.5 * self.prior_visits
    }

    /// What a first look says, 0 to 1.
    pub fn prior(&self) -> f32 {
        self.prior_sum / self.prior_visits.max(1.0)
    }

    /// What a choice goes by.
    #[inline]
    pub fn urgency(&self) -> f32 {
        let visits = self.visits as f32 + self.prior_visits;
        let value = (self.sum + self.prior_sum) / visits;
        if self.amaf_visits == 0.0 {
            return value;
        }
        let beta = self.amaf_visits / (self.amaf_visits + visits + visits * self.amaf_visits / EQUAL);
        beta * (self.amaf_sum / self.amaf_visits) + (1.0 - beta) * value
    }

    #[inline]
    pub fn learn(&mut self, value: f32) {
        self.visits += 1;
        self.sum += value;
    }

    #[inline]
    pub fn learn_as_first(&mut self, value: f32) {
        self.amaf_visits += 1.0;
        self.amaf_sum += value;
    }
}
