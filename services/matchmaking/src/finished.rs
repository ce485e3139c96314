//! A game is over: the bot that sat in it has a place for another one.

use std::convert::Infallible;

use ledger::{Delivery, Policy};
use nigiri_proto::events::v1::FinishedNotice;
use platform::Context;
use prost::Message;

use crate::{GROUP, replica::Handle};

/// The game service's topic: a game has ended.
const TOPIC: &str = "finished";

/// Follows the topic in the background.
///
/// # Errors
/// When the ledger is away.
pub async fn follow(handle: &Handle, context: &Context) -> anyhow::Result<()> {
    context.ledger.join(TOPIC, GROUP).await?;
    let handle = handle.clone();
    context.consume(TOPIC, GROUP, Policy::default(), move |delivery| {
        act(&handle, delivery);
        std::future::ready(Ok::<(), Infallible>(()))
    });
    Ok(())
}

/// Frees the places of bots in a game. What is missed here, or cannot be read, is put right by the bots' next offers.
fn act(handle: &Handle, delivery: Delivery) {
    let notice = FinishedNotice::decode(delivery.payload).unwrap_or_default();
    let Ok(game) = notice.game_id.parse() else { return };
    for bot in notice.seats.iter().filter(|seat| seat.bot).filter_map(|seat| seat.player_id.parse().ok()) {
        handle.free(bot, game);
    }
}
