//! How a player plays and follows a game: by calls and a stream of its own, or on a stream of many games.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures::{Stream, StreamExt};
use nigiri_client::{Error, Game, GameId, PlayStream, Seat, Session, Watch, Watched};

/// What plays a game.
pub enum Line {
    /// By a call for each command, and a stream for the game.
    Calls(Game, Watch),
    /// On a stream of many games.
    Stream(PlayStream, Session, Seat),
}

impl Line {
    /// Follows a game after this entry, or from a snapshot.
    pub fn new(session: &Session, stream: Option<&PlayStream>, id: GameId, after: Option<u64>) -> Self {
        match stream {
            None => {
                let game = session.game(id);
                let watch = game.watch(after);
                Self::Calls(game, watch)
            }
            Some(stream) => Self::Stream(stream.clone(), session.clone(), stream.sit_as(session, id, after)),
        }
    }

    /// Drops what follows the game, and follows it anew after this entry, or from a snapshot.
    pub fn follow_again(&mut self, after: Option<u64>) {
        match self {
            Self::Calls(game, watch) => *watch = game.watch(after),
            Self::Stream(stream, session, seat) => *seat = stream.sit_as(session, seat.id(), after),
        }
    }

    /// The game's id.
    pub fn id(&self) -> GameId {
        match self {
            Self::Calls(game, _) => game.id(),
            Self::Stream(_, _, seat) => seat.id(),
        }
    }

    /// Plays a stone.
    pub async fn play(&mut self, ply: u32, point: &str) -> Result<u64, Error> {
        match self {
            Self::Calls(game, _) => game.play(ply, point).await,
            Self::Stream(_, _, seat) => seat.play(ply, point).await,
        }
    }

    /// Passes.
    pub async fn pass(&mut self, ply: u32) -> Result<u64, Error> {
        match self {
            Self::Calls(game, _) => game.pass(ply).await,
            Self::Stream(_, _, seat) => seat.pass(ply).await,
        }
    }

    /// Resigns.
    pub async fn resign(&mut self) -> Result<u64, Error> {
        match self {
            Self::Calls(game, _) => game.resign().await,
            Self::Stream(_, _, seat) => seat.resign().await,
        }
    }
}

impl Stream for Line {
    type Item = Result<Watched, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match &mut *self {
            Self::Calls(_, watch) => watch.poll_next_unpin(context),
            Self::Stream(_, _, seat) => seat.poll_next_unpin(context),
        }
    }
}
