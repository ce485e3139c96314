//! What the news of a finished game means for ratings: pure.

use bytes::Bytes;
use kernel::{GameId, PlayerId};
use nigiri_proto::{
    events::v1::FinishedNotice,
    game::v1::{Color, EndReason, GameResult, Seat},
};
use prost::Message;

use crate::{elo::Outcome, pool::Pool};

/// A finished game that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatedGame {
    /// The game: the key of its effect.
    pub id: GameId,
    /// The pool that it counts in.
    pub pool: Pool,
    /// Who had Black.
    pub black: Player,
    /// Who had White: never the same player.
    pub white: Player,
    /// Who won.
    pub outcome: Outcome,
    /// What ended it.
    pub end: End,
    /// The number of the log's entry that ended it. The first made the game, and each move is one: there were fewer moves than this.
    pub sequence: u64,
    /// The W3C trace context of the move that ended it; empty if there was none.
    pub trace: String,
}

impl RatedGame {
    /// Whether it ended after a few moves: at most as many as the board has lines.
    pub fn is_short(&self) -> bool {
        self.sequence <= u64::from(self.pool.board_size()) + 1
    }
}

/// A player of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Who.
    pub id: PlayerId,
    /// The name when the game began.
    pub name: String,
}

/// What ends a game that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The board was counted after two passes.
    Score,
    /// The board was counted at the move limit.
    MoveLimit,
    /// A player resigned.
    Resignation,
    /// A player ran out of time.
    Time,
    /// A player was gone for too long.
    Abandonment,
    /// Both agreed on a draw.
    DrawAgreed,
    /// An operator decided.
    Adjudication,
}

/// What a notice says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// A game that counts.
    Rated(RatedGame),
    /// A game that does not count: agreed so, with a handicap, between a person and a program, or without a result.
    Unrated,
}

