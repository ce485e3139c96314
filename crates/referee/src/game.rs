use goban::{Color, Move, Point, Position, Verdict};
use kernel::Timestamp;

use crate::{Decision, Event, Guard, NextDeadline, Outcome, Seats, Settings, Violation, clock::Clock};

/// A game as its log tells it. A few kilobytes, and cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    settings: Settings,
    seats: Seats,
    created_at: Timestamp,
    last_stamp: Timestamp,
    pub(crate) position: Position,
    pub(crate) clock: Clock,
    /// Three bytes each.
    moves: Vec<Move>,
    end: Option<Box<End>>,
    corrupt: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq)]
struct End {
    outcome: Outcome,
    verdict: Option<Verdict>,
}

/// Why an event does not fit the game that it is applied to.
type Misfit = &'static str;

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
        Ok(Decision {
            deadline: Clock::due_after_start(settings.control)
                .map_or(NextDeadline::Keep, NextDeadline::After),
            events: vec![Event::Created { settings, seats }],
            guard: Guard::default(),
        })
    }

    /// The game that its first event makes, if that is [`Event::Created`]. `stamp` is the stamp of the first entry.
    pub fn begin(created: &Event, stamp: Timestamp) -> Option<Self> {
        let Event::Created { settings, seats } = created else { return None };
        Some(Self {
            settings: *settings,
            seats: seats.clone(),
            created_at: stamp,
            last_stamp: stamp,
            position: Position::new(settings.size, settings.rules),
            clock: Clock::start(settings.control, stamp),
            moves: Vec::new(),
            end: None,
            corrupt: None,
        })
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

    /// What an event makes of the game; `stamp` is the stamp of its entry, by the store's clock. It never judges and never fails: an event
    /// that does not fit marks the game as corrupt, and then nothing changes it any more. A stamp before the last one counts as the last
    /// one.
    pub fn apply(&mut self, event: &Event, stamp: Timestamp) {
        if self.corrupt.is_some() {
            return;
        }
        let stamp = stamp.max(self.last_stamp);
        match self.try_apply(event, stamp) {
            Ok(()) => self.last_stamp = stamp,
            Err(misfit) => self.corrupt = Some(misfit),
        }
    }

    fn try_apply(&mut self, event: &Event, stamp: Timestamp) -> Result<(), Misfit> {
        if self.end.is_some() {
            return Err("an event after the end");
        }
        match event {
            Event::Created { .. } => Err("the game was made twice"),
            Event::MovePlayed { color, point, captured } => self.play(*color, *point, captured, stamp),
            Event::Passed { color } => self.advance(*color, Move::Pass, stamp).map(drop),
            Event::TimeCredited { credit, settled_until, .. } => {
                let possible = self.clock.credit(*credit, *settled_until);
                if possible { Ok(()) } else { Err("a credit of more time than was lost") }
            }
            Event::Finished { outcome, verdict } => {
                self.end = Some(Box::new(End { outcome: *outcome, verdict: verdict.clone() }));
                self.clock.stop();
                Ok(())
            }
        }
    }

    fn play(&mut self, color: Color, point: Point, taken: &[Point], at: Timestamp) -> Result<(), Misfit> {
        let mut told = taken.to_vec();
        told.sort_unstable();
        let found = self.advance(color, Move::Play(point), at)?;
        if found == told { Ok(()) } else { Err("a move that takes other stones than it says") }
    }

    /// Makes a move and presses the clock. The answer is the stones that left the board.
    fn advance(&mut self, color: Color, chosen: Move, at: Timestamp) -> Result<Vec<Point>, Misfit> {
        if color != self.position.turn() {
            return Err("a move out of turn");
        }
        let taken = make(&mut self.position, chosen).map_err(|_| "an illegal move")?;
        self.moves.push(chosen);
        self.clock.press(at);
        Ok(taken)
    }
}

/// Makes a move. The answer is the stones that left the board by it, sorted: the opponent's, or in a suicide one's own.
pub(crate) fn make(position: &mut Position, chosen: Move) -> Result<Vec<Point>, goban::Illegal> {
    let played = position.play(chosen)?;
    let mut taken = played.captured;
    taken.extend(played.lost);
    taken.sort_unstable();
    Ok(taken)
}

/// What can be asked of a game.
impl Game {
    /// What is played.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Who plays.
    pub const fn seats(&self) -> &Seats {
        &self.seats
    }

    /// The board with its history.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The player to move; nobody once the game has ended.
    pub fn turn(&self) -> Option<Color> {
        self.end.is_none().then(|| self.position.turn())
    }

    /// The number of moves made so far, passes included. A command quotes it.
    pub const fn ply(&self) -> u32 {
        self.position.ply()
    }

    /// All moves in order. The players alternate.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Move> + '_ {
        self.moves.iter().copied()
    }

    /// The moment at which the player to move loses on time: a move before it is in time. None without a clock, and once the
    /// game has ended.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.clock.deadline()
    }

    /// The first moment at which no move is taken any more and a timeout can be claimed: [`crate::NETWORK_ALLOWANCE`] after the deadline.
    pub fn due(&self) -> Option<Timestamp> {
        self.clock.due()
    }

    /// When the running turn began; the last one, once the game has ended.
    pub const fn turn_started(&self) -> Timestamp {
        self.clock.turn_started()
    }

    /// When the game was made.
    pub const fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// The stamp of the last event.
    pub const fn last_stamp(&self) -> Timestamp {
        self.last_stamp
    }

    /// How the game ended, once it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.end.as_ref().map(|end| end.outcome)
    }

    /// How the board was counted, once the game has ended by a count.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.end.as_ref()?.verdict.as_ref()
    }

    /// Whether an event did not fit, so that the record is damaged or was written by a newer referee. What it shows is
    /// then not to be relied on, and it takes no commands.
    pub const fn is_corrupt(&self) -> bool {
        self.corrupt.is_some()
    }

    /// What did not fit, in words, if the game is corrupt.
    pub const fn corruption(&self) -> Option<&'static str> {
        self.corrupt
    }
}
