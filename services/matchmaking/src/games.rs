//! The game service, as matchmaking needs it: make a game, at most once; look whether one is over.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use kernel::{GameId, PlayerId};
use nigiri_proto::game::v1::{
    CheckSettingsRequest, CreateGameRequest, FindSeatedRequest, GameCreated, GameRecord, GameSettings,
    GetGameRequest, game_event::Event, game_service_client::GameServiceClient,
};
use platform::{network::ServiceChannel, status::Violation, together::Together};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::{error::Error, ticket::Match};

/// A call that takes longer is given up, and repeated where that makes sense.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Players and games that are asked about in one call, at most, and calls at a time.
const MOST: usize = 200;
const ROUNDS: usize = 2;

/// How often it is looked whether a game is over, and how long between.
const LOOKS: u32 = 5;
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// The game service.
#[derive(Clone)]
pub struct Games {
    client: GameServiceClient<ServiceChannel>,
    seats: Together<Question, Result<Found, GameError>>,
}

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

impl From<sqlx::Error> for GameError {
    fn from(error: sqlx::Error) -> Self {
        Self::Away(error.to_string())
    }
}

impl Games {
    /// The game service behind this channel.
    pub fn new(channel: ServiceChannel) -> Self {
        let client = GameServiceClient::new(channel);
        let asking = client.clone();
        let seats = Together::new(MOST, ROUNDS, move |questions| find(asking.clone(), questions));
        Self { client, seats }
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
        let mut client = self.client.clone();
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
        let mut client = self.client.clone();
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
        for _ in 1..LOOKS {
            if self.seats.ask(Question::Player(player)).await?.seated.is_none() {
                return Ok(None);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        Ok(self.seats.ask(Question::Player(player)).await?.seated)
    }

    /// Whether a game is over, or not there. One whose time has just run out may not have ended yet: it is given a moment.
    ///
    /// # Errors
    /// [`GameError::Away`] when that cannot be told.
    pub async fn is_over(&self, game: GameId) -> Result<bool, GameError> {
        for _ in 1..LOOKS {
            if self.is_over_now(game).await? {
                return Ok(true);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        self.is_over_now(game).await
    }

    /// Whether a game is over at this moment, or not there.
    ///
    /// # Errors
    /// [`GameError::Away`] when that cannot be told.
    pub async fn is_over_now(&self, game: GameId) -> Result<bool, GameError> {
        Ok(self.seats.ask(Question::Game(game)).await?.over)
    }

    /// How a game began, and whether it is over. None if there is no such game.
    ///
    /// # Errors
    /// [`GameError::Away`] when that cannot be told.
    pub async fn look(&self, game: GameId) -> Result<Option<Look>, GameError> {
        let mut client = self.client.clone();
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

/// What is asked of many players and games at once.
#[derive(Clone, Copy)]
enum Question {
    /// In which game somebody sits.
    Player(PlayerId),
    /// Whether a game is over.
    Game(GameId),
}

/// What is known of a player, or of a game.
#[derive(Clone, Copy, Default)]
struct Found {
    seated: Option<GameId>,
    over: bool,
}

async fn find(
    mut client: GameServiceClient<ServiceChannel>,
    questions: Vec<Question>,
) -> Vec<Result<Found, GameError>> {
    let mut request = FindSeatedRequest::default();
    for question in &questions {
        match question {
            Question::Player(player) => request.player_ids.push(player.to_string()),
            Question::Game(game) => request.game_ids.push(game.to_string()),
        }
    }
    let answer = match in_time(client.find_seated(request)).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => {
            return questions.iter().map(|_| Err(GameError::Away(status.to_string()))).collect();
        }
    };
    let seated: HashMap<_, _> =
        answer.seated.into_iter().map(|seated| (seated.player_id, seated.game_id)).collect();
    let over: HashSet<_> = answer.over_game_ids.into_iter().collect();
    let found = |question: &Question| match question {
        Question::Player(player) => {
            let seated = seated.get(&player.to_string()).and_then(|game| game.parse().ok());
            Ok(Found { seated, over: false })
        }
        Question::Game(game) => Ok(Found { seated: None, over: over.contains(&game.to_string()) }),
    };
    questions.iter().map(found).collect()
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
