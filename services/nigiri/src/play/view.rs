use std::time::Duration;

use goban::Point;
use nigiri_proto::game::v1::{
    Color, GameResult, GameSettings, GameSnapshot, GameUpdate, IllegalReason, Seat, TurnState, Verdict,
    game_event::Event,
};
use tokio::time::Instant;

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
        let last_color = if snapshot.moves.len().is_multiple_of(2) { Color::White } else { Color::Black };
        Self {
            me: mine.map(Seat::color),
            rows: snapshot.board.iter().map(|row| row.as_bytes().to_vec()).collect(),
            last: snapshot.moves.last().map(|point| (last_color, point.clone())),
            due: due(&state, snapshot.server_time.as_ref()),
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
                // What else happens between the players changes no stone, except a take-back, which this client never agrees to.
                Some(_) | None => {}
            }
        }
        if let Some(state) = update.state {
            self.due = due(&state, update.server_time.as_ref());
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
        self.result.is_none() && self.me.is_some_and(|me| me == self.state.turn())
    }

    /// Points that ko forbids to the player to move.
    pub fn ko_points(&self) -> impl Iterator<Item = &str> {
        let ko = |reason| matches!(reason, IllegalReason::Ko | IllegalReason::Superko);
        self.state.illegal_points.iter().filter(move |illegal| ko(illegal.reason())).map(|i| i.point.as_str())
    }
}

/// A moment of the server's clock by our own: it is as far from now as it was from the server's now when that was sent.
fn due(state: &TurnState, server_time: Option<&prost_types::Timestamp>) -> Option<Instant> {
    let (deadline, now) = (since_epoch(state.deadline.as_ref()?)?, since_epoch(server_time?)?);
    Some(Instant::now() + deadline.saturating_sub(now))
}

fn since_epoch(time: &prost_types::Timestamp) -> Option<Duration> {
    Some(Duration::new(time.seconds.try_into().ok()?, time.nanos.try_into().ok()?))
}
