use std::time::Duration;

use goban::{Color, Move, Position};

use crate::candidates::Settled;
use crate::counting::Counting;
use crate::think::{Thoughts, observe, think};
use crate::tree::Root;
use crate::{Budget, Terms};

/// What a search says of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Playouts in all.
    pub playouts: u32,
    /// The moves, the one that was tried most first.
    pub moves: Vec<Candidate>,
    /// For each point in row order from the bottom left, how surely it ends in the hands of the player to move: -1 to 1.
    pub ownership: Vec<f32>,
    /// How many points the player to move leads by in the mean.
    pub lead: f32,
}

/// What a search says of a move.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The move.
    pub chosen: Move,
    /// How often it was tried.
    pub visits: u32,
    /// The share of these that the player to move won, a little more or less by the margin: 0 to 1.
    pub value: f32,
    /// What it looked like before it was tried: 0 to 1.
    pub prior: f32,
    /// The moves that seem best from here on, this one first.
    pub line: Vec<Move>,
}

/// Searches, and tells what it found. Unlike [`crate::choose`] it does not stop early because the choice is made already.
#[must_use]
pub fn analyse(position: &Position, terms: &Terms, budget: &Budget, seed: u64) -> Analysis {
    let counting = Counting::new(position, terms);
    Analysis::of(position, &think(&root(position, counting, budget), budget, seed, false))
}

/// Searches on one thread, and tells what it has found after each `every`, until the budget is used up or the listener has heard enough and
/// says false.
pub fn analyse_until(
    position: &Position,
    terms: &Terms,
    budget: &Budget,
    seed: u64,
    every: Duration,
    mut listener: impl FnMut(Analysis) -> bool,
) {
    let counting = Counting::new(position, terms);
    observe(&root(position, counting, budget), budget, seed, every, |thoughts| {
        listener(Analysis::of(position, thoughts))
    });
}

fn root<'a>(position: &'a Position, counting: Counting, budget: &Budget) -> Root<'a> {
    Root {
        position,
        counting,
        settled: Settled::of(position),
        ended: None,
        with_pass: false,
        nodes: (budget.nodes / budget.threads.max(1)) as usize,
    }
}

impl Analysis {
    fn of(position: &Position, thoughts: &Thoughts) -> Self {
        let sign = if position.turn() == Color::Black { 1.0 } else { -1.0 };
        let all = thoughts.playouts.max(1) as f32;
        let mut moves: Vec<Candidate> = thoughts
            .found
            .iter()
            .map(|found| Candidate {
                chosen: found.chosen,
                visits: found.visits,
                value: found.value(),
                prior: found.prior,
                line: found.line.clone(),
            })
            .collect();
        moves.sort_by_key(|candidate| std::cmp::Reverse(candidate.visits));
        Self {
            playouts: thoughts.playouts,
            moves,
            ownership: thoughts.owners.iter().map(|&sum| sign * sum as f32 / all).collect(),
            lead: sign * thoughts.leads as f32 / all / 2.0,
        }
    }
}
