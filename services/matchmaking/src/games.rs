//! The game service, as matchmaking needs it: make a game, at most once; look whether one is over.

use std::{sync::Arc, time::Duration};

use kernel::{GameId, PlayerId};
use nigiri_proto::game::v1::{
    CheckSettingsRequest, CreateGameRequest, GameCreated, GameRecord, GameSettings, GameSummary,
    GetGameRequest, ListLiveGamesRequest, game_event::Event, game_service_client::GameServiceClient,
    time_control::Control,
};
use platform::{network::ServiceChannel, status::Violation};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::{error::Error, ticket::Match};

/// A call that takes longer is given up, and repeated where that makes sense.
const TIMEOUT: Duration = Duration::from_secs(3);

/// How often it is looked whether a game is over, and how long between.
const LOOKS: u32 = 5;
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// The game service.
#[derive(Clone)]
pub struct Games(GameServiceClient<ServiceChannel>);

/// Why there is no game.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GameError {
    /// It will never be made: asking again gives the same answer.
    #[error("refused: {words}")]
    Refused {
        /// The game service's words.
        words: String,
        /// What is wrong with the settings, if it is that.
        violations: Vec<Violation>,
        /// The player whose own state is in the way, where the game service names one.
        culprit: Option<PlayerId>,
    },
    /// Another game has this id.
    #[error("there is another game with this id")]
    Exists,
    /// Not known: ask again.
    #[error("away: {0}")]
    Away(String),
}

impl Games {
    /// The game service behind this channel.
    pub fn new(channel: ServiceChannel) -> Self {
        Self(GameServiceClient::new(channel))
    }

    /// Makes a game, or finds it made. True if this call made it.
    ///
    /// # Errors
    /// See [`GameError`].
    pub async fn create(&self, made: &Match) -> Result<bool, GameError> {
        let request = CreateGameRequest {
            game_id: made.game.to_string(),
            settings: Some(made.settings.clone()),
            seats: made.seats.clone(),
        };
        let mut client = self.0.clone();
        match in_time(client.create_game(request)).await {
            Ok(answer) => Ok(answer.into_inner().created),
            Err(status) => Err(read(&status)),
        }
    }

    /// Whether settings make a game.
    ///
    /// # Errors
    /// [`Error::Settings`], with everything that is wrong; [`Error::GameAway`].
    pub async fn check(&self, settings: &GameSettings) -> Result<(), Error> {
        let mut client = self.0.clone();
        let request = CheckSettingsRequest { settings: Some(settings.clone()) };
        match in_time(client.check_settings(request)).await {
            Ok(_) => Ok(()),
            Err(status) => Err(match read(&status) {
                GameError::Refused { violations, .. } if !violations.is_empty() => {
                    Error::Settings(violations)
                }
                error => {
                    tracing::warn!(%error, "settings cannot be checked now");
                    Error::GameAway
                }
            }),
        }
    }

    /// The game against another person, by a clock, in which a player sits now, if there is one: one at a time, whatever tabs and devices.
    ///
    /// # Errors
    /// [`GameError::Away`] when that cannot be told.
    pub async fn playing(&self, player: PlayerId) -> Result<Option<GameId>, GameError> {
        let mut client = self.0.clone();
        let request = ListLiveGamesRequest { player_id: player.to_string(), ..Default::default() };
        let answer = in_time(client.list_live_games(request)).await;
        let listed = answer.map_err(|status| GameError::Away(status.to_string()))?.into_inner();
        for game in listed.games.iter().filter(|game| is_occupying(game)) {
            let Ok(id) = game.game_id.parse() else { continue };
            // A game is in the list until a moment after its end.
            if !self.is_over(id).await? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Whether a game is over, or not there. One that has just ended may not be known to be: it is given a moment.
    ///
    /// # Errors
    /// [`GameError::Away`] when that cannot be told.
    pub async fn is_over(&self, game: GameId) -> Result<bool, GameError> {
        for _ in 1..LOOKS {
            if self.look(game).await?.is_none_or(|look| look.over) {
                return Ok(true);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        Ok(self.look(game).await?.is_none_or(|look| look.over))
    }

    /// How a game began, and whether it is over. None if there is no such game.
    ///
    /// # Errors
    /// [`GameError::Away`] when that cannot be told.
    pub async fn look(&self, game: GameId) -> Result<Option<Look>, GameError> {
        let mut client = self.0.clone();
        match in_time(client.get_game(GetGameRequest { game_id: game.to_string(), ..Default::default() }))
            .await
        {
            Ok(answer) => Ok(answer.into_inner().record.and_then(look)),
            Err(status) if status.code() == Code::NotFound => Ok(None),
            Err(status) => Err(GameError::Away(status.to_string())),
        }
    }
}

/// What a game's record says.
#[derive(Clone, Debug)]
pub struct Look {
    /// How it began.
    pub created: Arc<GameCreated>,
    /// Whether it is over.
    pub over: bool,
}

/// Whether nobody should play anything else beside it: both are people, and a clock runs.
fn is_occupying(game: &GameSummary) -> bool {
    let control =
        game.settings.as_ref().and_then(|settings| settings.time_control.as_ref()?.control.as_ref());
    !matches!(control, Some(Control::None(_))) && game.seats.iter().all(|seat| !seat.bot)
}

fn look(record: GameRecord) -> Option<Look> {
    let mut events =
        record.entries.into_iter().flat_map(|entry| entry.events).filter_map(|event| event.event);
    let Some(Event::Created(created)) = events.next() else { return None };
    let over = events.any(|event| matches!(event, Event::Finished(_)));
    Some(Look { created: Arc::new(created), over })
}

async fn in_time<T>(call: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
    tokio::time::timeout(TIMEOUT, call)
        .await
        .unwrap_or_else(|_| Err(Status::deadline_exceeded("no answer in time")))
}

fn read(status: &Status) -> GameError {
    match status.code() {
        Code::AlreadyExists => GameError::Exists,
        Code::InvalidArgument | Code::FailedPrecondition | Code::PermissionDenied => {
            let info = status.get_details_error_info();
            let culprit = info.and_then(|info| info.metadata.get("player_id")?.parse().ok());
            let request = status.get_details_bad_request();
            let found = request.into_iter().flat_map(|request| request.field_violations);
            let violations = found.map(|v| Violation::new(v.field, v.description)).collect();
            GameError::Refused { words: status.message().to_owned(), violations, culprit }
        }
        _ => GameError::Away(status.to_string()),
    }
}
