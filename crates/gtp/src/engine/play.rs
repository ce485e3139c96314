//! Choosing moves.

use goban::{Color, Dead, Move, Point, Position};
use search::{Choice, Terms, analyse, choose, clean_up};

use super::{Engine, word};
use crate::command::{Reply, color};

impl Engine {
    /// What the game is played for.
    pub(super) const fn terms(&self) -> Terms {
        Terms { komi: self.komi, handicap: self.handicap, dead: Dead::Estimate }
    }

    /// The position with that colour to move.
    pub(super) fn position_for(&self, color: Color) -> Position {
        let position = self.position();
        let mut position = position.clone();
        if position.turn() != color {
            // The other side is taken to have nothing to play; its pass must not look like one that asks for the end.
            position.change_board(position.board().clone(), color);
        }
        position
    }

    fn seed(&mut self) -> u64 {
        self.thoughts += 1;
        self.options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(self.thoughts)
    }

    fn choose(&mut self, color: Color) -> Choice {
        let (position, seed) = (self.position_for(color), self.seed());
        choose(&position, &self.terms(), self.options.level, &self.budget(color), seed)
    }

    /// The stone that a search likes most, whether or not the game needs one.
    pub(super) fn best_stone(&mut self, color: Color) -> Option<Point> {
        let (position, seed) = (self.position_for(color), self.seed());
        let analysis = analyse(&position, &self.terms(), &self.budget(color), seed);
        analysis.moves.iter().find_map(|candidate| candidate.chosen.point())
    }

    pub(super) fn genmove(&mut self, arguments: &[String]) -> Reply {
        let color = color(word(arguments, 0)?).ok_or("invalid color")?;
        match self.choose(color) {
            Choice::Resign => Ok("resign".to_owned()),
            Choice::Move(chosen) => self.played(color, chosen),
        }
    }

    pub(super) fn reg_genmove(&mut self, arguments: &[String]) -> Reply {
        let color = color(word(arguments, 0)?).ok_or("invalid color")?;
        // The same question has the same answer, however many were asked before.
        self.thoughts = 0;
        match self.choose(color) {
            Choice::Resign => Ok("resign".to_owned()),
            Choice::Move(chosen) => Ok(chosen.to_string()),
        }
    }

    /// As `genmove`, but no pass while stones of the opponent that are dead stand on the board.
    pub(super) fn genmove_cleanup(&mut self, arguments: &[String]) -> Reply {
        let color = color(word(arguments, 0)?).ok_or("invalid color")?;
        let (position, seed) = (self.position_for(color), self.seed());
        let chosen = clean_up(&position, &self.terms(), self.options.level, &self.budget(color), seed);
        self.played(color, chosen)
    }

    fn played(&mut self, color: Color, chosen: Move) -> Reply {
        self.put(color, chosen).map_err(|error| format!("{chosen}: {error}"))?;
        Ok(chosen.to_string())
    }
}
