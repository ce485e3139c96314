//! A game against an AI of one's choice: unrated, without a clock, at most one for each request.

use kernel::GameId;
use nigiri_proto::{
    game::v1::{Color, GameSettings, Seat},
    matchmaking::v1::{AiLevel, EndedReason},
};

use crate::{
    error::Error,
    games::{GameError, Games},
    replica::Handle,
    ticket::{Match, Player},
    wave,
};

/// What a player asks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Who asks.
    pub player: Player,
    /// How strong the AI shall be.
    pub level: AiLevel,
    /// The player's colour; none for a random one.
    pub color: Option<Color>,
    /// What is played; none for `quick` without a clock.
    pub settings: Option<GameSettings>,
    /// The client's name for this request: repeating it gives the same game.
    pub request_id: String,
}

/// The game, the player's colour, and who sits opposite.
pub type Begun = (GameId, Color, Seat);

/// Begins the game, or finds it begun.
///
/// # Errors
/// [`Error::NoBot`], [`Error::Settings`], [`Error::GameAway`], [`Error::GameRefused`].
pub async fn begin(handle: &Handle, games: &Games, wanted: Wanted) -> Result<Begun, Error> {
    let player = wanted.player;
    let game = GameId::derive(&format!("ai:{}:{}", player.id, wanted.request_id));
    let bot = match handle.bot(wanted.level, &game.to_string()).await {
        Ok(bot) => bot,
        // The request may have been answered while there was one.
        Err(error @ Error::NoBot(_)) => return found(games, game, &player).await?.ok_or(error),
        Err(error) => return Err(error),
    };
    let random = if wave::heads(game) { Color::Black } else { Color::White };
    let settings = wanted.settings.unwrap_or_else(wave::usual_ai_game);
    let made = wave::with_bot(game, Vec::new(), settings, &player, wanted.color.unwrap_or(random), &bot);
    match games.create(&made).await {
        Ok(true) => {
            handle.leave_for(player.id, EndedReason::Playing).await?;
            seats(&made, &player)
        }
        // Somebody made it before, perhaps with another bot: what stands there counts.
        Ok(false) | Err(GameError::Exists) => found(games, game, &player)
            .await?
            .ok_or_else(|| Error::GameRefused("it was there and is not".to_owned())),
        Err(GameError::Away(cause)) => {
            tracing::warn!(%game, cause, "a game against an AI cannot be made now");
            Err(Error::GameAway)
        }
        Err(GameError::Refused { violations, .. }) if !violations.is_empty() => {
            Err(Error::Settings(violations))
        }
        Err(error @ GameError::Refused { .. }) => Err(Error::GameRefused(error.to_string())),
    }
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
