//! The public API for Rust programs: sign-in, games that are never lost track of, and errors that say what happened.
//!
//! - [`Client`] knows where the services are: one address, or several for each, among which it fails over.
//! - [`Session`] is somebody who is signed in. Each call carries the access token, which is renewed before it expires; a call that
//!   the network broke is sent again until [`Options::retry_for`] has passed.
//! - [`Game`] plays and follows one game. A command keeps its id over all attempts, so a move is neither lost nor made twice;
//!   [`Watch`] goes on after the last entry that it has seen, whatever breaks in between, and never skips one. [`follow`] makes the board of it.
//! - [`PlayStream`] carries many games, of one player or of several, on one stream: for programs that play much.
//! - [`FindMatch`], [`Turns`] and [`Challenges`] resume likewise.
//! - [`Error::Refused`] carries the reason of the server's table ([`reason`]); [`Error::Unreachable`] says for how long was tried.
//!
//! What is not wrapped is reached through the generated clients: [`Session::games`], [`Session::matchmaking`],
//! [`Session::ratings`], [`Session::sessions`], with [`Session::call`] around them.
//!
//! A game against the AI, from signing in to the first reply:
//!
//! ```
//! # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use futures::StreamExt;
//! use nigiri_client::{AiLevel, Client, Color, follow, proto::game::v1::GameSnapshot};
//!
//! # let world = testkit::World::start().await;
//! # let client = world.client();
//! # if false {
//! let client = Client::connect("http://127.0.0.1:7878")?;
//! # }
//! let session = client.sign_in_as_guest("Honinbo").await?;
//! let begun = session.start_ai_game(AiLevel::Easy, Color::Black).await?;
//! let game = session.game(begun.game_id.parse()?);
//! game.play(0, "E5").await?;
//!
//! // The game as it stands, entry by entry, whatever breaks in between.
//! let mut now = GameSnapshot::default();
//! let mut watch = game.watch(None);
//! while let Some(watched) = watch.next().await.transpose()? {
//!     if follow(&mut now, watched)? && now.moves.len() >= 2 {
//!         println!("the reply is {}:\n{}", now.moves[1], now.board.join("\n"));
//!         break;
//!     }
//! }
//! # assert_eq!(now.moves[0], "E5");
//! # world.stop().await;
//! # Ok(()) }
//! ```
//!
//! A refusal says why, by a name that never changes:
//!
//! ```
//! # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use nigiri_client::{AiLevel, Color, reason};
//!
//! # let world = testkit::World::start().await;
//! # let session = world.guest("Meijin").await;
//! let begun = session.start_ai_game(AiLevel::Easy, Color::Black).await?;
//! let game = session.game(begun.game_id.parse()?);
//! match game.play(0, "E10").await {
//!     Err(error) if error.is(reason::OFF_BOARD) => println!("{error}"),
//!     Err(error) => return Err(error.into()),
//!     Ok(sequence) => unreachable!("entry {sequence}, on a board of 9 lines"),
//! }
//! # world.stop().await;
//! # Ok(()) }
//! ```
//!
//! Somebody who comes back, days later, as the same player. A refresh token is good for one use, so the newest one is kept each time that there is one:
//!
//! ```
//! # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::{Arc, Mutex};
//!
//! # let world = testkit::World::start().await;
//! # let client = world.client();
//! # let session = client.sign_in_as_guest("Tengen").await?;
//! let kept = Arc::new(Mutex::new(String::new()));
//! let keep = Arc::clone(&kept);
//! session.keep_tokens(move |_, tokens| *keep.lock().unwrap() = tokens.refresh_token.clone());
//! # let before = session.player().id;
//! # drop(session);
//!
//! let token = kept.lock().unwrap().clone();
//! let session = client.restore(&token).await?;
//! # assert_eq!(session.player().id, before);
//! # world.stop().await;
//! # Ok(()) }
//! ```
//!
//! Programs in whole are in `examples/rust`: one that plays, one that watches, a bot.

mod advance;
mod challenges;
mod channel;
mod client;
mod endpoints;
mod error;
mod find;
mod game;
mod play;
mod position;
mod resume;
mod retry;
mod route;
mod session;
mod sign_in;
mod token;
mod turns;
mod watch;

pub use advance::{advance, follow};
pub use challenges::{ChallengeNews, Challenges};
pub use channel::SessionChannel;
pub use client::{Client, Options};
pub use endpoints::Endpoints;
pub use error::{Error, Refusal, Violation, reason};
pub use find::{FindMatch, Finding};
pub use game::Game;
pub use kernel::{GameId, PlayerId};
/// The messages, and the generated clients.
pub use nigiri_proto as proto;
pub use nigiri_proto::{game::v1::Color, matchmaking::v1::AiLevel};
pub use play::{PlayStream, Seat};
pub use position::{PositionError, komi_of, position_of, rules_of};
pub use route::Service;
pub use session::Session;
pub use sign_in::{DeviceSignIn, Joining};
pub use turns::Turns;
pub use watch::{Watch, Watched};

/// The program in the guide for those who write clients.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/clients.md")]
struct Guide;
