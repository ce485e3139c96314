//! After a game has counted: what the rules against abuse say about its players. Doing it again changes nothing, so that it is done for a game whose
//! news comes again as well.

use kernel::PlayerId;

use crate::{
    abuse::{self, Past},
    elo::Outcome,
    notice::{End, RatedGame},
    record::Records,
    store::{Effect, GameRating, Point, Position, Store},
};

/// Games of a player that are looked at: as many as any rule looks at.
const LOOK: u16 = 20;

/// Why the players could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The game's record is not to be had.
    #[error(transparent)]
    Record(#[from] crate::record::Error),
    /// The store failed.
    #[error("the store failed: {0}")]
    Store(#[from] sqlx::Error),
}

/// Looks at a game that is marked, and at its players; what counting it did says whether there is anything to look at. Nothing if it had counted before:
/// then everything is looked at.
pub(crate) async fn examine(
    store: &Store,
    records: &Records,
    game: &RatedGame,
    effect: Option<&Effect>,
) -> Result<(), Error> {
    let calm = effect.is_some_and(|effect| {
        let (black, white) = effect.games;
        let look = |games| abuse::is_worth_a_look(game.is_short(), games);
        effect.verdict.counts() && !look(black) && !look(white) && game.end != End::Abandonment
    });
    if game.pool.is_of_bots() || calm {
        return Ok(());
    }
    let Some(marked) = store.game(game.id).await? else { return Ok(()) };
    let at = Position { finished: marked.finished, game: game.id };
    flags(store, &marked, at).await?;
    match (game.end, game.outcome) {
        (End::Abandonment, Outcome::Black) => leave(store, records, game.white.id, at).await,
        (End::Abandonment, Outcome::White) => leave(store, records, game.black.id, at).await,
        _ => Ok(()),
    }
}

/// Raises the flags that this game is a reason for.
async fn flags(store: &Store, game: &GameRating, at: Position) -> Result<(), Error> {
    let (black, white) = (game.black.0, game.white.0);
    let mut findings = Vec::new();
    if !game.verdict.counts() {
        // How many there were by now says it as well as how many there were before.
        let pair = store.pair(game, at).await?;
        findings.extend(abuse::of_pair(game.verdict, pair, black, white));
    }
    for player in [black, white] {
        let before = Position { finished: at.finished + std::time::Duration::from_millis(1), ..at };
        let past = store.history(game.pool, player, Some(before), LOOK).await?;
        let past: Vec<Past> = past.iter().map(Point::past).collect();
        findings.extend(abuse::of_player(player, &past));
    }
    store.raise(game.pool, at, &findings).await?;
    Ok(())
}

/// A player who left the game: unless the server was away during it.
async fn leave(store: &Store, records: &Records, player: PlayerId, at: Position) -> Result<(), Error> {
    if records.was_away(at.game).await? == Some(false)
        && let Some(ban) = store.left(player, at).await?
    {
        tracing::info!(player.id = %player, leaves = ban.leaves, "banned from rated play for leaving games");
    }
    Ok(())
}
