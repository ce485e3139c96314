//! The rating service, as matchmaking needs it.

use std::time::Duration;

use kernel::PlayerId;
use nigiri_proto::rating::v1::{GetRatingRequest, rating_service_client::RatingServiceClient};
use platform::network::ServiceChannel;

use crate::ticket::Rating;

/// How often a rating is asked for before it is guessed, and how long one asking may take.
const ATTEMPTS: u32 = 3;
const TIMEOUT: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(100);

/// The rating service.
#[derive(Clone)]
pub struct Ratings(RatingServiceClient<ServiceChannel>);

impl Ratings {
    /// The rating service behind this channel.
    pub fn new(channel: ServiceChannel) -> Self {
        Self(RatingServiceClient::new(channel))
    }

    /// A player's rating in a pool. When the rating service does not say, it is the one with which everybody begins: a player who
    /// waits is worth more than an exact rating.
    pub async fn of(&self, player: PlayerId, board_size: u32) -> Rating {
        let request =
            GetRatingRequest { player_id: player.to_string(), board_size, ..GetRatingRequest::default() };
        for attempt in 1..=ATTEMPTS {
            let mut client = self.0.clone();
            let problem = match tokio::time::timeout(TIMEOUT, client.get_rating(request.clone())).await {
                Ok(Ok(answer)) => match answer.into_inner().rating {
                    Some(rating) => return Rating(rating.micros),
                    None => "an answer without a rating".to_owned(),
                },
                Ok(Err(status)) => status.to_string(),
                Err(_) => "no answer in time".to_owned(),
            };
            if attempt == ATTEMPTS {
                tracing::warn!(problem, "a rating cannot be had: the ticket is opened with the initial one");
            } else {
                tokio::time::sleep(PAUSE).await;
            }
        }
        Rating::INITIAL
    }
}
