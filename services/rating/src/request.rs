//! Requests as domain types, with all that is wrong in one answer.

use kernel::{GameId, PlayerId, Timestamp};
use nigiri_proto::rating::v1::{
    AnnulGameRequest, BatchGetRatingsRequest, GetRankRequest, ListLeadersAroundRequest, ListLeadersRequest,
    ListRatingPointsRequest, ResolveFlagRequest,
};
use platform::status::Violation;
use uuid::Uuid;

use crate::{
    error::Error,
    leaders::{Board, Place},
    pool::Pool,
    store::Position,
    token::{self, List},
};

/// Players that one call may ask for.
const MAX_PLAYERS: usize = 1_000;
/// Wrong players that one answer names: an answer's trailers are bounded.
const MAX_NAMED: usize = 20;
/// The leaders of a page if the request does not say.
const PAGE_SIZE: u8 = 20;
/// The most leaders of a page.
const MAX_PAGE_SIZE: u8 = 100;
/// The lines before and behind a player if the request does not say, and the most.
const RADIUS: (u8, u8) = (10, 50);
/// The points of a page if the request does not say, and the most.
const POINTS: (u16, u16) = (200, 1_000);
/// The longest reason or note, in characters.
const MAX_WORDS: usize = 500;

/// What is wrong in a request.
#[derive(Default)]
struct Check(Vec<Violation>);

impl Check {
    fn wrong(&mut self, field: impl Into<String>, description: impl std::fmt::Display) {
        self.0.push(Violation::new(field, description));
    }

    fn pool(&mut self, board_size: u32, bots: bool) -> Option<Pool> {
        let pool = Pool::new(board_size).map(|pool| if bots { pool.of_bots() } else { pool });
        if pool.is_none() {
            self.wrong("board_size", format!("there is no pool for {board_size}: expected 5 to 19"));
        }
        pool
    }

    /// Ids of at most [`MAX_PLAYERS`]; of the wrong ones the first few are named.
    fn players(&mut self, player_ids: &[String]) -> Vec<PlayerId> {
        let count = player_ids.len();
        if count > MAX_PLAYERS {
            self.wrong("player_ids", format!("{count} players: at most {MAX_PLAYERS}"));
            return Vec::new();
        }
        let (mut players, mut wrong) = (Vec::with_capacity(count), 0);
        for (n, id) in player_ids.iter().enumerate() {
            match id.parse() {
                Ok(player) => players.push(player),
                Err(_) => {
                    wrong += 1;
                    if wrong <= MAX_NAMED {
                        self.wrong(format!("player_ids[{n}]"), "not an id: expected a UUID");
                    }
                }
            }
        }
        if wrong > MAX_NAMED {
            self.wrong("player_ids", format!("{} more are no ids", wrong - MAX_NAMED));
        }
        players
    }

    fn id<T: std::str::FromStr<Err: std::fmt::Display>>(&mut self, field: &str, text: &str) -> Option<T> {
        text.parse().map_err(|error| self.wrong(field, error)).ok()
    }

    /// A number from 1 to the most, or what 0 stands for.
    fn size<N: TryFrom<u32> + Into<u32> + Copy>(
        &mut self,
        field: &str,
        asked: u32,
        usual: N,
        most: N,
    ) -> Option<N> {
        match N::try_from(asked) {
            Ok(_) if asked == 0 => Some(usual),
            Ok(size) if asked <= most.into() => Some(size),
            _ => {
                self.wrong(field, format!("{asked}: expected 1 to {}, or 0", most.into()));
                None
            }
        }
    }

    fn token(&mut self, list: List, token: &str) -> Option<(Timestamp, Uuid)> {
        let place = token::read(list, token);
        if place.is_none() && !token.is_empty() {
            self.wrong(
                "page_token",
                "not a page token of this list: pass `next_page_token` of the page before, or nothing",
            );
        }
        place
    }

    fn words(&mut self, field: &str, text: &str, least: usize) -> String {
        let text = text.trim();
        let length = text.chars().count();
        if length < least || length > MAX_WORDS {
            self.wrong(field, format!("{length} characters: expected {least} to {MAX_WORDS}"));
        }
        text.to_owned()
    }

    /// The value, if nothing in the request was wrong.
    fn done<T>(self, value: Option<T>) -> Result<T, Error> {
        value.filter(|_| self.0.is_empty()).ok_or(Error::Invalid(self.0))
    }
}

