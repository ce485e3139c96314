//! The public API for Rust programs: sign-in, games that are never lost track of, and errors that say what happened.
//!
//! - [`Client`] knows where the services are: one address, or several for each, among which it fails over.
//! - [`Session`] is somebody who is signed in. Each call carries the access token, which is renewed before it expires; a call that
//!   the network broke is sent again until [`Options::retry_for`] has passed.
//! - [`Game`] plays and follows one game. A command keeps its id over all attempts, so a move is neither lost nor made twice;
//!   [`Watch`] goes on after the last entry that it has seen, whatever breaks in between, and never skips one.
//! - [`PlayStream`] carries many games, of one player or of several, on one stream: for programs that play much.
//! - [`FindMatch`] and [`Turns`] resume likewise.
//! - [`Error::Refused`] carries the reason of the server's table ([`reason`]); [`Error::Unreachable`] says for how long was tried.
//!
//! What is not wrapped is reached through the generated clients: [`Session::games`], [`Session::matchmaking`],
//! [`Session::ratings`], [`Session::sessions`], with [`Session::call`] around them.
//!
//! ```no_run
//! # async fn example() -> Result<(), nigiri_client::Error> {
//! use futures::StreamExt;
//! use nigiri_client::{Client, Watched};
//!
//! let session = Client::connect("http://127.0.0.1:7878")?.sign_in_as_guest("Honinbo").await?;
//! let begun = session.start_ai_game(nigiri_client::AiLevel::Easy, nigiri_client::Color::Black).await?;
//! let game = session.game(begun.game_id.parse().expect("a game's id"));
//! game.play(0, "E5").await?;
//! let mut watch = game.watch(None);
//! while let Some(Watched::Update(update)) = watch.next().await.transpose()? {
//!     println!("{}: {:?}", update.sequence, update.events);
//! }
//! # Ok(())
//! # }
//! ```

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
mod token;
mod turns;
mod watch;

pub use channel::SessionChannel;
pub use client::{Client, Options};
pub use endpoints::Endpoints;
pub use error::{Error, Refusal, Violation, reason};
pub use find::{FindMatch, Finding};
pub use game::Game;
pub use kernel::{GameId, PlayerId};
pub use nigiri_proto::{game::v1::Color, matchmaking::v1::AiLevel};
pub use play::{PlayStream, Seat};
pub use position::{PositionError, komi_of, position_of, rules_of};
pub use route::Service;
pub use session::Session;
pub use turns::Turns;
pub use watch::{Watch, Watched};
