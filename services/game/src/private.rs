//! Who may see a game: anybody a public one; a private one its players, operators, our own services, and whoever has its key.

use kernel::GameId;
use ledger::Entry;
use platform::{
    auth::{Identity, Role},
    status::Failure,
};
use referee::Game;

use crate::{archive::replay, error::Error, live::LiveGame};

/// Checks that a caller may see a game. `key` is the key that came with the call, or empty.
///
/// # Errors
/// [`Error::Private`].
pub fn admit(live: &LiveGame, caller: &Identity, key: &str) -> Result<(), Failure> {
    // Of a game of which nothing is known nothing can be shown.
    let may = live.look(|game, _| may_see(game, caller, key)).unwrap_or(true);
    if may { Ok(()) } else { Err(Error::Private(live.id()).into()) }
}

/// Likewise, for the entries of a record.
///
/// # Errors
/// [`Error::Private`], [`Error::Newer`].
pub fn admit_to_record(id: GameId, entries: &[Entry], caller: &Identity, key: &str) -> Result<(), Failure> {
    // The first entry tells what is played and by whom. What it does not tell is nobody's.
    let game = match entries.first() {
        Some(first) => replay(id, std::slice::from_ref(first))?,
        None => None,
    };
    let may = game.is_some_and(|game| may_see(&game, caller, key));
    if may { Ok(()) } else { Err(Error::Private(id).into()) }
}

fn may_see(game: &Game, caller: &Identity, key: &str) -> bool {
    let Some(wanted) = game.settings().watch_key else { return true };
    let plays = |player| game.seats().color_of(player).is_some();
    matches!(caller.role, Role::Service | Role::Operator)
        || caller.player().is_ok_and(plays)
        || key.parse().is_ok_and(|key: kernel::WatchKey| key == wanted)
}
