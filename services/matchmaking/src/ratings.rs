//! The rating service, as matchmaking needs it.

use std::time::Duration;

use kernel::PlayerId;
use nigiri_proto::rating::v1::{
    GetRatedBanRequest, GetRatingRequest, rating_service_client::RatingServiceClient,
};
use pairing::{BOARDS, Kinds};
use platform::{convert::from_proto_time, network::ServiceChannel};
use tonic::{Response, Status};

use crate::{
    error::Error,
    kinds::{self, SIDES},
    ticket::Rating,
};

/// How often a rating is asked for before it is guessed, and how long one asking may take.
const ATTEMPTS: u32 = 3;
const TIMEOUT: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(100);

/// Whoever has less is spared opponents who are much stronger.
const WEAK: Rating = Rating::points(1_000);

/// How strong a player is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// On the boards of [`kinds::SIDES`].
    pub ratings: [Rating; BOARDS],
    /// Whether they are new or weak, and spared opponents who are much stronger.
    pub sheltered: bool,
}

impl Default for Strength {
    fn default() -> Self {
        Self { ratings: [Rating::INITIAL; BOARDS], sheltered: false }
    }
}

/// The rating service.
#[derive(Clone)]
pub struct Ratings(RatingServiceClient<ServiceChannel>);

impl Ratings {
    /// The rating service behind this channel.
    pub fn new(channel: ServiceChannel) -> Self {
        Self(RatingServiceClient::new(channel))
    }

    /// How strong a player is on the boards of these kinds. Where the rating service does not say, it is the rating with which everybody begins: a player who
    /// waits is worth more than an exact rating.
    pub async fn of(&self, player: PlayerId, kinds: Kinds) -> Strength {
        let boards = kinds::boards();
        let asked = (0..BOARDS).map(|board| async move {
            if kinds.0 & boards[board] == 0 { None } else { Some(self.on(player, SIDES[board]).await) }
        });
        let mut strength = Strength::default();
        for (board, found) in futures::future::join_all(asked).await.into_iter().enumerate() {
            let Some(found) = found else { continue };
            let (rating, is_new) = found.unwrap_or_else(|| {
                tracing::warn!("a rating cannot be had: the ticket is opened with the initial one");
                (Rating::INITIAL, true)
            });
            strength.ratings[board] = rating;
            strength.sheltered |= is_new || rating < WEAK;
        }
        strength
    }

    /// The rating in a pool, and whether too few games have counted there for it to say much. None when the rating service does not say.
    pub async fn on(&self, player: PlayerId, side: u8) -> Option<(Rating, bool)> {
        let player_id = player.to_string();
        let request = GetRatingRequest { player_id, board_size: side.into(), ..GetRatingRequest::default() };
        let answer = self.ask(|mut client| {
            let request = request.clone();
            async move { client.get_rating(request).await }
        });
        let rating = answer.await?.rating?;
        Some((Rating(rating.micros), rating.provisional))
    }

    /// Lets a player look for a rated game. When the rating service does not say, everybody may: whoever is kept out unjustly loses more
    /// than one game more of somebody who leaves costs.
    ///
    /// # Errors
    /// [`Error::RatedBan`].
    pub async fn admit(&self, player: PlayerId) -> Result<(), Error> {
        let request = GetRatedBanRequest { player_id: player.to_string() };
        let answer = self.ask(|mut client| {
            let request = request.clone();
            async move { client.get_rated_ban(request).await }
        });
        let Some(ban) = answer.await else {
            tracing::warn!("whether a player may have rated games cannot be had: they may");
            return Ok(());
        };
        match ban.end_time {
            Some(end) => Err(Error::RatedBan { until: from_proto_time(end), leaves: ban.leaves }),
            None => Ok(()),
        }
    }

    /// Asks a few times; none when there was no answer.
    async fn ask<T, F>(&self, call: impl Fn(RatingServiceClient<ServiceChannel>) -> F) -> Option<T>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        for attempt in 1..=ATTEMPTS {
            let problem = match tokio::time::timeout(TIMEOUT, call(self.0.clone())).await {
                Ok(Ok(answer)) => return Some(answer.into_inner()),
                Ok(Err(status)) => status.to_string(),
                Err(_) => "no answer in time".to_owned(),
            };
            tracing::debug!(problem, attempt, "the rating service did not answer");
            if attempt < ATTEMPTS {
                tokio::time::sleep(PAUSE).await;
            }
        }
        None
    }
}
