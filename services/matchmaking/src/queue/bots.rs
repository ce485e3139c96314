//! Bots that are ready, and the games of those that play only so many at once.
//!
//! A game counts for its bot from its place in the log on, so that of two that would have the last place, at whatever replicas, one has it. It counts until an entry says
//! that it is over. Games that a bot came to otherwise, and those whose end nobody heard of, are put right by what the bot's offers say of the game service's list.

use std::{collections::BTreeMap, time::Duration};

use kernel::{GameId, PlayerId, Timestamp};

use super::{Change, Queue};
use crate::ticket::Bot;

/// A game that goes on is in the game service's list after this time.
pub const LISTED_AFTER: Duration = Duration::from_secs(10);

/// The games of a bot are remembered for this long after its offer has ended; if it comes back later, the list has all of them.
const REMEMBERED_FOR: Duration = Duration::from_secs(60);

/// What a bot says of itself, and what is known of its games.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The bot.
    pub bot: Bot,
    /// Whether it is not ready any more: then nothing else counts.
    pub leaving: bool,
    /// Its games by the game service's list, if that was asked.
    pub games: Option<Vec<GameId>>,
}

/// The games of a bot that plays only so many at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Playing {
    /// Since when it has been given each; those of the game service's list since the beginning of time.
    pub games: BTreeMap<GameId, Timestamp>,
    /// Until when they are remembered.
    pub until: Timestamp,
}

impl Queue {
    /// Bots that are ready, whether they have room or not.
    pub fn bots(&self) -> impl ExactSizeIterator<Item = &Bot> {
        self.bots.values()
    }

    /// A bot that is ready.
    pub fn bot(&self, bot: PlayerId) -> Option<&Bot> {
        self.bots.get(&bot)
    }

    /// Bots that would begin another game.
    pub fn bots_with_room(&self) -> usize {
        self.bots.values().filter(|bot| self.free_places(bot) != Some(0)).count()
    }

    /// How many more games a bot would begin; none for any number.
    pub fn free_places(&self, bot: &Bot) -> Option<u32> {
        let playing = || u32::try_from(self.games_of_bot(bot.player.id).len()).unwrap_or(u32::MAX);
        (bot.max_games > 0).then(|| bot.max_games.saturating_sub(playing()))
    }

    /// The games that count for a bot with a limit.
    pub fn games_of_bot(&self, bot: PlayerId) -> Vec<GameId> {
        self.playing.get(&bot).map(|playing| playing.games.keys().copied().collect()).unwrap_or_default()
    }

    /// Whether a game counts for a bot.
    pub fn is_seated(&self, bot: PlayerId, game: GameId) -> bool {
        self.playing.get(&bot).is_some_and(|playing| playing.games.contains_key(&game))
    }

    /// Whether a bot would sit in this game, as far as its limit goes. Of one whose offer has ended nothing is known.
    pub fn has_room(&self, bot: PlayerId, game: GameId) -> bool {
        let full = |bot: &Bot| self.free_places(bot) == Some(0);
        self.is_seated(bot, game) || !self.bots.get(&bot).is_some_and(full)
    }

    pub(super) fn offer(&mut self, offer: Offer, changes: &mut Vec<Change>) {
        let Offer { bot, leaving, games } = offer;
        let id = bot.player.id;
        if leaving {
            self.bots.remove(&id);
            return changes.push(Change::Offered(id));
        }
        if bot.expires <= self.now {
            return;
        }
        if bot.max_games == 0 {
            self.playing.remove(&id);
        } else {
            let playing = self.playing.entry(id).or_default();
            playing.until = bot.expires + REMEMBERED_FOR;
            if let Some(games) = games {
                let (now, pending) = (self.now, &self.pending);
                let counts = |game: &GameId, since: Timestamp| {
                    games.contains(game) || pending.contains_key(game) || since + LISTED_AFTER > now
                };
                playing.games.retain(|game, since| counts(game, *since));
                for game in games {
                    playing.games.entry(game).or_default();
                }
            }
        }
        changes.push(Change::Offered(id));
        self.bots.insert(id, bot);
    }

    /// Gives a bot a game, if its offer stands and leaves room.
    pub(super) fn seat(&mut self, bot: PlayerId, game: GameId, changes: &mut Vec<Change>) {
        if self.bots.contains_key(&bot) && self.has_room(bot, game) {
            self.engage(bot, game);
            changes.push(Change::Seated(bot, game));
        }
    }

    /// Counts a game for a bot, if it has a limit.
    pub(super) fn engage(&mut self, bot: PlayerId, game: GameId) {
        let Some(offer) = self.bots.get(&bot).filter(|offer| offer.max_games > 0) else { return };
        let playing = self.playing.entry(bot).or_default();
        playing.until = playing.until.max(offer.expires + REMEMBERED_FOR);
        playing.games.entry(game).or_insert(self.now);
    }

    /// A game does not count for a bot any more.
    pub(super) fn free(&mut self, bot: PlayerId, game: GameId) {
        if let Some(playing) = self.playing.get_mut(&bot) {
            playing.games.remove(&game);
        }
    }

    pub(super) fn expire_bots(&mut self) {
        let now = self.now;
        self.bots.retain(|_, bot| bot.expires > now);
        self.playing.retain(|_, playing| playing.until > now);
    }
}
