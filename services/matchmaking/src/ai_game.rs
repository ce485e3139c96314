//! A game against an AI of one's choice: unrated, without a clock unless one is asked for, at most one for each request.
//!
//! A bot that plays only so many games at once has the game counted in the queue's log before it is made, so that two who ask at the same time, at whatever replicas, do
//! not both get its last place. If that is as far as it goes, because this replica dies, the same request makes the game; if it never comes again, the bot's next
//! offers say that it plays no such game.

use std::collections::HashMap;

use kernel::GameId;
use nigiri_proto::{
    game::v1::{Color, GameSettings, Seat},
    matchmaking::v1::{AiLevel, EndedReason},
};
use prost::Message;

use crate::{
    blocked::Blocked,
    bots::{
        Bots,
        choice::{self, Sought},
        plays,
    },
    error::Error,
    games::{GameError, Games},
    queue::Queue,
    ticket::{Bot, Match, Player},
    wave,
};

/// Bots of a level are looked for so often, when others take the places of those that were found.
const ATTEMPTS: u32 = 5;

/// What a player asks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Who asks.
    pub player: Player,
    /// How strong the AI shall be.
    pub level: AiLevel,
    /// The name of the bot that it shall be; none for any of the level.
    pub bot: Option<String>,
    /// The player's colour; none for a random one.
    pub color: Option<Color>,
    /// What is played; none for the usual game.
    pub settings: Option<GameSettings>,
    /// The client's name for this request: repeating it with the same wishes gives the same game.
    pub request_id: String,
}

impl Wanted {
    /// The one game that this request is for. Who asks for something else under a name that was used already is not given the old game for it.
    fn game(&self) -> GameId {
        let settings = self.settings.as_ref().map(Message::encode_to_vec);
        let wishes = (self.level as i32, self.color.map(|color| color as i32), settings);
        let name = self.bot.as_ref().map(|name| format!(":{name:?}")).unwrap_or_default();
        GameId::derive(&format!("ai:{}:{}:{wishes:?}{name}", self.player.id, self.request_id))
    }
}

/// The game, the player's colour, and who sits opposite.
pub type Begun = (GameId, Color, Seat);

/// Begins the game, or finds it begun.
///
/// # Errors
/// [`Error::NoBot`], and by name [`Error::BotNotReady`], [`Error::BotDeclines`], [`Error::BotFull`], [`Error::NoSuchBot`], [`Error::Blocked`];
/// [`Error::Settings`], [`Error::GameAway`], [`Error::GameRefused`].
pub async fn begin(bots: &Bots, blocked: &Blocked, wanted: Wanted) -> Result<Begun, Error> {
    let (game, player) = (wanted.game(), wanted.player.clone());
    let mut tried = 0;
    let (bot, settings) = loop {
        let (bot, settings) = match choose(bots, blocked, &wanted, game).await {
            Ok(chosen) => chosen,
            // The request may have been answered while there was one.
            Err(error) => return found(&bots.games, game, &player).await?.ok_or(error),
        };
        if bot.max_games == 0 {
            break (bot, settings);
        }
        // What was begun before does not count again, nor for another bot.
        if let Some(begun) = found(&bots.games, game, &player).await? {
            return Ok(begun);
        }
        tried += 1;
        match bots.handle.seat(bot.clone(), game, settings.clone()).await {
            Ok(()) => break (bot, settings),
            // Somebody was faster.
            Err(Error::BotFull(..) | Error::BotNotReady(_) | Error::BotDeclines(_))
                if wanted.bot.is_none() && tried < ATTEMPTS => {}
            Err(Error::BotFull(..) | Error::BotNotReady(_) | Error::BotDeclines(_))
                if wanted.bot.is_none() =>
            {
                return Err(Error::NoBot(wanted.level));
            }
            Err(error) => return Err(error),
        }
    };
    let random = if wave::heads(game) { Color::Black } else { Color::White };
    let made = wave::with_bot(game, Vec::new(), settings, &player, wanted.color.unwrap_or(random), &bot);
    make(bots, &made, &player, &bot).await
}

