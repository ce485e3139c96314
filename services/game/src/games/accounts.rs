use kernel::{GameId, PlayerId};
use referee::{Command, Refusal, Ruling};

use super::{
    Games,
    command::{By, SERVER},
};
use crate::{error::Error, live::LiveGame, store::accounts::Moved};

/// Why, in words for people.
const BANNED: &str = "a player was banned";

impl Games {
    /// Ends a game because one of its players was banned: lost, or without a result before both have moved.
    ///
    /// # Errors
    /// When ledger or store are away.
    pub async fn put_out(&self, id: GameId, player: PlayerId) -> Result<(), Error> {
        let Some(live) = self.unless_gone(id).await? else { return Ok(()) };
        let ruling = live.look(|game, _| {
            let color = game.seats().color_of(player)?;
            let begun = game.move_number() >= game.settings().opening();
            Some(begun.then(|| Ruling { winner: Some(color.opposite()), counts: true }))
        });
        let command = match ruling.flatten() {
            Some(Some(ruling)) => Command::Adjudicate { ruling, reason: BANNED },
            Some(None) => Command::Void { reason: BANNED },
            None => return Ok(()),
        };
        over(self.persist(&live, command, &SERVER, None).await)
    }

    /// Resigns for a player who is no more.
    ///
    /// # Errors
    /// When ledger or store are away.
    pub async fn give_up(&self, id: GameId, player: PlayerId) -> Result<(), Error> {
        let Some(live) = self.unless_gone(id).await? else { return Ok(()) };
        let by = By { player: Some(player), ..SERVER };
        over(self.persist(&live, Command::Resign, &by, None).await)
    }

    /// Puts right whose a seat is, in all games that this replica knows.
    pub fn reseat(&self, moved: &Moved) {
        let known: Vec<_> = self.shared.known.lock().values().cloned().collect();
        known.iter().for_each(|live| {
            live.reseat(moved);
        });
    }

    /// Puts right whose a game's seats are, by what the store knows. True if something was not right.
    ///
    /// # Errors
    /// When the store is away.
    pub(super) async fn put_seats_right(&self, live: &LiveGame) -> Result<bool, Error> {
        let Some(players) = live.look(|game, _| [game.seats().black.player, game.seats().white.player])
        else {
            return Ok(false);
        };
        let moved = self.store().moved(players).await?;
        // Both, not only the first.
        Ok(moved.iter().filter(|moved| live.reseat(moved)).count() > 0)
    }

    async fn unless_gone(&self, id: GameId) -> Result<Option<std::sync::Arc<LiveGame>>, Error> {
        match self.get(id).await {
            Ok(live) => Ok(Some(live)),
            Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A game that is over already needs no other end.
fn over(result: Result<u64, Error>) -> Result<(), Error> {
    match result {
        Ok(_) | Err(Error::Refused { refusal: Refusal::GameOver { .. } | Refusal::NotASeat, .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
