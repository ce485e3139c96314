//! The end of a game.

use goban::{Outcome, Point, Verdict};

use super::{Engine, word};
use crate::command::Reply;

impl Engine {
    fn verdict(&self) -> Verdict {
        self.terms().count(self.position())
    }

    pub(super) fn final_score(&mut self, _: &[String]) -> Reply {
        Ok(match self.verdict().result {
            Outcome::Draw | Outcome::Void => "0".to_owned(),
            won => won.to_string(),
        })
    }

    pub(super) fn final_status_list(&mut self, arguments: &[String]) -> Reply {
        let verdict = self.verdict();
        let wanted = match word(arguments, 0)? {
            "dead" => Fate::Dead,
            "alive" => Fate::Alive,
            "seki" => Fate::Seki,
            _ => return Err("invalid status".to_owned()),
        };
        let board = self.position().board();
        let chains = self.position().size().points().filter(|&p| board.chain_head(p) == Some(p));
        let lines = chains.filter(|&chain| self.fate(&verdict, chain) == wanted).map(|chain| {
            let stones: Vec<String> = board.chain(chain).map(|stone| stone.to_string()).collect();
            stones.join(" ")
        });
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    /// A living chain is in seki when none of its liberties is its own.
    fn fate(&self, verdict: &Verdict, chain: Point) -> Fate {
        let (board, size) = (self.position().board(), self.position().size());
        if verdict.dead.binary_search(&chain).is_ok() {
            return Fate::Dead;
        }
        let owner = |point: &Point| verdict.owner.get(size.index(*point)).copied().flatten();
        let own = board.liberty_points(chain).iter().any(|p| owner(p) == board.stone(chain));
        if own { Fate::Alive } else { Fate::Seki }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Alive,
    Dead,
    Seki,
}
