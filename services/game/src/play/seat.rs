//! A seat: a game that a stream follows.

use std::{collections::VecDeque, sync::Arc};

use ::metrics::gauge;
use kernel::{GameId, PlayerId};
use ledger::Sequence;
use nigiri_proto::game::v1::{Closed, play_response::Message as Wire};
use platform::status::Failure;

use super::{frame::PlayFrame, task::refusal};
use crate::{
    bells::{Bell, Bells},
    frame::Update,
    games::Games,
    live::{LiveGame, Missed},
    metrics,
    presence::Held,
    watch::{Standing, standing},
};

/// A seat of a stream.
pub struct Seat {
    /// Its game.
    pub game: GameId,
    /// Who acts in it.
    pub player: PlayerId,
    /// Tells this use of the seat's number from others.
    pub use_number: u64,
    /// How far the client has been told; none while the game is being looked up.
    pub told: Option<Told>,
}

/// How far a client has been told of a game.
pub struct Told {
    following: Following,
    seen: Sequence,
}

/// Rings a seat's bell at each new entry of a game, for as long as it lives.
pub struct Following {
    live: Arc<LiveGame>,
    bell: Arc<Bell>,
    /// That the player is here.
    held: Option<Held>,
}

impl Following {
    /// From now on.
    pub fn new(live: Arc<LiveGame>, held: Option<Held>, bells: Arc<Bells>, seat: u32) -> Self {
        gauge!(metrics::SEATS).increment(1.0);
        let bell = Arc::new(Bell::new(bells, seat));
        live.hang(Arc::clone(&bell));
        Self { live, bell, held }
    }

    /// The game.
    pub fn live(&self) -> &Arc<LiveGame> {
        &self.live
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        gauge!(metrics::SEATS).decrement(1.0);
        self.live.unhang(&self.bell);
    }
}

impl Told {
    /// Begins with what came after `after`, or with a snapshot.
    pub fn begin(
        following: Following,
        backlog: Option<(Sequence, Vec<Update>)>,
        seat: u32,
        games: &Games,
        out: &mut VecDeque<PlayFrame>,
    ) -> Self {
        let mut told = Self { following, seen: 0 };
        match backlog {
            Some((after, updates)) => {
                told.seen = after;
                told.updates(updates, seat, games, out);
            }
            None => told.snapshot(seat, games, out),
        }
        told
    }

    /// The game.
    pub fn live(&self) -> &Arc<LiveGame> {
        self.following.live()
    }

    /// Tells what is new. False when there is nothing more to come: the seat is free.
    pub fn go_on(&mut self, seat: u32, games: &Games, out: &mut VecDeque<PlayFrame>) -> bool {
        self.following.bell.heard();
        loop {
            match self.following.live.missed(self.seen) {
                Missed::Updates(updates) => self.updates(updates, seat, games, out),
                Missed::TooMuch => self.snapshot(seat, games, out),
                Missed::Nothing => break,
            }
        }
        match standing(&self.following.live, self.following.held.as_ref()) {
            Standing::Fine => return true,
            Standing::Away => {
                self.following.held.iter().for_each(Held::is_back);
                return true;
            }
            Standing::Elsewhere => {
                let refusal = Some(refusal(Failure::from(self.following.live.unknown()).into()));
                out.push_back(PlayFrame::of(seat, Wire::Closed(Closed { refusal })));
                return false;
            }
            Standing::Over { .. } | Standing::Ended => {}
        }
        if let Some(held) = self.following.held.take() {
            held.over();
        }
        out.push_back(PlayFrame::of(seat, Wire::Closed(Closed { refusal: None })));
        false
    }

    fn updates(&mut self, updates: Vec<Update>, seat: u32, games: &Games, out: &mut VecDeque<PlayFrame>) {
        let now = games.ledger().now();
        for update in updates {
            self.seen = update.sequence;
            out.push_back(PlayFrame::Update(seat, update, now));
        }
    }

    fn snapshot(&mut self, seat: u32, games: &Games, out: &mut VecDeque<PlayFrame>) {
        match self.following.live.snapshot(games.ledger().now()) {
            Some(snapshot) => {
                self.seen = snapshot.sequence;
                out.push_back(PlayFrame::of(seat, Wire::Snapshot(snapshot)));
            }
            // A log that cannot be read: the seat will be closed.
            None => self.seen = self.following.live.sequence(),
        }
    }
}
