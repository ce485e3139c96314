//! A player's own view of the board, from what the server tells: enough for random moves that do not fill one's own eyes.

use goban::{Point, Rng};
use nigiri_proto::game::v1::{Color, GameSnapshot, GameUpdate, Seat, TurnState, game_event::Event};

/// The board as one player sees it.
pub struct View {
    me: String,
    color: Color,
    side: usize,
    /// Row by row from the bottom left.
    stones: Vec<Color>,
    forbidden: Vec<bool>,
    turn: Color,
    /// Moves made so far.
    pub ply: u32,
    /// Whether the game has ended.
    pub finished: bool,
}

impl View {
    /// Nothing is known yet but who one is.
    pub fn new(me: &str) -> Self {
        Self {
            me: me.to_owned(),
            color: Color::Unspecified,
            side: 0,
            stones: Vec::new(),
            forbidden: Vec::new(),
            turn: Color::Unspecified,
            ply: 0,
            finished: false,
        }
    }

    /// One's own colour; unspecified for somebody who does not sit in the game.
    pub fn color(&self) -> Color {
        self.color
    }

    /// Whether one is to move.
    pub fn my_turn(&self) -> bool {
        !self.finished && self.color != Color::Unspecified && self.turn == self.color
    }

    /// Takes a snapshot.
    pub fn snapshot(&mut self, snapshot: &GameSnapshot) {
        self.begin(snapshot.board.len(), &snapshot.seats);
        for (row, stones) in snapshot.board.iter().rev().enumerate() {
            for (column, stone) in stones.bytes().enumerate() {
                let color = match stone {
                    b'X' => Color::Black,
                    b'O' => Color::White,
                    _ => Color::Unspecified,
                };
                if let Some(at) = self.stones.get_mut(row * self.side + column) {
                    *at = color;
                }
            }
        }
        self.state(snapshot.state.as_ref());
        self.finished = snapshot.result.is_some();
    }

    /// Takes an update. True if the opponent has moved.
    pub fn update(&mut self, update: &GameUpdate) -> bool {
        let mut opponent = false;
        for event in &update.events {
            match &event.event {
                Some(Event::Created(created)) => {
                    let side = created.settings.as_ref().map_or(0, |settings| settings.board_size as usize);
                    self.begin(side, &created.seats);
                }
                Some(Event::MovePlayed(played)) => {
                    opponent |= played.color() != self.color;
                    self.put(&played.point, played.color());
                    played.captured.iter().for_each(|point| self.put(point, Color::Unspecified));
                }
                Some(Event::Passed(passed)) => opponent |= passed.color() != self.color,
                Some(Event::Finished(_)) => self.finished = true,
                // Nothing else changes a stone; programs of the swarm take nothing back.
                Some(_) | None => {}
            }
        }
        self.state(update.state.as_ref());
        opponent
    }

    fn begin(&mut self, side: usize, seats: &[Seat]) {
        self.side = side.min(25);
        self.stones.clear();
        self.stones.resize(self.side * self.side, Color::Unspecified);
        self.color = seats
            .iter()
            .find(|seat| seat.player_id == self.me)
            .map_or(Color::Unspecified, |seat| seat.color());
    }

    fn state(&mut self, state: Option<&TurnState>) {
        let Some(state) = state else { return };
        (self.turn, self.ply) = (state.turn(), state.ply);
        self.forbidden.clear();
        self.forbidden.resize(self.stones.len(), false);
        for illegal in &state.illegal_points {
            if let Some(at) = index(self.side, &illegal.point) {
                self.forbidden[at] = true;
            }
        }
    }

    fn put(&mut self, point: &str, color: Color) {
        if let Some(at) = index(self.side, point) {
            self.stones[at] = color;
        }
    }

    /// A random point that may be played and is not an eye of one's own; none if there is none.
    pub fn choose(&self, rng: &mut Rng) -> Option<Point> {
        let count = u32::try_from(self.stones.len()).ok().filter(|&count| count > 0)?;
        let open =
            |at: usize| self.stones[at] == Color::Unspecified && !self.forbidden[at] && !self.is_own_eye(at);
        // A few throws find a point on an open board; on a full one, the first after a random place.
        let mut at = 0;
        for _ in 0..8 {
            at = rng.below(count) as usize;
            if open(at) {
                return self.point(at);
            }
        }
        (at..self.stones.len()).chain(0..at).find(|&at| open(at)).and_then(|at| self.point(at))
    }

