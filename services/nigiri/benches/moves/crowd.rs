//! Many games without matchmaking, for what needs more of them than it could make in the time: made as services make them.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use kernel::GameId;
use nigiri_client::{Client, Endpoints, Options, Session};
use nigiri_proto::{
    game::v1::{
        Absolute, Color, CreateGameRequest, GameSettings, Seat, TimeControl,
        game_service_client::GameServiceClient, time_control::Control,
    },
    session::v1::{SignInServiceRequest, session_service_client::SessionServiceClient},
};
use testkit::Cluster;
use tonic::{Request, metadata::MetadataValue, transport::Channel};

/// Calls that are made at once.
const AT_ONCE: usize = 64;

/// Where the services of a cluster are.
pub fn endpoints(cluster: &Cluster) -> Endpoints {
    let of = |service| vec![cluster.urls(service)];
    Endpoints {
        session: of("session"),
        game: of("game"),
        matchmaking: of("matchmaking"),
        rating: of("rating"),
    }
}

/// The game service's process.
pub fn game_process(cluster: &Cluster) -> u32 {
    cluster.processes[1].id()
}

/// Guests, each with a connection of its own.
pub async fn guests(cluster: &Cluster, count: usize) -> Vec<Session> {
    let endpoints = endpoints(cluster);
    futures::stream::iter(0..count)
        .map(|number| {
            let client = Client::with_endpoints(&endpoints, Options::default()).unwrap();
            async move { client.sign_in_as_guest(&format!("Sitter{number}")).await }
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
        .unwrap()
}

/// Makes games.
pub struct Maker {
    games: GameServiceClient<Channel>,
    token: MetadataValue<tonic::metadata::Ascii>,
}

impl Maker {
    /// Signs in as a service.
    pub async fn new(cluster: &Cluster) -> Self {
        let channel = |service| Channel::from_shared(cluster.urls(service)).unwrap().connect_lazy();
        let request = SignInServiceRequest {
            service: "matchmaking".into(),
            secret: platform::testing::secret().expose().into(),
        };
        let answer = SessionServiceClient::new(channel("session")).sign_in_service(request).await.unwrap();
        let token = answer.into_inner().tokens.unwrap().access_token;
        Self {
            games: GameServiceClient::new(channel("game")),
            token: format!("Bearer {token}").parse().unwrap(),
        }
    }

    /// A game of these two on this board, with so much time for each of them.
    pub async fn game(&self, name: &str, players: [&Session; 2], size: u32, time: Duration) -> GameId {
        let id = GameId::derive(name);
        let seat = |session: &Session, color: Color| Seat {
            color: color.into(),
            player_id: session.player_id().unwrap().to_string(),
            name: session.player().name,
            guest: true,
            ..Seat::default()
        };
        let control = Absolute { time: Some(time.try_into().unwrap()) };
        let settings = GameSettings {
            preset: "quick".into(),
            board_size: size,
            komi: 7.0,
            time_control: Some(TimeControl { control: Some(Control::Absolute(control)) }),
            rated: false,
            move_limit: 0,
            ..GameSettings::default()
        };
        let mut request = Request::new(CreateGameRequest {
            game_id: id.to_string(),
            settings: Some(settings),
            seats: vec![seat(players[0], Color::Black), seat(players[1], Color::White)],
        });
        request.metadata_mut().insert("authorization", self.token.clone());
        self.games.clone().create_game(request).await.unwrap();
        id
    }

    /// So many games; each has two of the players, who are many enough that none has more than his share.
    pub async fn games(
        &self,
        name: &str,
        players: &[Session],
        count: usize,
        size: u32,
        time: impl Fn(usize) -> Duration + Sync,
    ) -> Vec<(GameId, [usize; 2])> {
        let time = &time;
        futures::stream::iter(0..count)
            .map(|number| async move {
                let seats = [2 * number % players.len(), (2 * number + 1) % players.len()];
                let both = seats.map(|seat| &players[seat]);
                (self.game(&format!("{name} {number}"), both, size, time(number)).await, seats)
            })
            .buffered(AT_ONCE)
            .collect()
            .await
    }
}