async fn make(bots: &Bots, made: &Match, player: &Player, bot: &Bot) -> Result<Begun, Error> {
    let game = made.game;
    match bots.games.create(made).await {
        Ok(true) => {
            bots.handle.leave_for(player.id, EndedReason::Playing).await?;
            seats(made, player)
        }
        // Somebody made it before, perhaps with another bot: what stands there counts.
        Ok(false) | Err(GameError::Exists) => found(&bots.games, game, player)
            .await?
            .ok_or_else(|| Error::GameRefused("it was there and is not".to_owned())),
        Err(GameError::Away(cause)) => {
            tracing::warn!(%game, cause, "a game against an AI cannot be made now");
            Err(Error::GameAway)
        }
        Err(error @ GameError::Refused { .. }) => {
            bots.handle.free(bot.player.id, game);
            match error {
                GameError::Refused { violations, .. } if !violations.is_empty() => {
                    Err(Error::Settings(violations))
                }
                error => Err(Error::GameRefused(error.to_string())),
            }
        }
    }
}

/// A bot, and what is played with it.
type Chosen = (Bot, GameSettings);

async fn choose(bots: &Bots, blocked: &Blocked, wanted: &Wanted, game: GameId) -> Result<Chosen, Error> {
    if let Some(name) = &wanted.bot {
        return by_name(bots, blocked, wanted, name).await;
    }
    let avoids = blocked.by_or_nobody(wanted.player.id).await;
    let (level, seed) = (wanted.level, game.to_string());
    let settings = wanted.settings.clone().unwrap_or_else(wave::usual_ai_game);
    let asked = settings.clone();
    let bot = bots
        .handle
        .look(move |queue, now| {
            let given = &HashMap::new();
            let sought = Sought { level, settings: &asked, avoids: &avoids, given };
            choice::exact(queue, now, &sought, &seed).cloned()
        })
        .await?;
    Ok((bot.ok_or(Error::NoBot(level))?, settings))
}

/// The bot of this name, if it would play. Names that only look alike are one player's.
async fn by_name(bots: &Bots, blocked: &Blocked, wanted: &Wanted, name: &str) -> Result<Chosen, Error> {
    let asked = name.to_owned();
    let ready = move |queue: &Queue, now| {
        queue.bots().find(|bot| *bot.player.name == *asked && bot.expires > now).cloned()
    };
    let bot = match bots.handle.look(ready).await? {
        Some(bot) => bot,
        None => {
            let id = bots.players.bot_named(name).await?;
            let ready = move |queue: &Queue, now| queue.bot(id).filter(|bot| bot.expires > now).cloned();
            let ready = bots.handle.look(ready).await?;
            ready.ok_or_else(|| Error::BotNotReady(name.to_owned()))?
        }
    };
    if blocked.is_between(wanted.player.id, bot.player.id).await? {
        return Err(Error::Blocked);
    }
    let settings = wanted.settings.clone().unwrap_or_else(|| plays::usual(&bot.accepts));
    // Of a bot with a limit the log says; see `Handle::seat`.
    let declined = plays::declines(&bot.accepts, &settings);
    if declined.is_empty() { Ok((bot, settings)) } else { Err(Error::BotDeclines(declined)) }
}

async fn found(games: &Games, game: GameId, player: &Player) -> Result<Option<Begun>, Error> {
    let look = games.look(game).await.map_err(|error| {
        tracing::warn!(%game, %error, "a game against an AI cannot be looked at now");
        Error::GameAway
    })?;
    let Some(look) = look else { return Ok(None) };
    let settings = look.created.settings.clone().unwrap_or_default();
    let made = Match { game, tickets: Vec::new(), settings, seats: look.created.seats.clone() };
    seats(&made, player).map(Some)
}

fn seats(made: &Match, player: &Player) -> Result<Begun, Error> {
    let (own, opponent) = made
        .seats_of(player.id)
        .ok_or_else(|| Error::GameRefused(format!("{} does not sit in {}", player.id, made.game)))?;
    Ok((made.game, Color::try_from(own.color).unwrap_or_default(), opponent.clone()))
}
