use std::time::Duration;

use goban::Point;
use nigiri_proto::game::v1::{
    Agreement, Color, GameResult, GameSettings, GameSnapshot, GameUpdate, IllegalReason, Proposal, Seat,
    TurnState, Verdict, game_event::Event,
};
use tokio::time::Instant;

/// A program that has not moved for so long is likely to be away. The house's best one thinks for a few seconds.
const SILENCE_OF_PROGRAM: Duration = Duration::from_secs(12);

/// A game as one side, or a watcher, sees it: the last snapshot with what came after it.
pub struct View {
    /// What is played.
    pub settings: GameSettings,
    /// Both seats, Black first.
    pub seats: Vec<Seat>,
    /// One's own colour; none for a watcher.
    pub me: Option<Color>,
    /// The board, top row first: `X`, `O` or `.`.
    pub rows: Vec<Vec<u8>>,
    /// The last move: whose, and the point or `pass`.
    pub last: Option<(Color, String)>,
    /// Whose turn it is and what may be played.
    pub state: TurnState,
    /// When the player to move loses on time, by this process's own clock.
    pub due: Option<Instant>,
    /// When the running turn began, by this process's own clock.
    pub began: Option<Instant>,
    /// How the game ended.
    pub result: Option<GameResult>,
    /// How it was counted.
    pub verdict: Option<Verdict>,
}

impl View {
    /// What a snapshot shows, received now.
    pub fn new(snapshot: GameSnapshot, me: Option<&str>) -> Self {
        let mine = snapshot.seats.iter().find(|seat| Some(seat.player_id.as_str()) == me);
        let state = snapshot.state.unwrap_or_default();
        let last_color = last_mover(snapshot.settings.as_ref(), snapshot.moves.len());
        Self {
            me: mine.map(Seat::color),
            rows: snapshot.board.iter().map(|row| row.as_bytes().to_vec()).collect(),
            last: snapshot.moves.last().map(|point| (last_color, point.clone())),
            due: due(&state, snapshot.server_time.as_ref()),
            began: began(&state, snapshot.server_time.as_ref()),
            settings: snapshot.settings.unwrap_or_default(),
            seats: snapshot.seats,
            state,
            result: snapshot.result,
            verdict: snapshot.verdict,
        }
    }

    /// Takes the next entry, received now.
    pub fn update(&mut self, update: GameUpdate) {
        for event in update.events {
            match event.event {
                Some(Event::MovePlayed(played)) => {
                    let stone = if played.color() == Color::Black { b'X' } else { b'O' };
                    self.put(&played.point, stone);
                    played.captured.iter().for_each(|point| self.put(point, b'.'));
                    self.last = Some((played.color(), played.point));
                }
                Some(Event::Passed(passed)) => self.last = Some((passed.color(), "pass".to_owned())),
                Some(Event::Finished(finished)) => {
                    self.result = Some(finished.result.unwrap_or_default());
                    self.verdict = finished.verdict;
                }
                // What else happens between the players changes no stone, except a take-back, after which the game is looked at anew.
                Some(_) | None => {}
            }
        }
        if let Some(state) = update.state {
            self.due = due(&state, update.server_time.as_ref());
            self.began = began(&state, update.server_time.as_ref());
            self.state = state;
        }
    }

    fn put(&mut self, point: &str, stone: u8) {
        if let Some(at) = self.at(point).and_then(|(row, column)| self.rows.get_mut(row)?.get_mut(column)) {
            *at = stone;
        }
    }

    /// Row from the top and column from the left of a point.
    pub fn at(&self, point: &str) -> Option<(usize, usize)> {
        let point: Point = point.parse().ok()?;
        Some((self.rows.len().checked_sub(usize::from(point.row()) + 1)?, usize::from(point.column())))
    }

    /// Whether one is to move.
    pub fn my_turn(&self) -> bool {
        let plays = self.result.is_none() && self.state.agreement.is_none();
        plays && self.me.is_some_and(|me| me == self.state.turn())
    }

    /// The score that the players are asked to agree on.
    pub fn agreement(&self) -> Option<&Agreement> {
        self.state.agreement.as_ref().filter(|_| self.result.is_none())
    }

