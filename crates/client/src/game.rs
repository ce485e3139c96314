use chance::Rng as _;
use kernel::GameId;
use nigiri_proto::game::v1::{
    AcceptScoreRequest, AnswerProposalRequest, DisputeScoreRequest, GameRecord, GetGameRequest, LeaveRequest,
    MarkChainRequest, OfferDrawRequest, PassRequest, PlayMoveRequest, PreviewScoreRequest,
    PreviewScoreResponse, RequestRematchRequest, RequestTakebackRequest, ResignRequest,
    game_service_client::GameServiceClient,
};

use crate::{Error, Service, Session, Watch, channel::LONGEST, error::reason, retry::Ended};

/// Sends a command until its end is known: the same command, under one id, however often.
macro_rules! command {
    ($game:ident, $method:ident($request:ident { $($field:ident $(: $value:expr)?),* })) => {{
        let request =
            $request { game_id: $game.id.to_string(), command_id: new_id(), $($field $(: $value)?),* };
        let call = $game.session.call_uncertain(Service::Game, |channel| {
            let request = request.clone();
            async move { GameServiceClient::new(channel).$method(request).await }
        });
        let ended = call.await;
        $game.settle(ended, |answer| answer.sequence, &request.command_id).await
    }};
}

/// A game, to play or to watch. Cheap to clone.
///
/// Each command is one command, under one id, however often it has to be sent: a move is neither lost nor made twice. Commands quote the ply of the state that they
/// answer, so that nothing is done to a position that one has not seen:
///
/// ```
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use futures::StreamExt;
/// use nigiri_client::{AiLevel, Color, Watched, reason};
///
/// # let world = testkit::World::start().await;
/// # let session = world.guest("Oza").await;
/// let begun = session.start_ai_game(AiLevel::Easy, Color::Black).await?;
/// let game = session.game(begun.game_id.parse()?);
/// let entry = game.play(0, "D5").await?;
///
/// // The stream has the command as the entry of that number, and then whatever follows.
/// let mut watch = game.watch(Some(entry - 1));
/// let Some(Watched::Update(update)) = watch.next().await.transpose()? else { unreachable!() };
/// assert_eq!((update.sequence, update.state.unwrap().ply), (entry, 1));
///
/// // Ply 0 has gone by.
/// let error = game.play(0, "E5").await.unwrap_err();
/// assert!(error.is(reason::STALE_PLY));
/// # world.stop().await;
/// # Ok(()) }
/// ```
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
        let delay_proof = self.session.delay_proof(self.id);
        command!(self, play_move(PlayMoveRequest { ply, point: point.to_owned(), delay_proof }))
    }

    /// Passes in answer to this ply; otherwise as [`Game::play`].
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn pass(&self, ply: u32) -> Result<u64, Error> {
        let delay_proof = self.session.delay_proof(self.id);
        command!(self, pass(PassRequest { ply, delay_proof }))
    }

    /// Resigns; otherwise as [`Game::play`].
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn resign(&self) -> Result<u64, Error> {
        command!(self, resign(ResignRequest {}))
    }

    /// Offers a draw, or accepts the one that the opponent has offered.
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn offer_draw(&self, ply: u32) -> Result<u64, Error> {
        command!(self, offer_draw(OfferDrawRequest { ply }))
    }

    /// Asks to take back one's last move, and the reply to it. Against a program without a clock it happens at once.
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn request_takeback(&self, ply: u32) -> Result<u64, Error> {
        command!(self, request_takeback(RequestTakebackRequest { ply }))
    }

    /// Answers the opponent's proposal, quoting its id and version.
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn answer(&self, proposal_id: u32, version: u32, accept: bool) -> Result<u64, Error> {
        command!(self, answer_proposal(AnswerProposalRequest { proposal_id, version, accept }))
    }

    /// Accepts the score that is proposed under this version.
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn accept_score(&self, version: u32) -> Result<u64, Error> {
        command!(self, accept_score(AcceptScoreRequest { version }))
    }

    /// Disputes the score that is proposed under this version: play goes on.
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn dispute_score(&self, version: u32) -> Result<u64, Error> {
        command!(self, dispute_score(DisputeScoreRequest { version }))
    }

    /// Says that the chain of this stone is dead, or that it is alive, in the score of this version.
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn mark_chain(&self, version: u32, point: &str, dead: bool) -> Result<u64, Error> {
        command!(self, mark_chain(MarkChainRequest { version, point: point.to_owned(), dead }))
    }

    /// Leaves, and says so: the game waits a short grace.
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn leave(&self) -> Result<u64, Error> {
        command!(self, leave(LeaveRequest {}))
    }

    /// After the end, asks for another game. Its id, once both have asked.
    ///
    /// # Errors
    /// As [`Game::play`].
    pub async fn request_rematch(&self) -> Result<Option<GameId>, Error> {
        let request = RequestRematchRequest { game_id: self.id.to_string(), command_id: new_id() };
        let call = self.session.call(Service::Game, |channel| {
            let request = request.clone();
            async move { GameServiceClient::new(channel).request_rematch(request).await }
        });
        let next = call.await?.next_game_id;
        if next.is_empty() {
            return Ok(None);
        }
        next.parse().map(Some).map_err(|_| Error::Malformed("a rematch without an id"))
    }

    /// The score if the game ended now.
    ///
    /// # Errors
    /// [`Error::Refused`] (`GAME_NOT_FOUND`, `TOO_BUSY`); else as [`Session::call`].
    pub async fn preview_score(&self) -> Result<PreviewScoreResponse, Error> {
        let request = PreviewScoreRequest { game_id: self.id.to_string(), ..Default::default() };
        let answer = self.session.call(Service::Game, |channel| {
            let request = request.clone();
            async move { GameServiceClient::new(channel).preview_score(request).await }
        });
        answer.await
    }

    /// The whole record, live or archived.
    ///
    /// # Errors
    /// [`Error::Refused`] (`GAME_NOT_FOUND`); else as [`Session::call`].
    pub async fn record(&self) -> Result<GameRecord, Error> {
        let request = GetGameRequest { game_id: self.id.to_string(), ..Default::default() };
        let answer = self.session.call(Service::Game, |channel| {
            let request = request.clone();
            async move {
                GameServiceClient::new(channel).max_decoding_message_size(LONGEST).get_game(request).await
            }
        });
        answer.await?.record.ok_or(Error::Malformed("a record without a record"))
    }

    /// Follows the game to its end: from a snapshot, or after the entry with this number.
    pub fn watch(&self, after: Option<u64>) -> Watch {
        Watch::new(self.session.clone(), self.id, after)
    }

    /// The answer to a command. A refusal that follows an attempt whose end is unknown may be the echo of its success: the record knows.
    pub(crate) async fn settle<T>(
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
    const MOVED_ON: [&str; 9] = [
        reason::STALE_PLY,
        reason::NOT_YOUR_TURN,
        reason::GAME_OVER,
        reason::OUT_OF_TIME,
        reason::SCORE_PROPOSED,
        reason::NO_SCORE,
        reason::STALE_SCORE,
        reason::STALE_PROPOSAL,
        reason::ALREADY_SO,
    ];
    MOVED_ON.iter().any(|name| error.is(name))
}

/// An id that names a command: 128 random bits.
pub(crate) fn new_id() -> String {
    format!("{:032x}", chance::rng().random::<u128>())
}
