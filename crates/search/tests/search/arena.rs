//! Games between players on one machine.

use goban::{Color, Dead, Move, Outcome, Position, Preset, Rng, Size, judge};
use search::{Budget, Choice, Level, Terms, choose};

/// Somebody who plays.
#[derive(Debug, Clone)]
pub enum Player {
    /// Uniformly random among the legal moves that fill no own eye.
    Random,
    /// A level with a number of playouts a move.
    Level(Level, u32),
}

impl Player {
    /// A level with what it usually has.
    pub fn level(level: Level) -> Self {
        Self::Level(level, Budget::of(level).playouts)
    }

    /// What it does here.
    pub fn choose(&self, position: &Position, seed: u64) -> Choice {
        match self {
            Self::Random => Choice::Move(random(position, &mut Rng::new(seed))),
            Self::Level(level, playouts) => choose(
                position,
                &Terms::even(Preset::Quick.komi()),
                *level,
                &Budget::playouts(*playouts),
                seed,
            ),
        }
    }
}

/// A random legal move that fills no own eye; a pass when there is none.
pub fn random(position: &Position, rng: &mut Rng) -> Move {
    let mut points = position.legal_points();
    points.retain(|&p| !position.board().is_eye(position.turn(), p));
    let index = rng.below(u32::try_from(points.len()).unwrap_or(0)) as usize;
    points.get(index).map_or(Move::Pass, |&p| Move::Play(p))
}

/// A game that was played.
pub struct Played {
    /// Who won.
    pub winner: Option<Color>,
    /// How it ended, such as `B+3` or `W+R`.
    pub result: String,
    /// The final position.
    pub position: Position,
}

/// Plays `quick` to its end.
pub fn play(players: [&Player; 2], seed: u64) -> Played {
    let preset = Preset::Quick;
    let mut position = Position::new(Size::NINE, preset.rules());
    while position.passes() < 2 && position.ply() < preset.move_limit(Size::NINE) {
        let turn = position.turn();
        let choice =
            players[turn.index()].choose(&position, seed.wrapping_mul(1_000) + u64::from(position.ply()));
        let Choice::Move(chosen) = choice else {
            let winner = turn.opposite();
            return Played { winner: Some(winner), result: format!("{}+R", winner.letter()), position };
        };
        assert!(position.play(chosen).is_ok(), "{chosen} is illegal in\n{}", position.board());
    }
    let result = judge(&position, preset.komi(), 0, Dead::Clear).result;
    let winner = if result == Outcome::Draw { None } else { result.winner() };
    Played { winner, result: result.to_string(), position }
}
