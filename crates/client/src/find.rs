use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures::{FutureExt, Stream, StreamExt, future::BoxFuture};
use kernel::GameId;
use nigiri_proto::{
    game::v1::GameSnapshot,
    matchmaking::v1::{
        EndedReason, FilledIn, FindMatchRequest, FindMatchResponse, Matched, Progress, Queued,
        find_match_response::Message, matchmaking_service_client::MatchmakingServiceClient,
    },
};
use tonic::{Response, Status, Streaming};

use crate::{
    Error, Service, Session, SessionChannel, Watched,
    error::{Refusal, reason},
    resume::{Resuming, Source, Step, Verdict},
};

/// What somebody hears who looks for an opponent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Finding {
    /// The ticket is open. Comes again when the stream was taken up again.
    Queued(Queued),
    /// How the search goes.
    Progress(Progress),
    /// An AI has filled in, and the search for a person goes on.
    FilledIn(FilledIn),
    /// There is a game: the last item.
    Matched(Matched),
    /// The ticket ended without a game: the last item.
    Ended(EndedReason),
    /// The stream broke, for this reason; it is being taken up again.
    Interrupted(String),
}

/// Looks for an opponent until there is a game. A stream that breaks is taken up within the time for which the server keeps the
/// ticket; a match that was made in between is found.
#[must_use = "a stream does nothing unless it is polled"]
pub struct FindMatch(Resuming<TicketSource>);

impl FindMatch {
    pub(crate) fn new(session: Session, request: FindMatchRequest) -> Self {
        let source = TicketSource { session: session.clone(), request };
        Self(Resuming::new(session, source))
    }
}

impl Stream for FindMatch {
    type Item = Result<Finding, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

struct TicketSource {
    session: Session,
    request: FindMatchRequest,
}

impl Source for TicketSource {
    type Message = FindMatchResponse;
    type Item = Finding;
    const SERVICE: Service = Service::Matchmaking;

    fn open(
        &mut self,
        channel: SessionChannel,
    ) -> BoxFuture<'static, Result<Response<Streaming<FindMatchResponse>>, Status>> {
        let request = self.request.clone();
        async move { MatchmakingServiceClient::new(channel).find_match(request).await }.boxed()
    }

    fn receive(&mut self, message: FindMatchResponse) -> Step<Finding> {
        match message.message {
            Some(Message::Queued(queued)) => Step::Yield(Finding::Queued(queued)),
            Some(Message::Progress(progress)) => Step::Yield(Finding::Progress(progress)),
            Some(Message::FilledIn(filled_in)) => Step::Yield(Finding::FilledIn(filled_in)),
            Some(Message::Matched(matched)) => Step::Last(Finding::Matched(matched)),
            Some(Message::Ended(ended)) => Step::Last(Finding::Ended(ended.reason())),
            Some(Message::Draining(_)) => Step::Reopen,
            None => Step::Skip,
        }
    }

    fn refused(&mut self, refusal: &Refusal, again: bool) -> Verdict<Finding> {
        match refusal.reason.as_str() {
            // The server has not noticed yet that our own stream broke.
            reason::TICKET_EXISTS if again => Verdict::Wait,
            // The match was made while nobody listened.
            reason::ALREADY_PLAYING | reason::TICKET_MATCHED if again => match refusal.game() {
                Some(game) => Verdict::Resolve(matched(self.session.clone(), game).boxed()),
                None => Verdict::Fail,
            },
            _ => Verdict::Fail,
        }
    }

    fn interrupted(&self, cause: &str) -> Option<Finding> {
        Some(Finding::Interrupted(cause.to_owned()))
    }
}

/// Tells of a match from its game.
async fn matched(session: Session, game: GameId) -> Result<Finding, Error> {
    let me = session.player().id;
    let mut watch = session.game(game).watch(None);
    while let Some(watched) = watch.next().await.transpose()? {
        if let Watched::Snapshot(snapshot) = watched {
            return Ok(Finding::Matched(seen_by(&me, *snapshot)?));
        }
    }
    Err(Error::Malformed("a game without a snapshot"))
}

fn seen_by(me: &str, snapshot: GameSnapshot) -> Result<Matched, Error> {
    let (mine, others): (Vec<_>, Vec<_>) = snapshot.seats.into_iter().partition(|seat| seat.player_id == me);
    let mine = mine.first().ok_or(Error::Malformed("a match in whose game the player does not sit"))?;
    Ok(Matched {
        game_id: snapshot.game_id,
        color: mine.color,
        opponent: others.into_iter().next(),
        rated: snapshot.settings.as_ref().is_some_and(|settings| settings.rated),
        settings: snapshot.settings,
    })
}