/// Who, in which pool.
pub(crate) fn player(player_id: &str, board_size: u32, bots: bool) -> Result<(Pool, PlayerId), Error> {
    let mut check = Check::default();
    let pool = check.pool(board_size, bots);
    let player = check.id("player_id", player_id);
    check.done(pool.zip(player))
}

/// Who.
pub(crate) fn player_alone(player_id: &str) -> Result<PlayerId, Error> {
    let mut check = Check::default();
    let player = check.id("player_id", player_id);
    check.done(player)
}

/// Who, in which pool, in the order asked for.
pub(crate) fn players(request: &BatchGetRatingsRequest) -> Result<(Pool, Vec<PlayerId>), Error> {
    let mut check = Check::default();
    let pool = check.pool(request.board_size, request.bots);
    let players = check.players(&request.player_ids);
    check.done(pool.map(|pool| (pool, players)))
}

/// Who, in the order asked for.
pub(crate) fn players_alone(player_ids: &[String]) -> Result<Vec<PlayerId>, Error> {
    let mut check = Check::default();
    let players = check.players(player_ids);
    check.done(Some(players))
}

/// Which game.
pub(crate) fn game(game_id: &str) -> Result<GameId, Error> {
    let mut check = Check::default();
    let game = check.id("game_id", game_id);
    check.done(game)
}

/// Around whom, on which leaderboard, how far.
pub(crate) fn around(request: &ListLeadersAroundRequest) -> Result<(Board, PlayerId, u8), Error> {
    let mut check = Check::default();
    let pool = check.pool(request.board_size, request.bots);
    let player = check.id("player_id", &request.player_id);
    let radius = check.size("radius", request.radius, RADIUS.0, RADIUS.1);
    let board = pool.map(|pool| Board { pool, provisional: request.include_provisional });
    check.done(board.zip(player).zip(radius).map(|((board, player), radius)| (board, player, radius)))
}

/// Whose rank, on which leaderboard.
pub(crate) fn rank(request: &GetRankRequest) -> Result<(Board, PlayerId), Error> {
    let (pool, player) = player(&request.player_id, request.board_size, request.bots)?;
    Ok((Board { pool, provisional: request.include_provisional }, player))
}

/// Whose points: of which pool, before which game, how many.
pub(crate) struct PointsRequest {
    pub pool: Pool,
    pub player: PlayerId,
    pub before: Option<Position>,
    pub limit: u16,
}

/// Whose points.
pub(crate) fn points(request: &ListRatingPointsRequest) -> Result<PointsRequest, Error> {
    let mut check = Check::default();
    let pool = check.pool(request.board_size, request.bots);
    let player = check.id("player_id", &request.player_id);
    let limit = check.size("page_size", request.page_size, POINTS.0, POINTS.1);
    let before = check.token(List::Points, &request.page_token);
    let before = before.map(|(finished, game)| Position { finished, game: GameId::from_uuid(game) });
    let asked = pool.zip(player).zip(limit);
    check.done(asked.map(|((pool, player), limit)| PointsRequest { pool, player, before, limit }))
}

/// A page of a list for operators: behind what, how many.
pub(crate) fn list(
    list: List,
    page_size: u32,
    page_token: &str,
) -> Result<(Option<(Timestamp, Uuid)>, u8), Error> {
    let mut check = Check::default();
    let limit = check.size("page_size", page_size, PAGE_SIZE, MAX_PAGE_SIZE);
    let before = check.token(list, page_token);
    check.done(limit.map(|limit| (before, limit)))
}

/// Which game to annul, and why.
pub(crate) fn annul(request: &AnnulGameRequest) -> Result<(GameId, String), Error> {
    let mut check = Check::default();
    let game = check.id("game_id", &request.game_id);
    let reason = check.words("reason", &request.reason, 1);
    check.done(game.map(|game| (game, reason)))
}

/// Which flag to resolve, and what came of it.
pub(crate) fn resolve(request: &ResolveFlagRequest) -> Result<(Uuid, String), Error> {
    let mut check = Check::default();
    let flag = Uuid::try_parse(&request.flag_id).ok();
    if flag.is_none() {
        check.wrong("flag_id", "not an id: expected a UUID");
    }
    let note = check.words("note", &request.note, 0);
    check.done(flag.map(|flag| (flag, note)))
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
    let limit = check.size("page_size", request.page_size, PAGE_SIZE, MAX_PAGE_SIZE);
    let pool = check.pool(request.board_size, request.bots);
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
