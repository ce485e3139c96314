//! Plays random legal moves against the AI, to the end.
//!
//! ```sh
//! cargo run -p nigiri-client --example play -- [http://127.0.0.1:7878]
//! ```

mod board;
mod random;

use futures::StreamExt;
use nigiri_client::{AiLevel, Client, Color, follow, proto::game::v1::GameSnapshot};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let server = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:7878".to_owned());
    let session = Client::connect(&server)?.sign_in_as_guest("Rust").await?;
    let begun = session.start_ai_game(AiLevel::Easy, Color::Unspecified).await?;
    let opponent = begun.opponent.clone().unwrap_or_default().name;
    println!("{} plays {opponent}: game {}", session.player().name, begun.game_id);

    let mut watch = session.game(begun.game_id.parse()?).watch(None);
    let mut now = GameSnapshot::default();
    while let Some(watched) = watch.next().await.transpose()? {
        let my_turn = follow(&mut now, watched)?
            && now.result.is_none()
            && now.state.as_ref().is_some_and(|state| state.turn() == begun.color());
        if my_turn {
            random::answer(&session, &now).await?;
        }
    }
    let result = now.result.clone().unwrap_or_default();
    let how = match result.winner() {
        Color::Unspecified => "no winner",
        winner if winner == begun.color() => "won",
        _ => "lost",
    };
    println!("{}\n{}: {how}", board::draw(&now), result.text);
    Ok(())
}