    fn point(&self, at: usize) -> Option<Point> {
        let (row, column) = (at / self.side, at % self.side);
        Some(Point::new(u8::try_from(column).ok()?, u8::try_from(row).ok()?))
    }

    /// Whether all neighbours are one's own stones, and so many diagonals that they are one chain or will be: all at the edge, three of
    /// four in the middle.
    fn is_own_eye(&self, at: usize) -> bool {
        let (row, column) = (at / self.side, at % self.side);
        let stone = |dr: isize, dc: isize| {
            let (row, column) = (row.checked_add_signed(dr)?, column.checked_add_signed(dc)?);
            (row < self.side && column < self.side).then(|| self.stones[row * self.side + column])
        };
        let foreign = |stone: Option<Color>| stone.is_some_and(|color| color != self.color);
        if [(0, 1), (1, 0), (0, -1), (-1, 0)].iter().any(|&(dr, dc)| foreign(stone(dr, dc))) {
            return false;
        }
        let diagonals = [(1, 1), (1, -1), (-1, 1), (-1, -1)].map(|(dr, dc)| stone(dr, dc));
        let allowed = usize::from(diagonals.iter().all(Option::is_some));
        diagonals.iter().filter(|&&diagonal| foreign(diagonal)).count() <= allowed
    }
}

fn index(side: usize, point: &str) -> Option<usize> {
    let point: Point = point.parse().ok()?;
    let (row, column) = (usize::from(point.row()), usize::from(point.column()));
    (row < side && column < side).then_some(row * side + column)
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::{GameEvent, IllegalPoint, MovePlayed};

    use super::*;

    fn snapshot(board: &[&str], illegal: &[&str]) -> GameSnapshot {
        let seat = |color: Color, id: &str| Seat {
            color: color.into(),
            player_id: id.to_owned(),
            ..Seat::default()
        };
        let illegal_points =
            illegal.iter().map(|&point| IllegalPoint { point: point.to_owned(), reason: 2 }).collect();
        GameSnapshot {
            board: board.iter().map(|&row| row.to_owned()).collect(),
            seats: vec![seat(Color::Black, "me"), seat(Color::White, "you")],
            state: Some(TurnState { turn: Color::Black.into(), illegal_points, ..TurnState::default() }),
            ..GameSnapshot::default()
        }
    }

    /// Own eyes and forbidden points are never chosen, every other empty point is at some time, and when there is none, none is.
    #[test]
    fn only_sensible_points_are_chosen() {
        let mut view = View::new("me");
        // A1, A5, C5 and E5 are eyes; E3 is none, for White holds a diagonal at the edge; E1 is forbidden.
        view.snapshot(&snapshot(&[".X.X.", "XXXXX", "XXXX.", "XXXOX", ".XOO."], &["E1"]));
        assert!(view.my_turn());
        let mut rng = Rng::new(7);
        assert!((0..100).all(|_| view.choose(&mut rng) == "E3".parse().ok()));
        view.snapshot(&snapshot(&[".X.X.", "XXXXX", "XXXX.", "XXXXX", ".XOO."], &["E1"]));
        assert_eq!(view.choose(&mut rng), None);
        view.snapshot(&snapshot(&["...", ".X.", "..."], &["A1"]));
        let all: std::collections::BTreeSet<_> = (0..500).filter_map(|_| view.choose(&mut rng)).collect();
        assert_eq!(all.len(), 7);
    }

    /// Captures leave the board, and the opponent's moves are told from one's own.
    #[test]
    fn updates_change_the_board() {
        let mut view = View::new("me");
        view.snapshot(&snapshot(&["...", "...", "..."], &[]));
        let event = |color: Color, point: &str, captured: &[&str]| GameUpdate {
            events: vec![GameEvent {
                event: Some(Event::MovePlayed(MovePlayed {
                    color: color.into(),
                    point: point.to_owned(),
                    captured: captured.iter().map(|&p| p.to_owned()).collect(),
                })),
            }],
            ..GameUpdate::default()
        };
        assert!(!view.update(&event(Color::Black, "A1", &[])));
        assert!(view.update(&event(Color::White, "B1", &["A1"])));
        assert_eq!((view.stones[0], view.stones[1]), (Color::Unspecified, Color::White));
    }
}
