//! A node with the bots and the fake services.

use std::{collections::HashMap, sync::Arc, time::Duration};

use bot::Args;
use kernel::GameId;
use ledger::memory::MemoryLedger;
use nigiri_proto::{
    bot::v1::{Bot, ListBotsRequest, bot_service_client::BotServiceClient},
    game::v1::{
        GameSettings, GameSnapshot, TurnState, WatchTurnsResponse, game_service_server::GameServiceServer,
        watch_turns_response::Message,
    },
    matchmaking::v1::{AiLevel, matchmaking_service_server::MatchmakingServiceServer},
    session::v1::session_service_server::SessionServiceServer,
};
use platform::{
    clock::Clock,
    node::{Node, Parts, Running},
    testing::{secret, sqlite},
};
use tokio::{sync::mpsc, time::timeout};

use crate::fake::{Called, Command, Fake, Fault, Turns};

/// Longer than any wait of a bot's; the time is not real.
const PATIENCE: Duration = Duration::from_secs(300);

pub struct World {
    node: Running,
    fake: Fake,
    called: mpsc::UnboundedReceiver<Called>,
    commands: Vec<(String, Command)>,
    streams: HashMap<String, Turns>,
    _folder: tempfile::TempDir,
}

impl World {
    /// A node with bots. Their natural delay costs no time here, but whatever is on its way arrives before it is over.
    pub async fn start() -> Self {
        let (db, folder) = sqlite().await.unwrap();
        // From here on time goes by only when nobody has anything to do.
        tokio::time::pause();
        let mut node = Node::new(Parts {
            ledger: Arc::new(MemoryLedger::system()),
            db,
            clock: Clock::system(),
            service_secret: secret(),
            network: None,
        })
        .unwrap();
        let (fake, called) = Fake::new();
        let context = node.context();
        bot::bind(Args::default(), &context, node.server()).await.unwrap();
        let server = node.server();
        server.add(SessionServiceServer::new(fake.clone())).public("/nigiri.session.v1.SessionService/");
        server.add(GameServiceServer::new(fake.clone())).public("/nigiri.game.v1.GameService/");
        server
            .add(MatchmakingServiceServer::new(fake.clone()))
            .public("/nigiri.matchmaking.v1.MatchmakingService/");
        server.public("/nigiri.bot.v1.BotService/");
        let node = node.start(None).await.unwrap();
        Self { node, fake, called, commands: Vec::new(), streams: HashMap::new(), _folder: folder }
    }

    /// What the bots call next.
    pub async fn next(&mut self) -> Called {
        timeout(PATIENCE, self.called.recv()).await.expect("no bot calls any more").unwrap()
    }

    /// Takes note of a call.
    fn note(&mut self, called: Called) {
        match called {
            Called::Opened { bot, turns } => _ = self.streams.insert(bot, turns),
            Called::Sent { bot, command } => self.commands.push((bot, command)),
            Called::Offered { .. } => {}
        }
    }

    /// Gives a bot a turn, on the stream that it has or will have.
    pub async fn send(&mut self, bot: &str, turn: &GameSnapshot) {
        while let Ok(called) = self.called.try_recv() {
            self.note(called);
        }
        loop {
            let message = WatchTurnsResponse { message: Some(Message::Turn(turn.clone())) };
            if let Some(stream) = self.streams.get(bot)
                && stream.send(Ok(message)).await.is_ok()
            {
                return;
            }
            let called = self.next().await;
            self.note(called);
        }
    }

    /// The next command of any bot.
    pub async fn command(&mut self) -> (String, Command) {
        while self.commands.is_empty() {
            let called = self.next().await;
            self.note(called);
        }
        self.commands.remove(0)
    }

    /// Waits until no bot thinks, and nothing more comes.
    pub async fn settled(&mut self) {
        while self.list_bots().await.iter().any(|bot| bot.thinking > 0) {
            // Paused time: it goes on when nobody has anything to do.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        while let Ok(called) = self.called.try_recv() {
            self.note(called);
        }
    }

    /// Forgets the commands that have come.
    pub fn drop_commands(&mut self) {
        self.commands.clear();
    }

    /// Makes something go wrong for a bot.
    pub fn fault(&mut self, bot: &str, fault: Fault) {
        let stream = self.streams.get(bot).cloned();
        if self.fake.fault(fault, stream) {
            self.streams.remove(bot);
        }
    }

    pub async fn list_bots(&self) -> Vec<Bot> {
        let mut client = BotServiceClient::new(self.node.channel());
        client.list_bots(ListBotsRequest {}).await.unwrap().into_inner().bots
    }

    /// Ends the node, well within its grace.
    pub async fn stop(self) {
        let (began, grace) = (tokio::time::Instant::now(), Duration::from_secs(20));
        self.node.stop(Duration::ZERO, grace).await;
        let took = began.elapsed();
        tokio::time::resume();
        assert!(took < Duration::from_secs(2), "the bots held the process up: {took:?}");
    }
}

pub fn game(number: u32) -> String {
    GameId::derive(&format!("game {number}")).to_string()
}

/// A 9x9 game after these moves.
pub fn snapshot(number: u32, preset: &str, moves: &[&str]) -> GameSnapshot {
    GameSnapshot {
        game_id: game(number),
        settings: Some(GameSettings {
            preset: preset.to_owned(),
            board_size: 9,
            komi: 7.0,
            ..GameSettings::default()
        }),
        moves: moves.iter().map(ToString::to_string).collect(),
        state: Some(TurnState { ply: u32::try_from(moves.len()).unwrap(), ..TurnState::default() }),
        ..GameSnapshot::default()
    }
}

pub fn word(level: AiLevel) -> &'static str {
    match level {
        AiLevel::Unspecified => "any",
        AiLevel::Easy => "easy",
        AiLevel::Normal => "normal",
        AiLevel::Hard => "hard",
    }
}
