//! Which bot somebody is given who names none.

use std::collections::HashMap;

use kernel::{GameId, PlayerId, Timestamp};
use nigiri_proto::{game::v1::GameSettings, matchmaking::v1::AiLevel};

use super::plays;
use crate::{
    queue::Queue,
    ticket::{Bot, Rating},
};

/// What is asked of a bot.
pub struct Sought<'a> {
    /// How strong; unspecified for any.
    pub level: AiLevel,
    /// What is to be played.
    pub settings: &'a GameSettings,
    /// Who it must not be.
    pub avoids: &'a [PlayerId],
    /// Games that bots are to be given beside those that the log knows.
    pub given: &'a HashMap<PlayerId, u32>,
}

impl Sought<'_> {
    fn suits(&self, queue: &Queue, bot: &Bot) -> bool {
        let given = self.given.get(&bot.player.id).copied().unwrap_or(0);
        let has_room = queue.free_places(bot).is_none_or(|places| places > given);
        has_room
            && !self.avoids.contains(&bot.player.id)
            && plays::declines(&bot.accepts, self.settings).is_empty()
    }
}

/// The level of an AI that is about as strong as this.
pub fn level_of(rating: Rating) -> AiLevel {
    match rating.whole() {
        ..1_100 => AiLevel::Easy,
        1_100..1_500 => AiLevel::Normal,
        _ => AiLevel::Hard,
    }
}

/// A bot of this level, or of the nearest one that is there. The seed spreads players over bots, alike for everybody.
pub fn nearest<'a>(queue: &'a Queue, now: Timestamp, sought: &Sought<'_>, seed: &str) -> Option<&'a Bot> {
    let levels = match sought.level {
        AiLevel::Easy => [AiLevel::Easy, AiLevel::Normal, AiLevel::Hard],
        AiLevel::Normal | AiLevel::Unspecified => [AiLevel::Normal, AiLevel::Easy, AiLevel::Hard],
        AiLevel::Hard => [AiLevel::Hard, AiLevel::Normal, AiLevel::Easy],
    };
    levels.into_iter().find_map(|level| exact(queue, now, &Sought { level, ..*sought }, seed))
}

/// A bot of exactly this level (any, for unspecified) that is ready at this moment.
pub fn exact<'a>(queue: &'a Queue, now: Timestamp, sought: &Sought<'_>, seed: &str) -> Option<&'a Bot> {
    let level = sought.level;
    if level == AiLevel::Unspecified {
        return nearest(queue, now, &Sought { level: AiLevel::Normal, ..*sought }, seed);
    }
    let ready = queue.bots().filter(|bot| bot.level == level && bot.expires > now);
    let bots: Vec<_> = ready.filter(|bot| sought.suits(queue, bot)).collect();
    let place = GameId::derive(seed).as_uuid().as_u128() % (bots.len().max(1) as u128);
    bots.get(usize::try_from(place).ok()?).copied()
}
