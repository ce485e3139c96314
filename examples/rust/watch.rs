//! Watches a live game and prints the board after each move.
//!
//! ```sh
//! cargo run -p nigiri-client --example watch -- [http://127.0.0.1:7878 [GAME_ID]]
//! ```
//!
//! Without an id it takes the newest game that is played now, and waits until there is one.

mod board;

use std::time::Duration;

use futures::StreamExt;
use nigiri_client::{
    Client, Error, Session, Watched, follow,
    proto::game::v1::{GameEvent, GameSnapshot, ListLiveGamesRequest, game_event::Event},
};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let server = args.next().unwrap_or_else(|| "http://127.0.0.1:7878".to_owned());
    let session = Client::connect(&server)?.sign_in_as_guest("Watcher").await?;
    let game = match args.next() {
        Some(game) => game,
        None => newest(&session).await?,
    };
    let mut watch = session.game(game.parse()?).watch(None);
    let mut now = GameSnapshot::default();
    while let Some(watched) = watch.next().await.transpose()? {
        let said = said(&watched);
        if follow(&mut now, watched)? {
            let state = now.state.clone().unwrap_or_default();
            let (x, o) = (state.captured_by_black, state.captured_by_white);
            println!("{}. {said} (captures: X {x}, O {o})\n{}\n", state.move_number, board::draw(&now));
        }
    }
    println!("{}", now.result.unwrap_or_default().text);
    Ok(())
}

/// The newest live game, as soon as there is one.
async fn newest(session: &Session) -> Result<String, Error> {
    loop {
        let request = ListLiveGamesRequest { page_size: 1, ..Default::default() };
        if let Some(game) = session.live_games(&request).await?.games.into_iter().next() {
            return Ok(game.game_id);
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}

/// What has just happened.
fn said(watched: &Watched) -> String {
    match watched {
        Watched::Snapshot(snapshot) => {
            let names: Vec<_> = snapshot.seats.iter().map(|seat| seat.name.as_str()).collect();
            names.join(" (X) against ") + " (O)"
        }
        Watched::Update(update) => update.events.iter().map(word).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

fn word(event: &GameEvent) -> String {
    match &event.event {
        Some(Event::MovePlayed(played)) => played.point.clone(),
        Some(Event::Passed(_)) => "pass".to_owned(),
        Some(Event::Finished(_)) => "the end".to_owned(),
        other => other.as_ref().map(|other| format!("{other:?}")).unwrap_or_default(),
    }
}
