//! Who begins a game elsewhere, by a challenge, a rematch or against an AI of their choice, is out of the queue.

use ledger::{Delivery, Policy};
use nigiri_proto::{events::v1::CreatedNotice, matchmaking::v1::EndedReason};
use platform::Context;
use prost::Message;

use crate::{
    Error, GROUP,
    games::{GameError, Games},
    replica::Handle,
};

/// The game service's topic: a game has begun.
const TOPIC: &str = "created";

/// Notices that are dealt with at a time.
const AT_ONCE: usize = 64;

/// Follows the topic in the background.
///
/// # Errors
/// When the ledger is away.
pub async fn follow(handle: &Handle, games: &Games, context: &Context) -> anyhow::Result<()> {
    context.ledger.join(TOPIC, GROUP).await?;
    let (handle, games) = (handle.clone(), games.clone());
    let policy = Policy { batch: AT_ONCE, ..Policy::default() };
    context.consume(TOPIC, GROUP, policy, move |delivery| {
        let (handle, games) = (handle.clone(), games.clone());
        async move { act(&handle, &games, delivery).await }
    });
    Ok(())
}

/// Why a notice was not dealt with: it comes again.
#[derive(Debug, thiserror::Error)]
enum Fault {
    /// It makes no sense to this version.
    #[error("the notice of a game is malformed")]
    Malformed,
    /// The game cannot be looked at now.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A ticket could not be closed.
    #[error(transparent)]
    Queue(#[from] Error),
}

/// Closes the tickets of those who play. Doing it again changes nothing but that a ticket opened since is closed while its player plays.
async fn act(handle: &Handle, games: &Games, delivery: Delivery) -> Result<(), Fault> {
    let notice = CreatedNotice::decode(delivery.payload).map_err(|_| Fault::Malformed)?;
    let game = notice.game_id.parse().map_err(|_| Fault::Malformed)?;
    // Nobody waits, or the game comes from the queue, whose players have left it.
    if handle.overview().open == 0 || handle.knows(game).await? {
        return Ok(());
    }
    let Some(look) = games.look(game).await?.filter(|look| !look.over) else { return Ok(()) };
    for seat in look.created.seats.iter().filter(|seat| !seat.bot) {
        let player = seat.player_id.parse().map_err(|_| Fault::Malformed)?;
        handle.leave_for(player, EndedReason::Playing).await?;
    }
    Ok(())
}
