use goban::{Size, Verdict};
use ledger::Sequence;
use referee::{preview, question_of_preview};

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
            live.look(|game, sequence| (game.clone(), sequence)).ok_or_else(|| live.unknown())?;
        let found = match question_of_preview(&game) {
            Some(question) => Some(self.shared.estimates.of(question, Purpose::Preview).await?),
            None => None,
        };
        let verdict = preview(&game, found.as_deref());
        Ok(Preview { sequence, ply: game.ply(), size: game.settings().size, verdict })
    }

    /// Begins to look for the dead stones of a game that may be counted soon, so that they are known when they are needed.
    pub(super) fn foresee(&self, live: &LiveGame) {
        if let Some(question) = live.look(|game, _| question_of_preview(game)).flatten() {
            self.shared.estimates.begin(question);
        }
    }
}