/// A notice that makes no sense. It may be from a newer version: it is kept, and tried again after an update.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Not the bytes of a notice.
    #[error("not a FinishedNotice: {0}")]
    Encoding(#[from] prost::DecodeError),
    /// The game's id or a player's is none.
    #[error(transparent)]
    Id(#[from] kernel::IdError),
    /// Something that every finished game has is missing.
    #[error("the notice has no {0}")]
    Missing(&'static str),
    /// There is no pool for this size.
    #[error("there is no pool for boards of size {0}")]
    BoardSize(u32),
    /// Not one Black and one White.
    #[error("the seats are not one Black and one White")]
    Seats,
    /// One player on both sides.
    #[error("{0} sits on both sides")]
    OneOnBothSides(PlayerId),
    /// An end that this version does not know.
    #[error("{0} is no reason to end that is known here")]
    EndReason(i32),
    /// A winner who does not fit the end.
    #[error("winner {winner} does not fit the end {reason}")]
    Winner {
        /// The winner as it was sent.
        winner: i32,
        /// The end as it was sent.
        reason: i32,
    },
}

/// Reads a notice. Between people a game counts if they agreed on it; games between two programs always do, in a pool of their own.
///
/// # Errors
/// When the game should count but the notice does not say how.
pub fn read(payload: &Bytes) -> Result<News, Malformed> {
    judge(FinishedNotice::decode(payload.clone())?)
}

/// What a notice says.
///
/// # Errors
/// When the game should count but the notice does not say how.
pub fn judge(notice: FinishedNotice) -> Result<News, Malformed> {
    let settings = notice.settings.ok_or(Malformed::Missing("settings"))?;
    let result = notice.result.ok_or(Malformed::Missing("result"))?;
    // A handicap is worth something that nobody measures: such games do not count.
    if settings.options.as_ref().is_some_and(|options| options.handicap > 0) {
        return Ok(News::Unrated);
    }
    let bots = notice.seats.iter().all(|seat| seat.bot);
    if !bots && (!settings.rated || notice.seats.iter().any(|seat| seat.bot)) {
        return Ok(News::Unrated);
    }
    let Some(end) = end(result.reason)? else { return Ok(News::Unrated) };
    let id = notice.game_id.parse()?;
    let pool = Pool::new(settings.board_size).ok_or(Malformed::BoardSize(settings.board_size))?;
    let pool = if bots { pool.of_bots() } else { pool };
    let sequence = notice.sequence;
    let (black, white) = players(notice.seats)?;
    let outcome = outcome(end, &result)?;
    Ok(News::Rated(RatedGame { id, pool, black, white, outcome, end, sequence, trace: notice.traceparent }))
}

/// What ended the game; nothing if it ended without a result.
fn end(reason: i32) -> Result<Option<End>, Malformed> {
    match EndReason::try_from(reason) {
        Ok(EndReason::Score) => Ok(Some(End::Score)),
        Ok(EndReason::MoveLimit) => Ok(Some(End::MoveLimit)),
        Ok(EndReason::Resignation) => Ok(Some(End::Resignation)),
        Ok(EndReason::Time) => Ok(Some(End::Time)),
        Ok(EndReason::Abandonment) => Ok(Some(End::Abandonment)),
        Ok(EndReason::DrawAgreed) => Ok(Some(End::DrawAgreed)),
        Ok(EndReason::Adjudication) => Ok(Some(End::Adjudication)),
        Ok(EndReason::Abort | EndReason::Repetition | EndReason::UnratedAdjudication | EndReason::Void) => {
            Ok(None)
        }
        Ok(EndReason::Unspecified) | Err(_) => Err(Malformed::EndReason(reason)),
    }
}

fn players(seats: Vec<Seat>) -> Result<(Player, Player), Malformed> {
    let [first, second] = <[Seat; 2]>::try_from(seats).map_err(|_| Malformed::Seats)?;
    let (black, white) = match (first.color(), second.color()) {
        (Color::Black, Color::White) => (first, second),
        (Color::White, Color::Black) => (second, first),
        _ => return Err(Malformed::Seats),
    };
    let (black, white) = (player(black)?, player(white)?);
    if black.id == white.id {
        return Err(Malformed::OneOnBothSides(black.id));
    }
    Ok((black, white))
}

fn player(seat: Seat) -> Result<Player, Malformed> {
    Ok(Player { id: seat.player_id.parse()?, name: seat.name })
}

/// A draw is what was counted, agreed or decided to be one.
fn outcome(end: End, result: &GameResult) -> Result<Outcome, Malformed> {
    match (Color::try_from(result.winner), end) {
        (Ok(Color::Black | Color::White), End::DrawAgreed) => {
            Err(Malformed::Winner { winner: result.winner, reason: result.reason })
        }
        (Ok(Color::Black), _) => Ok(Outcome::Black),
        (Ok(Color::White), _) => Ok(Outcome::White),
        (Ok(Color::Unspecified), End::Score | End::MoveLimit | End::DrawAgreed | End::Adjudication) => {
            Ok(Outcome::Draw)
        }
        _ => Err(Malformed::Winner { winner: result.winner, reason: result.reason }),
    }
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::{GameOptions, GameSettings};

    use super::*;

    const BLACK: &str = "00000000-0000-4000-8000-00000000000b";
    const WHITE: &str = "00000000-0000-4000-8000-00000000000a";

    fn notice() -> FinishedNotice {
        let seat = |color: Color, id: &str| Seat {
            color: color.into(),
            player_id: id.to_owned(),
            name: format!("{color:?}"),
            bot: false,
            ..Seat::default()
        };
        FinishedNotice {
            game_id: GameId::derive("a game").to_string(),
            settings: Some(GameSettings { board_size: 9, rated: true, ..Default::default() }),
            seats: vec![seat(Color::Black, BLACK), seat(Color::White, WHITE)],
            result: Some(GameResult {
                winner: Color::Black.into(),
                reason: EndReason::Resignation.into(),
                text: "B+R".to_owned(),
            }),
            ..Default::default()
        }
    }

    fn changed(change: impl FnOnce(&mut FinishedNotice)) -> Result<News, Malformed> {
        let mut notice = notice();
        change(&mut notice);
        read(&notice.encode_to_vec().into())
    }

    fn with_result(winner: i32, reason: i32) -> Result<News, Malformed> {
        changed(|n| n.result = Some(GameResult { winner, reason, text: String::new() }))
    }

    /// Each way to end, with each winner: what counts, what does not, and what is no end at all.
    #[test]
    fn ends_and_winners_make_outcomes() {
        let [none, black, white] = [Color::Unspecified, Color::Black, Color::White].map(i32::from);
        for (reason, end, draws) in [
            (EndReason::Score, End::Score, true),
            (EndReason::MoveLimit, End::MoveLimit, true),
            (EndReason::Resignation, End::Resignation, false),
            (EndReason::Time, End::Time, false),
            (EndReason::Abandonment, End::Abandonment, false),
            (EndReason::Adjudication, End::Adjudication, true),
        ] {
            let reason = i32::from(reason);
            for (winner, outcome) in [(black, Outcome::Black), (white, Outcome::White), (none, Outcome::Draw)]
            {
                match with_result(winner, reason) {
                    Ok(News::Rated(game)) => assert_eq!((game.outcome, game.end), (outcome, end)),
                    Err(error) => {
                        assert!(!draws && winner == none);
                        assert_eq!(error, Malformed::Winner { winner, reason });
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        for reason in
            [EndReason::Abort, EndReason::Repetition, EndReason::UnratedAdjudication, EndReason::Void]
        {
            assert_eq!(with_result(none, reason.into()), Ok(News::Unrated));
        }
        let agreed = |winner| with_result(winner, EndReason::DrawAgreed.into());
        assert!(matches!(agreed(none), Ok(News::Rated(game)) if game.outcome == Outcome::Draw));
        assert!(matches!(agreed(black), Err(Malformed::Winner { .. })));
        for reason in [0, -1, 99] {
            assert_eq!(with_result(black, reason), Err(Malformed::EndReason(reason)));
        }
        assert_eq!(with_result(7, EndReason::Score.into()), Err(Malformed::Winner { winner: 7, reason: 1 }));
    }

    /// Unrated by agreement, by a handicap, or by a program in one seat, whatever else the notice says; two programs are rated among themselves.
    #[test]
    fn agreed_and_ai_games_do_not_count() {
        let unrated =
            |n: &mut FinishedNotice| n.settings = Some(GameSettings { board_size: 99, ..Default::default() });
        assert_eq!(changed(unrated), Ok(News::Unrated));
        for seat in [0, 1] {
            assert_eq!(changed(|n| n.seats[seat].bot = true), Ok(News::Unrated));
        }
        let handicap = GameOptions { handicap: 2, ..GameOptions::default() };
        assert_eq!(changed(|n| n.settings.as_mut().unwrap().options = Some(handicap)), Ok(News::Unrated));
        let between_bots = changed(|n| {
            n.seats.iter_mut().for_each(|seat| seat.bot = true);
            n.settings.as_mut().unwrap().rated = false;
        });
        let Ok(News::Rated(game)) = between_bots else { panic!("not rated") };
        assert_eq!(Some(game.pool), Pool::new(9).map(Pool::of_bots));
    }

    /// The seats' order means nothing, their colours do; and each thing that can be wrong is told apart.
    #[test]
    fn seats_and_ids_are_checked() {
        let Ok(News::Rated(game)) = changed(|n| n.seats.reverse()) else { panic!("not rated") };
        assert_eq!((game.black.id, game.white.name.as_str()), (BLACK.parse().unwrap(), "White"));
        assert_eq!(game.pool.board_size(), 9);
        let size = |size| changed(move |n| n.settings.as_mut().unwrap().board_size = size);
        assert_eq!((size(4), size(20)), (Err(Malformed::BoardSize(4)), Err(Malformed::BoardSize(20))));
        assert!(size(5).is_ok() && size(19).is_ok());
        assert_eq!(changed(|n| n.seats.truncate(1)), Err(Malformed::Seats));
        assert_eq!(changed(|n| n.seats[0].color = Color::White.into()), Err(Malformed::Seats));
        let same = changed(|n| n.seats[0].player_id = WHITE.to_owned());
        assert_eq!(same, Err(Malformed::OneOnBothSides(WHITE.parse().unwrap())));
        assert!(matches!(changed(|n| n.seats[1].player_id.clear()), Err(Malformed::Id(_))));
        assert!(matches!(changed(|n| n.game_id.push('0')), Err(Malformed::Id(_))));
        assert_eq!(changed(|n| n.settings = None), Err(Malformed::Missing("settings")));
        assert_eq!(changed(|n| n.result = None), Err(Malformed::Missing("result")));
        assert!(matches!(read(&Bytes::from_static(b"\xff\xff")), Err(Malformed::Encoding(_))));
    }
}