    /// Whether one is asked to agree, and has not.
    pub fn asked_to_agree(&self) -> bool {
        let accepted = |agreement: &Agreement| agreement.accepted_by().any(|color| Some(color) == self.me);
        self.me.is_some() && self.agreement().is_some_and(|agreement| !accepted(agreement))
    }

    /// What the opponent proposes.
    pub fn proposed(&self) -> Option<&Proposal> {
        let me = self.me.filter(|_| self.result.is_none())?;
        self.state.proposals.iter().find(|proposal| proposal.color() != me)
    }

    /// Whether something is to be said now.
    pub fn awaits_me(&self) -> bool {
        self.my_turn() || self.asked_to_agree() || self.proposed().is_some()
    }

    /// What an answer given now answers: ply, version of the score, number of the proposal.
    pub fn question(&self) -> (u32, u32, u32) {
        let version = self.agreement().map_or(0, |agreement| agreement.version);
        (self.state.ply, version, self.proposed().map_or(0, |proposal| proposal.proposal_id))
    }

    /// How the board is counted: at the end, or as it is proposed.
    pub fn counted(&self) -> Option<&Verdict> {
        self.verdict.as_ref().or_else(|| self.agreement()?.verdict.as_ref())
    }

    /// For how long a program has owed its move, if that is longer than one thinks: it may not be there at all.
    pub fn waits_for_program(&self, now: Instant) -> Option<Duration> {
        let turn = self.state.turn();
        let moves = self.result.is_none() && self.agreement().is_none();
        let program = moves && self.seats.iter().any(|seat| seat.color() == turn && seat.bot);
        let waited = now.saturating_duration_since(self.began.filter(|_| program)?);
        (waited >= SILENCE_OF_PROGRAM).then_some(waited)
    }

    /// Points that ko forbids to the player to move.
    pub fn ko_points(&self) -> impl Iterator<Item = &str> {
        let ko = |reason| matches!(reason, IllegalReason::Ko | IllegalReason::Superko);
        self.state.illegal_points.iter().filter(move |illegal| ko(illegal.reason())).map(|i| i.point.as_str())
    }
}

/// A moment of the server's clock by our own: it is as far from now as it was from the server's now when that was sent.
fn due(state: &TurnState, server_time: Option<&prost_types::Timestamp>) -> Option<Instant> {
    let agreement = state.agreement.as_ref().and_then(|agreement| agreement.deadline.as_ref());
    let deadline = agreement.or(state.deadline.as_ref())?;
    let (deadline, now) = (since_epoch(deadline)?, since_epoch(server_time?)?);
    Some(Instant::now() + deadline.saturating_sub(now))
}

/// When the running turn began, by our own clock.
fn began(state: &TurnState, server_time: Option<&prost_types::Timestamp>) -> Option<Instant> {
    let (start, now) = (since_epoch(state.turn_start_time.as_ref()?)?, since_epoch(server_time?)?);
    let now_here = Instant::now();
    Some(now_here.checked_sub(now.saturating_sub(start)).unwrap_or(now_here))
}

fn since_epoch(time: &prost_types::Timestamp) -> Option<Duration> {
    Some(Duration::new(time.seconds.try_into().ok()?, time.nanos.try_into().ok()?))
}

/// Who made the last of so many moves: with a handicap White moves first, after the stones that Black may have placed freely.
fn last_mover(settings: Option<&GameSettings>, moves: usize) -> Color {
    let options = settings.and_then(|settings| settings.options.as_ref());
    let (stones, free) = options.map_or((0, false), |options| (options.handicap, options.free_placement));
    let placements = if free { usize::try_from(stones).unwrap_or(usize::MAX) } else { 0 };
    match moves.checked_sub(placements) {
        None | Some(0) => {
            if placements > 0 {
                Color::Black
            } else {
                Color::White
            }
        }
        // Whoever moves first has made every odd one.
        Some(after) if after.is_multiple_of(2) == (stones >= 2) => Color::Black,
        Some(_) => Color::White,
    }
}
