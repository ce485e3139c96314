//! The stream of finished public games, for those who collect them: read from the archive as fast as the client takes them, a page at a time.

use std::collections::VecDeque;

use futures::{StreamExt, stream};
use kernel::Timestamp;
use nigiri_proto::game::v1::{
    self as pb, ExportFormat, export_games_response::Message, exported_game::Content, game_event::Event,
};
use platform::{
    convert::to_proto_time,
    shutdown::{OpenStream, Shutdown},
    status::{Failure, Violation},
};
use tonic::{Status, codegen::BoxStream};

use crate::{
    error::Error,
    games::Games,
    lists::Asked,
    service::record_entry,
    sgf,
    store::{
        Store,
        export::Exported,
        lists::{Filter, Page, Place},
    },
};

/// Games that are read from the archive at once.
const PAGE: i64 = 50;

/// The messages of a stream.
pub type ExportStream = BoxStream<pb::ExportGamesResponse>;

/// Tells of the finished public games that are asked for, as far as they finished by `until`.
///
/// # Errors
/// [`Error::Request`] with everything that is wrong.
pub fn export(
    games: &Games,
    until: Timestamp,
    shutdown: &Shutdown,
    asked: &pb::ExportGamesRequest,
) -> Result<ExportStream, Error> {
    let read = Asked {
        player_id: "",
        preset: &asked.preset,
        board_size: asked.board_size,
        rated: asked.rated,
        page_size: 0,
        page_token: &asked.page_token,
    }
    .read();
    let format = ExportFormat::try_from(asked.format).map_err(|_| {
        let problem = format!("{} is no format that this server knows", asked.format);
        Error::Request(vec![Violation::new("format", problem)])
    });
    let ((filter, page), format) = (read?, format?);
    let exporting = Exporting {
        store: games.store().clone(),
        filter,
        after: if asked.page_token.is_empty() { Place::OLDEST } else { page.after },
        until,
        format,
        left: if asked.limit == 0 { u64::MAX } else { asked.limit },
        page: VecDeque::new(),
        open: shutdown.stream(),
        draining: shutdown.clone(),
        over: false,
    };
    Ok(stream::unfold(exporting, Exporting::next).boxed())
}

/// A stream under way.
struct Exporting {
    store: Store,
    filter: Filter,
    after: Place,
    until: Timestamp,
    format: ExportFormat,
    /// Games that are still to come at most.
    left: u64,
    page: VecDeque<Exported>,
    /// Counts as an open stream while the replica drains.
    open: OpenStream,
    draining: Shutdown,
    over: bool,
}

impl Exporting {
    /// The next message, and what comes after it.
    async fn next(mut self) -> Option<(Result<pb::ExportGamesResponse, Status>, Self)> {
        if self.over {
            return None;
        }
        if self.draining.draining().is_cancelled() {
            self.open.asked_to_leave().await;
            self.over = true;
            return Some((Ok(message(Message::Draining(pb::Draining {}))), self));
        }
        match self.game().await {
            Ok(Some(game)) => {
                self.left -= 1;
                Some((Ok(message(Message::Game(game))), self))
            }
            Ok(None) => None,
            Err(error) => {
                self.over = true;
                Some((Err(Failure::from(error).into()), self))
            }
        }
    }

    /// The next game that can be told; none at the end.
    async fn game(&mut self) -> Result<Option<pb::ExportedGame>, Error> {
        while self.left > 0 {
            if self.page.is_empty() {
                let page = Page { after: self.after, length: PAGE };
                self.page = self.store.exported(&self.filter, page, self.until).await?.into();
            }
            let Some(exported) = self.page.pop_front() else { return Ok(None) };
            self.after = exported.place;
            // What a newer version has written another replica can tell: to leave it out would be to keep it back in silence.
            match content(&exported, self.format)? {
                Some(content) => return Ok(Some(told(&exported, content))),
                // One damaged game is no reason to withhold the others.
                None => tracing::error!(game = %exported.id, "a record of the archive cannot be exported"),
            }
        }
        Ok(None)
    }
}

fn message(message: Message) -> pb::ExportGamesResponse {
    pb::ExportGamesResponse { message: Some(message) }
}

fn told(exported: &Exported, content: Content) -> pb::ExportedGame {
    pb::ExportedGame {
        game_id: exported.id.to_string(),
        finish_time: Some(to_proto_time(exported.finished_at)),
        content: Some(content),
        page_token: exported.place.to_string(),
    }
}

/// A game in this form; none if its record is damaged.
fn content(exported: &Exported, format: ExportFormat) -> Result<Option<Content>, Error> {
    let Some(entries) = exported.entries.as_deref() else { return Ok(None) };
    if format != ExportFormat::Record {
        return Ok(sgf::export(exported.id, entries)?.map(Content::Sgf));
    }
    let read = entries.iter().map(|entry| record_entry(exported.id, entry));
    let mut entries: Vec<_> = match read.collect::<Result<_, _>>() {
        Ok(entries) => entries,
        Err(error @ Error::Newer(_)) => return Err(error),
        Err(_) => return Ok(None),
    };
    entries.iter_mut().for_each(forget_ids);
    Ok(Some(Content::Record(pb::GameRecord { game_id: exported.id.to_string(), entries, archived: true })))
}

/// Leaves of an entry what is about the game: ids of commands are the client's words, and ids of players are theirs.
fn forget_ids(entry: &mut pb::RecordEntry) {
    entry.command_id.clear();
    for event in &mut entry.events {
        if let Some(Event::Created(created)) = &mut event.event {
            created.seats.iter_mut().for_each(|seat| seat.player_id.clear());
        }
    }
}
