use std::time::Duration;

use goban::{Color, Illegal, Move, Point, Position, Verdict};
use kernel::Timestamp;

use super::{Game, Rematch};
use crate::{
    Agreement, Outcome, Presence, Proposal, Remaining, Seat, Seats, Settings, Takeback,
    presence::{self, PATIENCE},
};

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

    /// The board with its history. Who is to move says [`Game::turn`]: at the beginning of a game with free handicap stones it is not the position's turn.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The player to move, also the one who would be while a score is proposed; nobody once the game has ended.
    pub fn turn(&self) -> Option<Color> {
        self.end.is_none().then(|| self.to_move())
    }

    pub(crate) fn to_move(&self) -> Color {
        self.settings.mover(self.made())
    }

    /// What a command quotes to say which position it answers. It never goes down: it is the number of moves made so far, passes and moves that were taken back
    /// included, and one more for each time that moves were taken back.
    pub fn ply(&self) -> u32 {
        self.made().saturating_add(self.retracted)
    }

    /// The number of moves that led to the board as it stands, passes included.
    pub fn move_number(&self) -> u32 {
        self.made()
    }

    /// The ply after the last time that moves were taken back; 0 if they never were.
    pub(crate) const fn retracted_at(&self) -> u32 {
        self.retracted_at
    }

    /// All moves in order. The players alternate; with free handicap stones Black makes the first ones.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Move> + '_ {
        self.moves.iter().copied()
    }

    /// The empty points where the player to move may not play, and why, in row order from the bottom left. None once the game has
    /// ended or while a score is proposed.
    pub fn illegal_points(&self) -> Vec<(Point, Illegal)> {
        if self.end.is_some() || self.agreement.is_some() {
            return Vec::new();
        }
        let (color, board) = (self.to_move(), self.position.board());
        let why = |point| self.position.check_as(color, point).err().map(|illegal| (point, illegal));
        board.size().points().filter(|&point| board.is_empty(point)).filter_map(why).collect()
    }

    /// The moment at which the player to move loses on time: a move before it is in time. None without a clock, while a score is proposed, and once the
    /// game has ended.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.clock.deadline(self.to_move())
    }

    /// The first moment at which something is over, so that a claim of a timeout is accepted: the time of the player to move, a player's grace, or the time
    /// for agreeing on a score. [`crate::NETWORK_ALLOWANCE`] after the deadline that players are told, or earlier where a player has used some of it up.
    pub fn due(&self) -> Option<Timestamp> {
        self.next_over().map(|running| running.due)
    }

    /// When the running turn began; the last one, once the game has ended.
    pub const fn turn_started(&self) -> Timestamp {
        self.clock.turn_started()
    }

    /// Time that was given back to the clock in the running turn.
    pub const fn turn_credit(&self) -> Duration {
        self.clock.credited()
    }

    /// What a player had on the clock when the running turn began, or has when the next one of theirs begins. None without a clock.
    pub fn remaining(&self, color: Color) -> Option<Remaining> {
        self.clock.remaining(color)
    }

    /// When the game was made.
    pub const fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// The stamp of the last event.
    pub const fn last_stamp(&self) -> Timestamp {
        self.last_stamp
    }

    /// Whether a player is there.
    pub fn presence(&self, color: Color) -> Presence {
        presence::of(&self.absences, color).map_or(Presence::Connected, |gone| Presence::Away {
            since: gone.since,
            left: gone.left,
            deadline: self.agreement.is_none().then(|| gone.deadline()),
        })
    }

    /// How long the game would wait for a player who goes now.
    pub(crate) fn grace(&self, color: Color, left: bool) -> Duration {
        let (Seat { guest, bot, .. }, grace) = (self.seats.get(color), &self.settings.grace);
        if self.is_practice() {
            PATIENCE
        } else if left {
            grace.left
        } else if *guest && !bot {
            grace.guest
        } else {
            grace.signed_in
        }
    }

    /// What a player has proposed and the other has not answered.
    pub fn proposal(&self, by: Color) -> Option<&Proposal> {
        self.pending(by)
    }

    /// The number of the last proposal of the game; 0 if there was none.
    pub(crate) fn proposals_made(&self) -> u32 {
        self.desk.as_ref().map_or(0, |desk| desk.made)
    }

    /// The ply from which a player may offer a draw; none if this game has no draw offers.
    pub fn draw_offer_from(&self, color: Color) -> Option<u32> {
        let declined = self.desk.as_ref().map_or(0, |desk| desk.draw_from[color.index()]);
        self.settings.draw_offers.then(|| declined.max(self.settings.opening()))
    }

    /// The ply at which a player's request to take back was declined last.
    pub(crate) fn takeback_declined_at(&self, color: Color) -> Option<u32> {
        self.desk.as_ref()?.declined_at[color.index()]
    }

    /// How a player may take back now, if at all.
    pub fn takeback(&self, color: Color) -> Option<Takeback> {
        if self.end.is_some() || !self.has_takebacks(color) {
            return None;
        }
        let made = self.made();
        let is_own =
            |back: u32| made.checked_sub(back).is_some_and(|number| self.settings.mover(number) == color);
        let moves = [1, 2].into_iter().find(|&back| is_own(back))?;
        match (self.is_practice(), &self.agreement) {
            (true, _) => Some(Takeback::Immediate { moves }),
            (false, None) => Some(Takeback::ByConsent { moves }),
            (false, Some(_)) => None,
        }
    }

    /// Whether a player can ever take back moves in this game.
    pub(crate) fn has_takebacks(&self, color: Color) -> bool {
        let (own, other) = (self.seats.get(color), self.seats.get(color.opposite()));
        self.may_take_back() && !own.bot && (!other.bot || self.is_practice())
    }

    /// The score that the players are asked to agree on, if they are.
    pub fn agreement(&self) -> Option<&Agreement> {
        self.agreement.as_deref()
    }

    /// Whether a score was disputed, so that the next two passes end the game at once.
    pub const fn was_disputed(&self) -> bool {
        self.disputed
    }

    /// Passes in a row up to a position that follows from this one by a move, as far as they count for the end.
    pub(crate) fn passes_after(&self, after: &Position) -> u32 {
        u32::from(after.passes()).min(after.ply().saturating_sub(self.passes_from))
    }

    /// How the game ended, once it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.end.as_ref().map(|end| end.outcome)
    }

    /// How the board was counted, once the game has ended by a count.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.end.as_ref()?.verdict.as_deref()
    }

    /// What became of the wish for another game, once this one has ended.
    pub fn rematch(&self) -> Option<Rematch> {
        self.end.as_ref().map(|end| end.rematch)
    }

    /// What the next game is made from: the same settings with colours swapped; with a handicap Black stays Black.
    pub fn next_game(&self) -> (Settings, Seats) {
        let Seats { black, white } = self.seats.clone();
        let stays = self.settings.handicap.stones > 0;
        let seats = if stays { Seats { black, white } } else { Seats { black: white, white: black } };
        (self.settings, seats)
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
