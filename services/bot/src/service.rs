use std::sync::Arc;

use nigiri_proto::{
    bot::v1::{self as pb, bot_service_server::BotService},
    matchmaking::v1::AiLevel,
};
use search::Level;
use tonic::{Request, Response, Status};

use crate::house::{Bot, House};

/// The RPCs.
pub struct Service {
    house: Arc<House>,
}

impl Service {
    /// The RPCs about these bots.
    pub fn new(house: Arc<House>) -> Self {
        Self { house }
    }
}

#[tonic::async_trait]
impl BotService for Service {
    async fn list_bots(
        &self,
        _: Request<pb::ListBotsRequest>,
    ) -> Result<Response<pb::ListBotsResponse>, Status> {
        let bots = self.house.bots().iter().map(|bot| to_proto(bot)).collect();
        Ok(Response::new(pb::ListBotsResponse { bots }))
    }
}

fn to_proto(bot: &Bot) -> pb::Bot {
    pb::Bot {
        player_id: bot.player_id().unwrap_or_default().to_owned(),
        name: bot.name.to_owned(),
        level: level(bot.level).into(),
        thinking: bot.thinking(),
        moves: bot.moves(),
    }
}

/// A level as the API names it.
pub fn level(level: Level) -> AiLevel {
    match level {
        Level::Easy => AiLevel::Easy,
        Level::Normal => AiLevel::Normal,
        Level::Hard => AiLevel::Hard,
    }
}
