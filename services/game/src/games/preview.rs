use goban::{Size, Verdict};
use ledger::Sequence;
use referee::{board_to_preview, preview};

use super::Games;
use crate::{error::Error, estimates::Purpose, live::LiveGame};

/// What a game would count to.
pub struct Preview {
    /// The last entry that is counted.
    pub sequence: Sequence,
    /// The ply of the position.
    pub ply: u32,
    /// The board.
    pub size: Size,
    /// The score.
    pub verdict: Verdict,
}

impl Games {
    /// The score if the game ended now.
    ///
    /// # Errors
    /// [`Error::Busy`] while too many boards wait.
    pub async fn preview(&self, live: &LiveGame) -> Result<Preview, Error> {
        let (game, sequence) =
            live.look(|game, sequence| (game.clone(), sequence)).ok_or_else(|| Error::NotFound(live.id()))?;
        let estimate = match board_to_preview(&game) {
            Some(board) => Some(self.shared.estimates.of(board, Purpose::Preview).await?),
            None => None,
        };
        let verdict = preview(&game, estimate.as_deref());
        Ok(Preview { sequence, ply: game.ply(), size: game.settings().size, verdict })
    }

    /// Begins to estimate the board of a game that may be counted soon, so that the answer is there when it is needed.
    pub(super) fn foresee(&self, live: &LiveGame) {
        if let Some(board) = live.look(|game, _| board_to_preview(game)).flatten() {
            self.shared.estimates.begin(board);
        }
    }
}
