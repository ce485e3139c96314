use kernel::GameId;
use ledger::Sequence;
use referee::Command;

use super::{Games, command::SERVER};
use crate::error::Error;

impl Games {
    /// Does what an operator wants of a game. Answers with the entry's number, on disk.
    ///
    /// # Errors
    /// When the referee says no, there is no such game, or the ledger is away.
    pub async fn rule(&self, id: GameId, command: Command<'_>) -> Result<Sequence, Error> {
        let live = self.get(id).await?;
        self.persist(&live, command, &SERVER, None).await
    }
}
