use futures::{StreamExt, future::join};
use nigiri_client::{Color, Finding, Game, GameId, Session};
use nigiri_proto::{
    game::v1::{
        CreateGameRequest, GameSettings, PerMove, Seat, TimeControl, game_service_client::GameServiceClient,
        time_control::Control,
    },
    matchmaking::v1::{FindMatchRequest, MatchSettings, Matched},
};
use platform::network::Peer;

use crate::World;

/// Settings of an unrated game on 9x9 with so many seconds a move, and 300 moves at most.
pub fn per_move(preset: &str, komi: f64, seconds: i64) -> GameSettings {
    let time = Some(prost_types::Duration { seconds, nanos: 0 });
    GameSettings {
        preset: preset.to_owned(),
        board_size: 9,
        komi,
        time_control: Some(TimeControl { control: Some(Control::PerMove(PerMove { time })) }),
        move_limit: 300,
        ..GameSettings::default()
    }
}

impl World {
    /// A game of two guests, as matchmaking makes one: Black's hand on it and White's. `name` makes its id.
    ///
    /// # Panics
    /// When the game is refused: a test cannot go on.
    pub async fn game(&self, name: &str, players: [&Session; 2], settings: GameSettings) -> [Game; 2] {
        let id = GameId::derive(name);
        let seat = |session: &Session, color: Color| Seat {
            color: color.into(),
            player_id: session.player().id,
            name: session.player().name,
            guest: true,
            ..Seat::default()
        };
        let seats = vec![seat(players[0], Color::Black), seat(players[1], Color::White)];
        let request = CreateGameRequest { game_id: id.to_string(), settings: Some(settings), seats };
        let channel = match self.context().channel("test", Peer::Game) {
            Ok(channel) => channel,
            Err(error) => panic!("no channel: {error:#}"),
        };
        if let Err(status) = GameServiceClient::new(channel).create_game(request).await {
            panic!("no game {name}: {status}");
        }
        players.map(|player| player.game(id))
    }

    /// Two guests whom matchmaking has brought together in an unrated `quick`: Black's session, White's, the game.
    ///
    /// # Panics
    /// When they are not matched: a test cannot go on.
    pub async fn pair(&self) -> (Session, Session, GameId) {
        let (a, b) = (self.guest("Honinbo").await, self.guest("Meijin").await);
        let (matched, _) = join(find_quick(&a), find_quick(&b)).await;
        let Ok(id) = matched.game_id.parse() else { panic!("no id: {}", matched.game_id) };
        if matched.color() == Color::Black { (a, b, id) } else { (b, a, id) }
    }
}

async fn find_quick(session: &Session) -> Matched {
    let accepts = vec![MatchSettings { preset: "quick".into(), ..MatchSettings::default() }];
    let mut search = session.find_match(FindMatchRequest { accepts, ..FindMatchRequest::default() });
    while let Some(Ok(finding)) = search.next().await {
        if let Finding::Matched(matched) = finding {
            return matched;
        }
    }
    panic!("no match");
}
