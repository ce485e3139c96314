//! The game service, as the session service needs it.

use std::time::Duration;

use kernel::PlayerId;
use nigiri_proto::game::v1::{HaveMetRequest, game_service_client::GameServiceClient};
use platform::network::ServiceChannel;

use crate::error::Error;

/// How long the question may take: somebody waits for their sign-in.
const PATIENCE: Duration = Duration::from_secs(3);

/// The game service.
#[derive(Clone)]
pub struct Games(GameServiceClient<ServiceChannel>);

impl Games {
    /// The game service behind this channel.
    pub fn new(channel: ServiceChannel) -> Self {
        Self(GameServiceClient::new(channel))
    }

    /// Whether two players have played each other.
    ///
    /// # Errors
    /// [`Error::GamesAway`]: a merge cannot be taken back, so nobody is merged by guess.
    pub async fn have_met(&self, one: PlayerId, other: PlayerId) -> Result<bool, Error> {
        let request = HaveMetRequest { player_id: one.to_string(), other_id: other.to_string() };
        let mut client = self.0.clone();
        let problem = match tokio::time::timeout(PATIENCE, client.have_met(request)).await {
            Ok(Ok(answer)) => return Ok(answer.into_inner().met),
            Ok(Err(status)) => status.to_string(),
            Err(_) => "no answer in time".to_owned(),
        };
        tracing::warn!(problem, "whether two players have met cannot be told: they are not merged now");
        Err(Error::GamesAway)
    }
}
