//! The RPCs that list games: from requests to what the store is asked, and back.

use kernel::PlayerId;
use nigiri_proto::game::v1 as pb;
use platform::{
    auth::{Identity, Role},
    convert::to_proto_time,
    status::Violation,
};

use crate::{
    codec,
    error::Error,
    store::{
        Store,
        lists::{Filter, Listed, Page, Place},
    },
};

/// Games of a page, unless the caller says otherwise, and at most.
const USUAL: i64 = 50;
const MOST: u32 = 200;

/// What all lists are asked alike.
pub(crate) struct Asked<'a> {
    pub player_id: &'a str,
    pub preset: &'a str,
    pub board_size: u32,
    pub rated: Option<bool>,
    pub page_size: u32,
    pub page_token: &'a str,
}

impl Asked<'_> {
    /// The filter and the page, with one game more than the page has: whether there is a next one.
    ///
    /// # Errors
    /// [`Error::Request`] with everything that is wrong.
    pub(crate) fn read(&self) -> Result<(Filter, Page), Error> {
        let mut violations = Vec::new();
        let mut wrong = |field: &str, what: String| violations.push(Violation::new(field, what));
        let player = match self.player_id {
            "" => None,
            text => text.parse().map_err(|error: kernel::IdError| wrong("player_id", error.to_string())).ok(),
        };
        if !self.preset.is_empty()
            && let Err(error) = self.preset.parse::<goban::Preset>()
        {
            wrong("preset", error.to_string());
        }
        if self.board_size != 0 && !(5..=19).contains(&self.board_size) {
            wrong(
                "board_size",
                format!("{} is no board: 5 to 19 lines a side, or 0 for all", self.board_size),
            );
        }
        if self.page_size > MOST {
            wrong("page_size", format!("{} is out of range: 1 to {MOST}, or 0 for {USUAL}", self.page_size));
        }
        let after = match self.page_token {
            "" => Place::START,
            text => text.parse().unwrap_or_else(|()| {
                wrong("page_token", "not a token that this list has given".to_owned());
                Place::START
            }),
        };
        if !violations.is_empty() {
            return Err(Error::Request(violations));
        }
        let board_size = i16::try_from(self.board_size).unwrap_or(0);
        let length = if self.page_size == 0 { USUAL } else { i64::from(self.page_size) } + 1;
        Ok((
            Filter { player, preset: self.preset.to_owned(), board_size, rated: self.rated, secret: false },
            Page { after, length },
        ))
    }
}

/// Games that are played now.
///
/// # Errors
/// [`Error::Request`] with everything that is wrong; when the store is away.
pub async fn live(
    store: &Store,
    caller: &Identity,
    asked: &pb::ListLiveGamesRequest,
) -> Result<pb::ListLiveGamesResponse, Error> {
    let (filter, page) = Asked {
        player_id: &asked.player_id,
        preset: &asked.preset,
        board_size: asked.board_size,
        rated: asked.rated,
        page_size: asked.page_size,
        page_token: &asked.page_token,
    }
    .read()?;
    let secret = caller.role == Role::Service;
    let listed = store.live(&Filter { secret, ..filter }, own(caller), page).await?;
    let (games, next_page_token) = finish(listed, page);
    Ok(pb::ListLiveGamesResponse { games, next_page_token })
}

/// Games that are played now, private ones too.
///
/// # Errors
/// [`Error::Request`] with everything that is wrong; when the store is away.
pub async fn every(
    store: &Store,
    asked: &pb::ListEveryGameRequest,
) -> Result<pb::ListEveryGameResponse, Error> {
    let (filter, page) = Asked {
        player_id: &asked.player_id,
        preset: &asked.preset,
        board_size: asked.board_size,
        rated: asked.rated,
        page_size: asked.page_size,
        page_token: &asked.page_token,
    }
    .read()?;
    let listed = store.live(&Filter { secret: true, ..filter }, None, page).await?;
    let total = store.count_live().await?;
    let (games, next_page_token) = finish(listed, page);
    Ok(pb::ListEveryGameResponse { games, next_page_token, total })
}

/// A player's finished games; the caller's, if none is named.
///
/// # Errors
/// [`Error::Request`] with everything that is wrong; when the store is away.
pub async fn finished(
    store: &Store,
    caller: &Identity,
    asked: &pb::ListGamesRequest,
) -> Result<pb::ListGamesResponse, Error> {
    let (filter, page) = Asked {
        player_id: &asked.player_id,
        preset: &asked.preset,
        board_size: asked.board_size,
        rated: asked.rated,
        page_size: asked.page_size,
        page_token: &asked.page_token,
    }
    .read()?;
    let Some(player) = filter.player.or_else(|| own(caller)) else {
        return Err(Error::Request(vec![Violation::new("player_id", "missing: say whose games")]));
    };
    let listed = store.finished(player, &filter, own(caller), page).await?;
    let (games, next_page_token) = finish(listed, page);
    Ok(pb::ListGamesResponse { games, next_page_token })
}

/// The player whose private games may be shown.
fn own(caller: &Identity) -> Option<PlayerId> {
    if caller.role == Role::Service { None } else { caller.player().ok() }
}

/// The page as it is sent, and the token of the next one.
fn finish(mut listed: Vec<Listed>, page: Page) -> (Vec<pb::GameSummary>, String) {
    let length = usize::try_from(page.length - 1).unwrap_or(0);
    let more = listed.len() > length;
    listed.truncate(length);
    let next = listed.last().filter(|_| more).map(|last| last.place.to_string()).unwrap_or_default();
    (listed.into_iter().map(summary).collect(), next)
}

fn summary(listed: Listed) -> pb::GameSummary {
    let Listed { id, created, created_at, finished, .. } = listed;
    let mut summary = pb::GameSummary {
        game_id: id.to_string(),
        settings: created.settings,
        seats: created.seats,
        create_time: Some(to_proto_time(created_at)),
        ..pb::GameSummary::default()
    };
    if let Some(end) = finished {
        summary.finish_time = Some(to_proto_time(end.at));
        summary.moves = u32::try_from(end.moves).unwrap_or(0);
        summary.result = Some(codec::result_of(end.reason, end.result));
    }
    summary
}
