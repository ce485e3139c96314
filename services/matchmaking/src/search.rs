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
use platform::convert::to_proto_duration;
use tokio_util::sync::CancellationToken;
use tonic::Status;

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

/// The pool of the only setting there is.
const POOL: u32 = 9;

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
        let rating = self.ratings.of(player.id, POOL).await;
        let mut joining = Joining { player, wish, rating, seen, over: None };
        loop {
            match self.handle.join(joining.clone()).await? {
                Joined::Following(following) => return Ok(self.stream(Found::Following(following))),
                Joined::Begun(made) if self.is_over(made.game).await => joining.over = Some(made.game),
                Joined::Begun(made) => {
                    return Ok(self.stream(Found::Begun(made, joining.player.id, rating)));
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

    fn stream(self, found: Found) -> impl Stream<Item = Item> + Send + use<> {
        async_stream::stream! {
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
        let left = self.ai_after.saturating_sub(ticket.waited(self.handle.now()));
        Message::Queued(Queued {
            ticket_id: ticket.id.to_string(),
            rating: ticket.rating.whole(),
            ai_after: ticket.wish.allow_ai.then(|| to_proto_duration(left)),
            ..Queued::default()
        })
    }
}

/// What a search came to at its beginning.
enum Found {
    Following(Following),
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
    last: Option<(u32, Overview, bool)>,
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
        let window = wave::rules().window(waited);
        let waiting_for_bot = ticket.wish.allow_ai && waited >= search.ai_after && overview.bots == 0;
        let facts = Some((window, overview, waiting_for_bot));
        if self.last == facts && now.since(self.told) < QUIET {
            return None;
        }
        (self.last, self.told) = (facts, now);
        Some(Progress {
            waited: Some(to_proto_duration(waited)),
            rating_window: window,
            open_tickets: u32::try_from(overview.open).unwrap_or(u32::MAX),
            waiting_for_bot,
            ..Progress::default()
        })
    }
}
