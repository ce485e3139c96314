//! A store for one game with a clock that tests turn by hand: the ledger's contract in a few lines, written for clarity.

use std::time::Duration;

use goban::{Color, Move, Preset, Size};
use kernel::{PlayerId, Timestamp};
use referee::{Command, Decision, Event, Game, NextDeadline, Refusal, Seat, Seats, Settings, decide};

/// What the store makes of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Accepted,
    TooLate,
    TooEarly,
    /// Outages that are not settled yet.
    Outage(Vec<(Timestamp, Timestamp)>),
}

#[derive(Clone, Debug)]
pub struct Store {
    pub now: Timestamp,
    pub log: Vec<(Vec<Event>, Timestamp)>,
    pub deadline: Option<Timestamp>,
    pub outages: Vec<(Timestamp, Timestamp)>,
    pub game: Game,
}

pub const BLACK: PlayerId = PlayerId::from_uuid(uuid::Uuid::from_u128(1));
pub const WHITE: PlayerId = PlayerId::from_uuid(uuid::Uuid::from_u128(2));
pub const STRANGER: PlayerId = PlayerId::from_uuid(uuid::Uuid::from_u128(3));

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Quick on a board of that side: 30 s a move, 300 moves.
pub fn quick(side: u8) -> Settings {
    Settings::of_preset(Preset::Quick, Size::square(side).unwrap())
}

pub fn seats() -> Seats {
    let seat = |player, name: &str| Seat { player, name: name.into(), bot: false, guest: false };
    Seats { black: seat(BLACK, "Shusaku"), white: seat(WHITE, "Gennan") }
}

/// The usual settings of a preset on a board of that side.
pub fn usual(preset: Preset, side: u8) -> Settings {
    Settings::of_preset(preset, Size::square(side).unwrap())
}

/// The seats of [`seats`] with a program as White.
pub fn against_a_program() -> Seats {
    let mut seats = seats();
    seats.white.bot = true;
    seats
}

impl Store {
    /// A store in which a game has just been made.
    pub fn create(settings: Settings) -> Self {
        Self::with(settings, seats())
    }

    /// A store in which these players have just begun a game.
    pub fn with(settings: Settings, seats: Seats) -> Self {
        let decision = Game::create(settings, seats).unwrap();
        let now = Timestamp::from_millis(1_800_000_000_000);
        let game = Game::begin(&decision.events[0], now).unwrap();
        let (deadline, outages) = (after(decision.deadline, None, now), Vec::new());
        Self { now, log: vec![(decision.events, now)], deadline, outages, game }
    }

    /// Lets time pass.
    pub fn wait(&mut self, time: Duration) {
        self.now = self.now + time;
    }

    /// Lets time pass in which nobody is there, up to a heartbeat now.
    pub fn away(&mut self, time: Duration) {
        let from = self.now;
        self.wait(time);
        self.outages.push((from, self.now));
    }

    /// Appends the entry if its guard holds, and applies it.
    pub fn append(&mut self, decision: Decision) -> Answer {
        let Decision { events, guard, deadline, .. } = decision;
        let unsettled: Vec<_> =
            self.outages.iter().copied().filter(|&(_, to)| to > guard.settled_until).collect();
        let late = guard.not_after.is_some_and(|last| self.now > last);
        if (late || guard.not_before.is_some()) && !unsettled.is_empty() {
            return Answer::Outage(unsettled);
        }
        if late {
            return Answer::TooLate;
        }
        if guard.not_before.is_some_and(|first| self.now < first) {
            return Answer::TooEarly;
        }
        for event in &events {
            self.game.apply(event, self.now);
        }
        self.deadline = after(deadline, self.deadline, self.now);
        self.log.push((events, self.now));
        Answer::Accepted
    }

    /// Decides on a command and appends what was decided.
    pub fn command(&mut self, actor: Option<PlayerId>, command: Command<'_>) -> Result<Answer, Refusal> {
        Ok(self.append(decide(&self.game, actor, command, self.now)?))
    }

    /// Whoever's turn it is.
    pub fn mover(&self) -> PlayerId {
        self.game.seats().get(self.game.turn().unwrap_or(Color::Black)).player
    }

    /// The player to move makes that move: a point or `pass`.
    pub fn play(&mut self, chosen: &str) -> Result<Answer, Refusal> {
        let ply = self.game.ply();
        let command = match chosen.parse().unwrap() {
            Move::Play(point) => Command::Play { ply, point },
            Move::Pass => Command::Pass { ply },
        };
        self.command(Some(self.mover()), command)
    }

    /// Moves in turn, all of which are taken.
    pub fn moves(&mut self, moves: &str) {
        for chosen in moves.split_whitespace() {
            assert_eq!(self.play(chosen), Ok(Answer::Accepted), "{chosen}");
        }
    }

    /// The player to move plays the first legal point.
    pub fn play_anywhere(&mut self) -> Result<Answer, Refusal> {
        let point = self.game.position().legal_points()[0];
        self.play(&point.to_string())
    }

    /// Does what a player or the server wants, which is taken.
    pub fn must(&mut self, actor: Option<PlayerId>, command: Command<'_>) {
        assert_eq!(self.command(actor, command), Ok(Answer::Accepted), "{command:?}");
    }

    /// Another replica's game: the log, replayed.
    pub fn replayed(&self) -> Game {
        Game::replay(self.log.iter().map(|(events, stamp)| (events, *stamp))).unwrap()
    }

    /// The server claims a timeout.
    pub fn claim(&mut self) -> Result<Answer, Refusal> {
        self.command(None, Command::Timeout)
    }

    /// The server gives back what all outages took.
    pub fn credit(&mut self) -> Result<Answer, Refusal> {
        let outages = self.outages.clone();
        self.command(None, Command::Credit { outages: &outages })
    }

    /// The last event.
    pub fn last(&self) -> &Event {
        self.log.last().and_then(|(events, _)| events.last()).unwrap()
    }

    /// The result as it is written; empty while the game goes on.
    pub fn result(&self) -> String {
        self.game.outcome().map(|outcome| outcome.to_string()).unwrap_or_default()
    }
}

fn after(next: NextDeadline, before: Option<Timestamp>, stamp: Timestamp) -> Option<Timestamp> {
    match next {
        NextDeadline::Keep => before,
        NextDeadline::After(time) => Some(stamp + time),
        NextDeadline::At(moment) => Some(moment),
        NextDeadline::Clear => None,
    }
}
