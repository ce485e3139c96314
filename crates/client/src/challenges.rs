use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures::{FutureExt, Stream, StreamExt, future::BoxFuture};
use nigiri_proto::matchmaking::v1::{
    AcceptChallengeRequest, AcceptChallengeResponse, CancelChallengeRequest, Challenge, ChallengeState,
    CreateChallengeRequest, DeclineChallengeRequest, GetChallengeRequest, WatchChallengesRequest,
    WatchChallengesResponse, challenge_service_client::ChallengeServiceClient,
    watch_challenges_response::Message,
};
use tonic::{Response, Status, Streaming};

use crate::{
    Error, Service, Session, SessionChannel,
    resume::{Resuming, Source, Step},
};

const NO_CHALLENGE: Error = Error::Malformed("an answer without its challenge");

impl Session {
    /// Proposes a game. An empty `request_id` is filled in.
    ///
    /// # Errors
    /// [`Error::Refused`] (`INVALID_SETTINGS`, `PLAYER_NOT_FOUND`, `BLOCKED`, `TOO_MANY_CHALLENGES`); else as [`Session::call`].
    pub async fn create_challenge(&self, mut request: CreateChallengeRequest) -> Result<Challenge, Error> {
        if request.request_id.is_empty() {
            request.request_id = crate::game::new_id();
        }
        let answer = self.challenge_call(|mut client| {
            let request = request.clone();
            async move { client.create_challenge(request).await }
        });
        answer.await?.challenge.ok_or(NO_CHALLENGE)
    }

    /// The challenge with this code, as it stands now.
    ///
    /// # Errors
    /// [`Error::Refused`] (`CHALLENGE_NOT_FOUND`); else as [`Session::call`].
    pub async fn challenge(&self, code: &str) -> Result<Challenge, Error> {
        let answer = self.challenge_call(|mut client| {
            let request = GetChallengeRequest { code: code.to_owned() };
            async move { client.get_challenge(request).await }
        });
        answer.await?.challenge.ok_or(NO_CHALLENGE)
    }

    /// Accepts a challenge: its game is there when this returns. Accepting it again gives the same game.
    ///
    /// # Errors
    /// [`Error::Refused`] (`CHALLENGE_NOT_FOUND`, `CHALLENGE_CLOSED`, `OWN_CHALLENGE`, `BLOCKED`); else as [`Session::call`].
    pub async fn accept_challenge(&self, code: &str) -> Result<AcceptChallengeResponse, Error> {
        self.challenge_call(|mut client| {
            let request = AcceptChallengeRequest { code: code.to_owned() };
            async move { client.accept_challenge(request).await }
        })
        .await
    }

    /// Declines a challenge that is addressed to this player.
    ///
    /// # Errors
    /// [`Error::Refused`] (`CHALLENGE_NOT_FOUND`, `CHALLENGE_CLOSED`); else as [`Session::call`].
    pub async fn decline_challenge(&self, code: &str) -> Result<(), Error> {
        let answer = self.challenge_call(|mut client| {
            let request = DeclineChallengeRequest { code: code.to_owned() };
            async move { client.decline_challenge(request).await }
        });
        answer.await.map(|_| ())
    }

    /// Withdraws a challenge of this player's own.
    ///
    /// # Errors
    /// [`Error::Refused`] (`CHALLENGE_NOT_FOUND`, `CHALLENGE_CLOSED`); else as [`Session::call`].
    pub async fn cancel_challenge(&self, code: &str) -> Result<(), Error> {
        let answer = self.challenge_call(|mut client| {
            let request = CancelChallengeRequest { code: code.to_owned() };
            async move { client.cancel_challenge(request).await }
        });
        answer.await.map(|_| ())
    }

    /// Follows the challenges that this player has made, and those that are addressed to them.
    pub fn challenges(&self) -> Challenges {
        Challenges(Resuming::new(self.clone(), ChallengeSource))
    }

    /// Waits until a challenge is open no more: until it has been accepted and its game is there, or will never be played.
    ///
    /// # Errors
    /// [`Error::Refused`] (`CHALLENGE_NOT_FOUND`); else as [`Session::call`].
    pub async fn challenge_answered(&self, code: &str) -> Result<Challenge, Error> {
        let mut news = self.challenges();
        loop {
            let challenge = match news.next().await.transpose()? {
                Some(ChallengeNews::Challenge(challenge)) if challenge.code == code => *challenge,
                // What changed while nobody listened is not told again.
                Some(ChallengeNews::CaughtUp) => self.challenge(code).await?,
                Some(ChallengeNews::Challenge(_)) => continue,
                None => return Err(Error::Malformed("an end of the stream of challenges")),
            };
            match challenge.state() {
                ChallengeState::Open => {}
                ChallengeState::Accepted if challenge.game_id.is_empty() => {}
                _ => return Ok(challenge),
            }
        }
    }

    async fn challenge_call<T, F>(
        &self,
        attempt: impl Fn(ChallengeServiceClient<SessionChannel>) -> F,
    ) -> Result<T, Error>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        self.call(Service::Matchmaking, |channel| attempt(ChallengeServiceClient::new(channel))).await
    }
}

/// What a player hears of challenges.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ChallengeNews {
    /// A challenge as it stands now.
    Challenge(Box<Challenge>),
    /// All that are open have been told. Comes again when the stream was taken up again: what is not told then, was answered meanwhile.
    CaughtUp,
}

/// A player's challenges. Ends only by an error.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Challenges(Resuming<ChallengeSource>);

impl Stream for Challenges {
    type Item = Result<ChallengeNews, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

struct ChallengeSource;

impl Source for ChallengeSource {
    type Message = WatchChallengesResponse;
    type Item = ChallengeNews;
    const SERVICE: Service = Service::Matchmaking;

    fn open(
        &mut self,
        channel: SessionChannel,
    ) -> BoxFuture<'static, Result<Response<Streaming<WatchChallengesResponse>>, Status>> {
        async move { ChallengeServiceClient::new(channel).watch_challenges(WatchChallengesRequest {}).await }
            .boxed()
    }

    fn receive(&mut self, message: WatchChallengesResponse) -> Step<ChallengeNews> {
        match message.message {
            Some(Message::Challenge(challenge)) => Step::Yield(ChallengeNews::Challenge(Box::new(challenge))),
            Some(Message::CaughtUp(_)) => Step::Yield(ChallengeNews::CaughtUp),
            Some(Message::Quiet(_)) | None => Step::Skip,
            Some(Message::Draining(_)) => Step::Reopen,
        }
    }
}
