//! Requests as domain types, with all that is wrong in one answer.

use kernel::{GameId, PlayerId};
use nigiri_proto::rating::v1::{
    BatchGetRatingsRequest, GetGameRatingRequest, GetRatingRequest, ListLeadersRequest,
};
use platform::status::Violation;

use crate::{
    error::Error,
    leaders::{Board, Place},
    pool::Pool,
};

/// Players that one call may ask for.
const MAX_PLAYERS: usize = 1_000;
/// Wrong players that one answer names: an answer's trailers are bounded.
const MAX_NAMED: usize = 20;
/// The leaders of a page if the request does not say.
const PAGE_SIZE: u8 = 20;
/// The most leaders of a page.
const MAX_PAGE_SIZE: u8 = 100;

/// What is wrong in a request.
#[derive(Default)]
struct Check(Vec<Violation>);

impl Check {
    fn wrong(&mut self, field: impl Into<String>, description: impl std::fmt::Display) {
        self.0.push(Violation::new(field, description));
    }

    fn pool(&mut self, board_size: u32) -> Option<Pool> {
        let pool = Pool::new(board_size);
        if pool.is_none() {
            self.wrong("board_size", format!("there is no pool for {board_size}: expected 5 to 19"));
        }
        pool
    }

    /// The value, if nothing in the request was wrong.
    fn done<T>(self, value: Option<T>) -> Result<T, Error> {
        value.filter(|_| self.0.is_empty()).ok_or(Error::Invalid(self.0))
    }
}

/// Who, in which pool.
pub(crate) fn player(request: &GetRatingRequest) -> Result<(Pool, PlayerId), Error> {
    let mut check = Check::default();
    let pool = check.pool(request.board_size);
    let player = request.player_id.parse().map_err(|error| check.wrong("player_id", error)).ok();
    check.done(pool.zip(player))
}

/// Who, in which pool, in the order asked for.
pub(crate) fn players(request: &BatchGetRatingsRequest) -> Result<(Pool, Vec<PlayerId>), Error> {
    let mut check = Check::default();
    let pool = check.pool(request.board_size);
    let count = request.player_ids.len();
    if count > MAX_PLAYERS {
        check.wrong("player_ids", format!("{count} players: at most {MAX_PLAYERS}"));
        return check.done(None);
    }
    let (mut players, mut wrong) = (Vec::with_capacity(count), 0);
    for (n, id) in request.player_ids.iter().enumerate() {
        match id.parse() {
            Ok(player) => players.push(player),
            Err(_) => {
                wrong += 1;
                if wrong <= MAX_NAMED {
                    check.wrong(format!("player_ids[{n}]"), "not an id: expected a UUID");
                }
            }
        }
    }
    if wrong > MAX_NAMED {
        check.wrong("player_ids", format!("{} more are no ids", wrong - MAX_NAMED));
    }
    check.done(pool.map(|pool| (pool, players)))
}

/// Which game.
pub(crate) fn game(request: &GetGameRatingRequest) -> Result<GameId, Error> {
    request.game_id.parse().map_err(|error| Error::Invalid(vec![Violation::new("game_id", error)]))
}

/// Which page: of which list, behind which place, how long.
pub(crate) struct PageRequest {
    pub board: Board,
    pub after: Option<Place>,
    pub limit: u8,
}

/// Which page.
pub(crate) fn page(request: &ListLeadersRequest) -> Result<PageRequest, Error> {
    let mut check = Check::default();
    let limit = match u8::try_from(request.page_size) {
        Ok(0) => Some(PAGE_SIZE),
        Ok(size) if size <= MAX_PAGE_SIZE => Some(size),
        _ => None,
    };
    if limit.is_none() {
        check.wrong("page_size", format!("{}: expected 1 to {MAX_PAGE_SIZE}, or 0", request.page_size));
    }
    let pool = check.pool(request.board_size);
    let board = pool.map(|pool| Board { pool, provisional: request.include_provisional });
    let place = |board: Board| board.place(&request.page_token);
    // Without a list, a token cannot be judged.
    let after = match board.filter(|_| !request.page_token.is_empty()).map(place) {
        None => None,
        Some(Ok(place)) => Some(place),
        Some(Err(error)) => {
            check.wrong("page_token", error);
            None
        }
    };
    check.done(board.zip(limit).map(|(board, limit)| PageRequest { board, after, limit }))
}
