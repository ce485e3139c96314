//! The stream of one `FindMatch` call: from the wish to the game.

use std::{sync::Arc, time::Duration};

use futures::Stream;
use kernel::{GameId, PlayerId, Timestamp};
use nigiri_proto::{
    game::v1::Color,
    matchmaking::v1::{
        Draining, Ended, FindMatchResponse, Matched, Progress, Queued, find_match_response::Message,
    },
};
use platform::{convert::to_proto_duration, telemetry::trace};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tracing::Span;

use crate::{
    error::Error,
    games::Games,
    ratings::Ratings,
    replica::{Following, Handle, Joined, Joining, Overview, Seen, Standing},
    ticket::{Match, Player, Rating, Ticket, Wish},
    wave,
};

/// Something is said at least this often.
const QUIET: Duration = Duration::from_secs(15);

/// What has changed is said this often.
const PACE: Duration = Duration::from_secs(1);

/// What a search needs.
#[derive(Clone)]
pub struct Search {
    /// The queue.
    pub handle: Handle,
    /// How strong players are.
    pub ratings: Ratings,
    /// Whether games are over.
    pub games: Games,
    /// When an AI fills in.
    pub ai_after: Duration,
    /// When streams end.
    pub draining: CancellationToken,
}

/// One item of the stream.
type Item = Result<FindMatchResponse, Status>;

impl Search {
    /// Puts the player into the queue, or finds them there; the stream tells what becomes of it.
    ///
    /// # Errors
    /// See [`Handle::join`].
    pub async fn begin(
        self,
        player: Player,
        wish: Wish,
        seen: Seen,
    ) -> Result<impl Stream<Item = Item> + Send + use<>, Error> {
        if self.draining.is_cancelled() {
            return Err(Error::Draining);
        }
        // It lasts as long as the stream.
        let span = trace::part("matchmaking.search");
        span.record("player.id", tracing::field::display(player.id));
        let strength = self.ratings.of(player.id, wish.kinds).await;
        let mut joining = Joining { player, wish, strength, seen, over: None, trace: trace::place(&span) };
        loop {
            match self.handle.join(joining.clone()).await? {
                Joined::Following(following) => return Ok(self.stream(Found::Following(following), span)),
                Joined::Begun(made) if self.is_over(made.game).await => joining.over = Some(made.game),
                Joined::Begun(made) => {
                    let rating = wish.rating(&strength.ratings);
                    return Ok(self.stream(Found::Begun(made, joining.player.id, rating), span));
                }
            }
        }
    }

    /// Whether a game has ended. If that cannot be told, it has not: rather a news twice than a game missed.
    async fn is_over(&self, game: GameId) -> bool {
        match self.games.look(game).await {
            Ok(look) => look.is_none_or(|look| look.over),
            Err(error) => {
                tracing::warn!(%game, %error, "cannot tell whether a game is over");
                false
            }
        }
    }

    fn stream(self, found: Found, span: Span) -> impl Stream<Item = Item> + Send + use<> {
        async_stream::stream! {
            let span = span;
            match found {
                Found::Begun(made, player, rating) => {
                    yield say(begun(&made, player, rating));
                    yield matched(&made, player);
                    self.handle.delivered(player, made.game);
                }
                Found::Following(mut following) => {
                    yield say(self.queued(&following.ticket));
                    let mut pulse = Pulse::new(self.handle.now());
                    let last = loop {
                        tokio::select! {
                            biased;
                            standing = settled(&mut following) => break standing,
                            () = self.draining.cancelled() => break None,
                            () = tokio::time::sleep(PACE) => {}
                        }
                        if let Some(progress) = pulse.beat(&self, &following.ticket) {
                            yield say(Message::Progress(progress));
                        }
                    };
                    let player = following.ticket.player.id;
                    match last {
                        Some(Standing::Matched(made)) => {
                            span.record("game.id", tracing::field::display(made.game));
                            yield matched(&made, player);
                            // Asked for more: what came before has been taken off our hands.
                            self.handle.delivered(player, made.game);
                        }
                        Some(Standing::Ended(reason)) => {
                            yield say(Message::Ended(Ended { reason: reason.into() }));
                        }
                        Some(Standing::Waiting) | None => yield say(Message::Draining(Draining {})),
                    }
                }
            }
        }
    }

