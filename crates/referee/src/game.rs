mod apply;
mod ask;
mod timers;

use goban::{Color, Move, Point, Position, Verdict};
use kernel::{GameId, PlayerId, Timestamp};

pub(crate) use timers::Timer;

use crate::{
    Agreement, Decision, Event, Outcome, Proposal, Seats, Settings, Violation, clock::Clock, decide::opened,
    presence::Absences, proposal::Desk,
};

/// A game as its log tells it. A few kilobytes, and cheap to clone: what few games need lies behind a pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    settings: Settings,
    seats: Seats,
    created_at: Timestamp,
    last_stamp: Timestamp,
    pub(crate) position: Position,
    clock: Clock,
    /// Three bytes each.
    moves: Vec<Move>,
    /// How many milliseconds each turn took; empty where no clock could be set back by them.
    turns: Vec<u32>,
    /// How far the ply is ahead of the number of moves.
    retracted: u32,
    /// The ply after the last time that moves were taken back; 0 before.
    retracted_at: u32,
    /// Passes before this move do not end the game.
    passes_from: u32,
    disputed: bool,
    /// Outages that ended up to this moment have been credited.
    credited_until: Timestamp,
    absences: Absences,
    desk: Option<Box<Desk>>,
    agreement: Option<Box<Agreement>>,
    end: Option<Box<End>>,
    corrupt: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq)]
struct End {
    outcome: Outcome,
    verdict: Option<Box<Verdict>>,
    rematch: Rematch,
}

/// What became of the wish for another game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rematch {
    /// Whether Black and White of this game have asked for it.
    pub requested: [bool; 2],
    /// The next game, once both have.
    pub game: Option<GameId>,
}

/// The id of the game that follows on a game by rematch.
pub fn rematch_id(game: GameId) -> GameId {
    GameId::derive(&format!("rematch of {game}"))
}

impl Game {
    /// What makes a game: its first entry.
    ///
    /// # Errors
    /// All that is wrong with the settings and the seats, at once.
    pub fn create(settings: Settings, seats: Seats) -> Result<Decision, Vec<Violation>> {
        let mut violations = settings.validate().err().unwrap_or_default();
        violations.extend(seats.violations(settings.rated));
        if !violations.is_empty() {
            return Err(violations);
        }
        let start = Timestamp::default();
        let game = Self::new(settings, seats.clone(), start);
        Ok(opened(&game, Event::Created { settings: Box::new(settings), seats }))
    }

    fn new(settings: Settings, seats: Seats, stamp: Timestamp) -> Self {
        Self {
            settings,
            seats,
            created_at: stamp,
            last_stamp: stamp,
            position: start_position(&settings),
            clock: Clock::start(settings.control, stamp),
            moves: Vec::new(),
            turns: Vec::new(),
            retracted: 0,
            retracted_at: 0,
            passes_from: settings.placements(),
            disputed: false,
            credited_until: Timestamp::default(),
            absences: [None, None],
            desk: None,
            agreement: None,
            end: None,
            corrupt: None,
        }
    }

    /// The game that its first event makes, if that is [`Event::Created`]. `stamp` is the stamp of the first entry.
    pub fn begin(created: &Event, stamp: Timestamp) -> Option<Self> {
        let Event::Created { settings, seats } = created else { return None };
        Some(Self::new(**settings, seats.clone(), stamp))
    }

    /// The game that a whole log tells: the events and the stamp of each entry, from the first. None if it does not begin with
    /// [`Event::Created`].
    pub fn replay<E: AsRef<[Event]>>(entries: impl IntoIterator<Item = (E, Timestamp)>) -> Option<Self> {
        let mut game: Option<Self> = None;
        for (events, stamp) in entries {
            for event in events.as_ref() {
                match &mut game {
                    Some(game) => game.apply(event, stamp),
                    None => game = Some(Self::begin(event, stamp)?),
                }
            }
        }
        game
    }

    /// Gives a player's seat to somebody else, or another name: whose a seat is, is not the game's to say, so no event tells of it. False if
    /// the player has no seat, or the other seat is theirs.
    pub fn reseat(&mut self, player: PlayerId, into: PlayerId, name: &str) -> bool {
        let Some(color) = self.seats.color_of(player) else { return false };
        if self.seats.get(color.opposite()).player == into {
            return false;
        }
        let seat = self.seats.get_mut(color);
        seat.guest &= into == player;
        (seat.player, seat.name) = (into, name.into());
        true
    }

    /// Whether a program plays against somebody who chose it: there is no clock, and the game waits.
    fn is_practice(&self) -> bool {
        self.settings.control == crate::Control::None && self.seats.black.bot != self.seats.white.bot
    }

    /// Whether the time of past turns may be needed to set clocks back.
    fn keeps_turns(&self) -> bool {
        self.may_take_back() && self.clock.keeps_turns()
    }

    fn may_take_back(&self) -> bool {
        self.settings.takebacks && !self.settings.rated
    }

    /// Moves on the board, passes included.
    fn made(&self) -> u32 {
        u32::try_from(self.moves.len()).unwrap_or(u32::MAX)
    }

    fn pending(&self, color: Color) -> Option<&Proposal> {
        self.desk.as_ref()?.pending[color.index()].as_ref()
    }

    fn desk(&mut self) -> &mut Desk {
        self.desk.get_or_insert_default()
    }
}

/// The board before the first move.
fn start_position(settings: &Settings) -> Position {
    let (size, rules) = (settings.size, settings.rules);
    let stones = settings.fixed_stones();
    if stones.is_empty() {
        return Position::new(size, rules);
    }
    let setup = Position::setup(size, rules, &stones, &[], Color::White);
    setup.unwrap_or_else(|_| Position::new(size, rules))
}

/// Makes a move. The answer is the stones that left the board by it, sorted: the opponent's, or in a suicide one's own.
pub(crate) fn make(
    position: &mut Position,
    color: Color,
    chosen: Move,
) -> Result<Vec<Point>, goban::Illegal> {
    let played = position.play_as(color, chosen)?;
    let mut taken = played.captured;
    taken.extend(played.lost);
    taken.sort_unstable();
    Ok(taken)
}
