//! A first estimate of a position by plain random games.

use goban::{Color, Position, Rng, playout};

use crate::counting::Counting;

/// What plain playouts say.
#[derive(Debug, Clone)]
pub(crate) struct Outlook {
    /// How many of them Black won, a draw counted half: 0 to 1.
    black: f32,
    /// For each point, in how many more Black had it at the end than White, as a share: -1 to 1.
    owners: Vec<f32>,
}

impl Outlook {
    pub fn of(position: &Position, counting: Counting, playouts: u32, rng: &mut Rng) -> Self {
        let mut sums = vec![0; position.size().area()];
        let mut won = 0.0;
        for _ in 0..playouts {
            let lead = playout::ownership(position.board(), position.turn(), 1, rng, &mut sums);
            won += match counting.lead(i32::try_from(lead).unwrap_or(0), 0) {
                1.. => 1.0,
                0 => 0.5,
                _ => 0.0,
            };
        }
        let all = playouts.max(1) as f32;
        Self { black: won / all, owners: sums.into_iter().map(|sum| sum as f32 / all).collect() }
    }

    /// How many a player won: 0 to 1.
    pub fn won(&self, color: Color) -> f32 {
        if color == Color::Black { self.black } else { 1.0 - self.black }
    }

    /// How surely a point ends in a player's hands: -1 to 1.
    pub fn owns(&self, color: Color, index: usize) -> f32 {
        let black = self.owners.get(index).copied().unwrap_or(0.0);
        if color == Color::Black { black } else { -black }
    }
}
