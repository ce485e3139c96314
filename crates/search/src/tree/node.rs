use std::ops::Range;

use goban::Move;

/// Playouts that a first look is worth.
const PRIOR: f32 = 12.0;
/// Visits at which a move's own playouts weigh as much as those in which it was played later.
const EQUAL: f32 = 600.0;
/// How much a move that was tried seldom is favoured.
const EXPLORE: f32 = 0.12;

/// A move and what is known of it. Values are for whoever makes the move.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub chosen: Move,
    pub visits: u32,
    sum: f32,
    /// Playouts in which the same player made the move later, and the first look.
    amaf_visits: f32,
    amaf_sum: f32,
    first_child: u32,
    children: u32,
}

impl Node {
    pub fn new(chosen: Move, prior: f32) -> Self {
        Self {
            chosen,
            visits: 0,
            sum: 0.0,
            amaf_visits: PRIOR,
            amaf_sum: PRIOR * prior,
            first_child: 0,
            children: 0,
        }
    }

    pub fn is_expanded(&self) -> bool {
        self.children > 0
    }

    pub fn set_children(&mut self, range: Range<usize>) {
        self.first_child = u32::try_from(range.start).unwrap_or(0);
        self.children = u32::try_from(range.len()).unwrap_or(0);
    }

    pub fn children(&self) -> Range<usize> {
        let from = self.first_child as usize;
        from..from + self.children as usize
    }

    /// The last child: always the pass.
    pub fn last_child(&self) -> usize {
        self.children().end.saturating_sub(1)
    }

    /// The mean of its playouts; 0 if there are none.
    pub fn value(&self) -> f32 {
        if self.visits == 0 { 0.0 } else { self.sum / self.visits as f32 }
    }

    /// What a choice goes by; `explore` is the square root of the logarithm of the parent's visits.
    pub fn urgency(&self, explore: f32) -> f32 {
        let visits = self.visits as f32;
        let amaf = self.amaf_sum / self.amaf_visits;
        if self.chosen == Move::Pass {
            // Nobody passes "later", so there is the first look only.
            return (self.sum + self.amaf_sum) / (visits + self.amaf_visits)
                + EXPLORE * explore / (visits + 1.0).sqrt();
        }
        // S. Gelly's hand-selected schedule.
        let beta = (EQUAL / (3.0 * visits + EQUAL)).sqrt();
        let value = if self.visits == 0 { amaf } else { (1.0 - beta) * self.value() + beta * amaf };
        value + EXPLORE * explore / (visits + 1.0).sqrt()
    }

    pub fn learn(&mut self, value: f32) {
        self.visits += 1;
        self.sum += value;
    }

    pub fn learn_as_first(&mut self, value: f32) {
        self.amaf_visits += 1.0;
        self.amaf_sum += value;
    }
}
