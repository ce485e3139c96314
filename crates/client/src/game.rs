use chance::Rng as _;
use kernel::GameId;
use nigiri_proto::game::v1::{
    GameRecord, GetGameRequest, PassRequest, PlayMoveRequest, ResignRequest,
    game_service_client::GameServiceClient,
};

use crate::{Error, Service, Session, Watch, error::reason, retry::Ended};

/// A game, to play or to watch. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Game {
    session: Session,
    id: GameId,
}

impl Game {
    pub(crate) fn new(session: Session, id: GameId) -> Self {
        Self { session, id }
    }

    /// Its id.
    pub fn id(&self) -> GameId {
        self.id
    }

    /// Plays a stone in answer to this ply, for example on `D5`. Gives the number of the entry, which is on disk. When an attempt's end
    /// is unknown, the same command is sent again, so that the move is made once; if it turns out to have been made, that is the answer.
    ///
    /// # Errors
    /// [`Error::Refused`] by the rules or because the game has moved on; else as [`Session::call`]. After
    /// [`Error::Unreachable`] it is unknown whether the move was made.
    pub async fn play(&self, ply: u32, point: &str) -> Result<u64, Error> {
        let request = PlayMoveRequest {
            game_id: self.id.to_string(),
            ply,
            point: point.to_owned(),
            command_id: new_id(),
        };
        let call = self.session.call_uncertain(Service::Game, |channel| {
            let request = request.clone();
            async move { GameServiceClient::new(channel).play_move(request).await }
        });
        let ended = call.await;
        self.settle(ended, |answer| answer.sequence, &request.command_id).await
    }

    /// Passes in answer to this ply; otherwise as [`Game::play`].
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn pass(&self, ply: u32) -> Result<u64, Error> {
        let request = PassRequest { game_id: self.id.to_string(), ply, command_id: new_id() };
        let call = self.session.call_uncertain(Service::Game, |channel| {
            let request = request.clone();
            async move { GameServiceClient::new(channel).pass(request).await }
        });
        let ended = call.await;
        self.settle(ended, |answer| answer.sequence, &request.command_id).await
    }

    /// Resigns; otherwise as [`Game::play`].
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn resign(&self) -> Result<u64, Error> {
        let request = ResignRequest { game_id: self.id.to_string(), command_id: new_id() };
        let call = self.session.call_uncertain(Service::Game, |channel| {
            let request = request.clone();
            async move { GameServiceClient::new(channel).resign(request).await }
        });
        let ended = call.await;
        self.settle(ended, |answer| answer.sequence, &request.command_id).await
    }

    /// The whole record, live or archived.
    ///
    /// # Errors
    /// [`Error::Refused`] (`GAME_NOT_FOUND`); else as [`Session::call`].
    pub async fn record(&self) -> Result<GameRecord, Error> {
        let request = GetGameRequest { game_id: self.id.to_string() };
        let answer = self.session.call(Service::Game, |channel| {
            let request = request.clone();
            async move {
                // A record of a thousand moves is larger than what tonic takes by default for a hostile answer.
                GameServiceClient::new(channel).max_decoding_message_size(64 << 20).get_game(request).await
            }
        });
        answer.await?.record.ok_or(Error::Malformed("a record without a record"))
    }

    /// Follows the game to its end: from a snapshot, or after the entry with this number.
    pub fn watch(&self, after: Option<u64>) -> Watch {
        Watch::new(self.session.clone(), self.id, after)
    }

    /// The answer to a command. A refusal that follows an attempt whose end is unknown may be the echo of its success: the record knows.
    async fn settle<T>(
        &self,
        ended: Ended<T>,
        sequence: impl Fn(T) -> u64,
        command_id: &str,
    ) -> Result<u64, Error> {
        match ended.result {
            Ok(answer) => Ok(sequence(answer)),
            Err(error) if ended.uncertain && says_moved_on(&error) => {
                let entries = self.record().await?.entries;
                let own = entries.iter().find(|entry| entry.command_id == command_id);
                own.map_or(Err(error), |entry| Ok(entry.sequence))
            }
            Err(error) => Err(error),
        }
    }
}

fn says_moved_on(error: &Error) -> bool {
    [reason::STALE_PLY, reason::NOT_YOUR_TURN, reason::GAME_OVER, reason::OUT_OF_TIME]
        .iter()
        .any(|name| error.is(name))
}

/// An id that names a command: 128 random bits.
pub(crate) fn new_id() -> String {
    format!("{:032x}", chance::rng().random::<u128>())
}