    fn queued(&self, ticket: &Ticket) -> Message {
        let prospect = self.prospect(ticket, self.handle.now(), &self.handle.overview());
        Message::Queued(Queued {
            ticket_id: ticket.id.to_string(),
            rating: ticket.rating().whole(),
            ai_after: prospect.ai_after,
            place: prospect.place,
            expected_wait: prospect.expected_wait,
        })
    }

    fn prospect(&self, ticket: &Ticket, now: Timestamp, overview: &Overview) -> Prospect {
        let waited = ticket.waited(now);
        let left = self.ai_after.saturating_sub(waited);
        let expected = overview.waits.expected(ticket.wish.kinds, ticket.rating().0, waited, now);
        Prospect {
            place: place(ticket, overview),
            expected_wait: expected.map(to_proto_duration),
            ai_after: ticket.wish.allow_ai.then(|| to_proto_duration(left)),
        }
    }
}

/// What a ticket may hope for.
struct Prospect {
    place: u32,
    expected_wait: Option<prost_types::Duration>,
    ai_after: Option<prost_types::Duration>,
}

/// The ticket's place by its waiting time, from 1. Some who were before it at the last wave may have gone since.
fn place(ticket: &Ticket, overview: &Overview) -> u32 {
    let before = overview.opened.partition_point(|opened| *opened < ticket.open_time);
    u32::try_from((before + 1).min(overview.open.max(1))).unwrap_or(u32::MAX)
}

/// What a search came to at its beginning.
enum Found {
    Following(Box<Following>),
    Begun(Arc<Match>, PlayerId, Rating),
}

/// Waits for the last that is to be said of a ticket; none when the replica stops.
async fn settled(following: &mut Following) -> Option<Standing> {
    let standing = following.standing.wait_for(|standing| *standing != Standing::Waiting).await;
    standing.ok().map(|standing| standing.clone())
}

fn say(message: Message) -> Item {
    Ok(FindMatchResponse { message: Some(message) })
}

fn begun(made: &Match, player: PlayerId, rating: Rating) -> Message {
    let ticket_id = made.ticket_of(player).map(|id| id.to_string()).unwrap_or_default();
    Message::Queued(Queued { ticket_id, rating: rating.whole(), ..Queued::default() })
}

fn matched(made: &Match, player: PlayerId) -> Item {
    let Some((own, opponent)) = made.seats_of(player) else {
        return Err(Error::GameRefused(format!("{player} does not sit in {}", made.game)).into());
    };
    say(Message::Matched(Matched {
        game_id: made.game.to_string(),
        color: Color::try_from(own.color).unwrap_or_default().into(),
        opponent: Some(opponent.clone()),
        rated: made.settings.rated,
        settings: Some(made.settings.clone()),
    }))
}

/// When to say how it goes.
struct Pulse {
    told: Timestamp,
    last: Option<Facts>,
}

/// What is worth saying when it changes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Facts {
    window: u32,
    open: usize,
    bots: usize,
    place: u32,
    waiting_for_bot: bool,
}

impl Pulse {
    const fn new(now: Timestamp) -> Self {
        Self { told: now, last: None }
    }

    /// The progress, if something has changed or nothing was said for long.
    fn beat(&mut self, search: &Search, ticket: &Ticket) -> Option<Progress> {
        let now = search.handle.now();
        let overview = search.handle.overview();
        let waited = ticket.waited(now);
        let facts = Facts {
            window: wave::rules().window(waited),
            open: overview.open,
            bots: overview.bots,
            place: place(ticket, &overview),
            waiting_for_bot: ticket.wish.allow_ai && waited >= search.ai_after && overview.bots == 0,
        };
        if self.last == Some(facts) && now.since(self.told) < QUIET {
            return None;
        }
        (self.last, self.told) = (Some(facts), now);
        let prospect = search.prospect(ticket, now, &overview);
        Some(Progress {
            waited: Some(to_proto_duration(waited)),
            rating_window: facts.window,
            open_tickets: u32::try_from(facts.open).unwrap_or(u32::MAX),
            waiting_for_bot: facts.waiting_for_bot,
            place: prospect.place,
            expected_wait: prospect.expected_wait,
            ai_after: prospect.ai_after,
        })
    }
}
