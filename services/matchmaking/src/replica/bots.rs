//! Bots in the queue's log: their offers, and the games that are kept for them.

use std::collections::BTreeSet;

use kernel::{GameId, PlayerId, Timestamp};
use nigiri_proto::{
    events::v1::{BotFreed, BotSeated, queue_fact::Fact},
    game::v1::GameSettings,
};

use super::{Command, Handle, PATIENCE, Reply, intent::Batch, task::Task};
use crate::{
    bots::plays,
    error::Error,
    queue::{Offer, Queue},
    ticket::Bot,
    wire,
};

/// What somebody wants to know of the queue.
pub(super) type Question = Box<dyn FnOnce(&Queue, Timestamp) + Send>;

/// A game that is to count for a bot.
pub(super) struct Seating {
    bot: Bot,
    game: GameId,
    settings: GameSettings,
    reply: Reply<()>,
}

/// What is wanted of bots.
#[derive(Default)]
pub(super) struct Wanted {
    offers: Vec<(Offer, Reply<()>)>,
    seatings: Vec<Seating>,
    frees: BTreeSet<(PlayerId, GameId)>,
    /// Bots that are no more.
    dismissals: BTreeSet<PlayerId>,
}

impl Handle {
    /// Asks the queue as it stands here.
    ///
    /// # Errors
    /// [`Error::LedgerSlow`] when the replica is too busy to say; [`Error::Draining`].
    pub async fn look<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Queue, Timestamp) -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.question(Command::Look, question).await
    }

    /// Likewise, with everything that any replica has written before this call.
    ///
    /// # Errors
    /// [`Error::LedgerSlow`], [`Error::Draining`].
    pub async fn look_again<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Queue, Timestamp) -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.question(Command::LookAgain, question).await
    }

    async fn question<T: Send + 'static>(
        &self,
        command: impl FnOnce(Question) -> Command,
        question: impl FnOnce(&Queue, Timestamp) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        self.send(command(Box::new(move |queue, now| {
            // Who asked may have gone.
            let _gone = reply.send(question(queue, now));
        })))?;
        let answer = tokio::time::timeout(PATIENCE, answer).await.map_err(|_| Error::LedgerSlow)?;
        answer.map_err(|_| Error::Draining)
    }

    /// Says that a bot is ready, or leaves.
    ///
    /// # Errors
    /// [`Error::LedgerSlow`], [`Error::Draining`].
    pub async fn offer(&self, offer: Offer) -> Result<(), Error> {
        self.ask(|reply| Command::Offer(Box::new(offer), reply)).await
    }

    /// Has a game count for a bot with a limit, if it still would play it. Doing it again changes nothing.
    ///
    /// # Errors
    /// [`Error::BotNotReady`], [`Error::BotDeclines`], [`Error::BotFull`]; [`Error::LedgerSlow`], [`Error::Draining`].
    pub async fn seat(&self, bot: Bot, game: GameId, settings: GameSettings) -> Result<(), Error> {
        self.ask(|reply| Command::Seat(Box::new(Seating { bot, game, settings, reply }))).await
    }

    /// A game of a bot is over, or was not made.
    pub fn free(&self, bot: PlayerId, game: GameId) {
        // When the replica has stopped, the bot's next offer puts it right.
        let _stopped = self.send(Command::Free { bot, game });
    }

    /// A bot is no more, or may not play.
    pub fn dismiss(&self, bot: PlayerId) {
        // When the replica has stopped, the offer ends by itself.
        let _stopped = self.send(Command::Dismiss(bot));
    }
}

impl Wanted {
    pub fn offer(&mut self, offer: Offer, reply: Reply<()>) {
        self.offers.push((offer, reply));
    }

    pub fn seat(&mut self, seating: Seating) {
        self.seatings.push(seating);
    }

    pub fn free(&mut self, bot: PlayerId, game: GameId) {
        self.frees.insert((bot, game));
    }

    pub fn dismiss(&mut self, bot: PlayerId) {
        self.dismissals.insert(bot);
    }

    /// A bot's offer is in the log.
    pub fn offered(&mut self, bot: PlayerId) {
        for (_, reply) in self.offers.extract_if(.., |(offer, _)| offer.bot.player.id == bot) {
            // Who asked may have gone.
            let _gone = reply.send(Ok(()));
        }
    }
}

impl Task {
    pub(super) fn collect_bots(&mut self, batch: &mut Batch) {
        let now = self.now();
        let (queue, wanted) = (&self.queue, &mut self.intents.bots);
        wanted.offers.retain(|(offer, reply)| !reply.is_closed() && offer.bot.expires > now);
        for (offer, _) in &wanted.offers {
            batch.push(Fact::BotOffered(wire::to_offer(offer)));
        }
        wanted.dismissals.retain(|bot| {
            let offered = queue.bot(*bot);
            if let Some(bot) = offered {
                let offer = Offer { bot: bot.clone(), leaving: true, games: None };
                batch.push(Fact::BotOffered(wire::to_offer(&offer)));
            }
            offered.is_some()
        });
        wanted.frees.retain(|(bot, game)| {
            let is_seated = queue.is_seated(*bot, *game);
            if is_seated {
                let (bot_id, game_id) = (bot.to_string(), game.to_string());
                batch.push(Fact::BotFreed(BotFreed { bot_id, game_id }));
            }
            is_seated
        });
        for seating in std::mem::take(&mut wanted.seatings) {
            let done = match seating.look(queue, now) {
                _ if seating.reply.is_closed() => continue,
                Ok(false) => {
                    let (bot_id, game_id) = (seating.bot.player.id.to_string(), seating.game.to_string());
                    batch.push(Fact::BotSeated(BotSeated { bot_id, game_id }));
                    wanted.seatings.push(seating);
                    continue;
                }
                Ok(true) => Ok(()),
                Err(error) => Err(error),
            };
            let _gone = seating.reply.send(done);
        }
    }
}

impl Seating {
    /// Whether the game counts already, or need not.
    fn look(&self, queue: &Queue, now: Timestamp) -> Result<bool, Error> {
        let Bot { player, .. } = &self.bot;
        if queue.is_seated(player.id, self.game) {
            return Ok(true);
        }
        let not_ready = || Error::BotNotReady(player.name.to_string());
        let offered = queue.bot(player.id).filter(|bot| bot.expires > now).ok_or_else(not_ready)?;
        let declined = plays::declines(&offered.accepts, &self.settings);
        if !declined.is_empty() {
            return Err(Error::BotDeclines(declined));
        }
        if queue.free_places(offered) == Some(0) {
            return Err(Error::BotFull(player.name.to_string(), offered.max_games));
        }
        Ok(offered.max_games == 0)
    }
}
