//! A bot that accepts every challenge, and plays whoever wants to play an AI, for an hour; it survives restarts of the server.
//!
//! ```sh
//! NIGIRI_BOT_SECRET=... cargo run -p nigiri-client --example bot -- [http://127.0.0.1:7878 [NAME [MINUTES]]]
//! ```
//!
//! The secret comes from `CreateBot`, which the bot's owner calls once. Without one the program signs in as a guest and calls it itself, which a server
//! allows that was started with `--session-guest-bots`.

mod random;

use std::time::Duration;

use futures::StreamExt;
use nigiri_client::{
    AiLevel, ChallengeNews, Client, Error, Session,
    proto::matchmaking::v1::{ChallengeState, OfferBotRequest},
};

/// How often the bot says that it is ready: what it says stands for 30 s.
const OFFER: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let server = args.next().unwrap_or_else(|| "http://127.0.0.1:7878".to_owned());
    let name = args.next().unwrap_or_else(|| "RustBot".to_owned());
    let minutes: f64 = args.next().map_or(Ok(60.0), |text| text.parse())?;

    let client = Client::connect(&server)?;
    let secret = match std::env::var_os("NIGIRI_BOT_SECRET") {
        Some(secret) => secret.to_string_lossy().into_owned(),
        None => client.sign_in_as_guest(&format!("{name} owner")).await?.create_bot(&name).await?.1,
    };
    let session = client.sign_in_bot(&name, &secret).await?;
    println!("{} is ready", session.player().name);
    tokio::select! {
        ended = follow(&session) => ended,
        ended = offer(&session) => ended,
        ended = accept(&session) => ended,
        () = tokio::time::sleep(Duration::from_secs_f64(60.0 * minutes)) => Ok(()),
    }
}

/// Says again and again that the bot is ready.
async fn offer(session: &Session) -> anyhow::Result<()> {
    loop {
        let offer =
            OfferBotRequest { level: AiLevel::Easy.into(), max_games: 20, ..OfferBotRequest::default() };
        match session.offer_bot_of(offer).await {
            // Games that have begun go on without it.
            Err(error @ Error::Unreachable { .. }) => println!("cannot offer: {error}"),
            other => _ = other?,
        }
        tokio::time::sleep(OFFER).await;
    }
}

/// Accepts each challenge by name. Those that are open come again whenever the stream is taken up again, so that none is missed.
async fn accept(session: &Session) -> anyhow::Result<()> {
    let mut news = session.challenges();
    while let Some(heard) = news.next().await.transpose()? {
        let ChallengeNews::Challenge(challenge) = heard else { continue };
        if challenge.state() != ChallengeState::Open {
            continue;
        }
        match session.accept_challenge(&challenge.code).await {
            Ok(accepted) => {
                let name = challenge.challenger.unwrap_or_default().name;
                println!("{}: a challenge of {name}", accepted.game_id);
            }
            // It may have been withdrawn meanwhile.
            Err(error) => println!("cannot accept: {error}"),
        }
    }
    Ok(())
}

/// Answers each turn of each game. A turn that was not answered comes again, to this process or to the next one.
async fn follow(session: &Session) -> anyhow::Result<()> {
    let mut turns = session.turns(1);
    while let Some(turn) = turns.next().await.transpose()? {
        let ply = turn.state.as_ref().map_or(0, |state| state.ply);
        println!("{} {ply}: {}", turn.game_id, random::answer(session, &turn).await?);
    }
    Ok(())
}
