//! The board as a simulated player sees it: enough for random moves.

use nigiri_proto::game::v1::{Color, GameEvent, GameSnapshot, Seat, TurnState, game_event::Event};

use crate::dice::Dice;

/// The board as a player sees it.
#[derive(Debug, Default)]
pub struct View {
    me: String,
    /// One's colour.
    pub color: Color,
    stones: Vec<String>,
    forbidden: Vec<String>,
    turn: Color,
    /// Moves made so far.
    pub ply: u32,
    /// Whether the game is over.
    pub finished: bool,
}

impl View {
    /// Nothing is known yet but who one is.
    pub fn new(me: &str) -> Self {
        Self { me: me.to_owned(), ..Self::default() }
    }

    /// Whether one is to move.
    pub fn my_turn(&self) -> bool {
        !self.finished && self.color != Color::Unspecified && self.turn == self.color
    }

    /// Takes a snapshot.
    pub fn snapshot(&mut self, snapshot: &GameSnapshot) {
        self.sit(&snapshot.seats);
        self.stones.clear();
        for (row, stones) in (1..).zip(snapshot.board.iter().rev()) {
            let stones = stones.bytes().enumerate().filter(|(_, stone)| matches!(stone, b'X' | b'O'));
            self.stones.extend(stones.map(|(column, _)| name(column, row)));
        }
        self.state(snapshot.state.as_ref());
        self.finished = snapshot.result.is_some();
    }

    /// Takes an entry.
    pub fn update(&mut self, events: &[GameEvent], state: Option<&TurnState>) {
        for event in events {
            match &event.event {
                Some(Event::Created(created)) => self.sit(&created.seats),
                Some(Event::MovePlayed(played)) => {
                    self.stones.push(played.point.clone());
                    self.stones.retain(|stone| !played.captured.contains(stone));
                }
                Some(Event::Finished(_)) => self.finished = true,
                _ => {}
            }
        }
        self.state(state);
    }

    fn sit(&mut self, seats: &[Seat]) {
        let mine = seats.iter().find(|seat| seat.player_id == self.me);
        self.color = mine.map_or(Color::Unspecified, Seat::color);
    }

    fn state(&mut self, state: Option<&TurnState>) {
        let Some(state) = state else { return };
        (self.turn, self.ply) = (state.turn(), state.ply);
        self.forbidden = state.illegal_points.iter().map(|illegal| illegal.point.clone()).collect();
    }

    /// A random point that may be played; none if a few throws find none.
    pub fn choose(&self, dice: &Dice) -> Option<String> {
        (0..30).find_map(|_| {
            let point = name(dice.below(9) as usize, dice.below(9) as usize + 1);
            (!self.stones.contains(&point) && !self.forbidden.contains(&point)).then_some(point)
        })
    }
}

fn name(column: usize, row: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHJKLMNOPQRST";
    let letter = LETTERS.get(column).map_or('?', |letter| char::from(*letter));
    format!("{letter}{row}")
}
