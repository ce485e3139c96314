//! The stream of one `FindMatch` call: from the wish to the game.

use std::{sync::Arc, time::Duration};

use futures::Stream;
use kernel::{GameId, PlayerId, Timestamp};
use nigiri_proto::{
    game::v1::Color,
    matchmaking::v1::{
        Draining, Ended, FilledIn, FindMatchResponse, Matched, Progress, Queued, find_match_response::Message,
    },
};
use platform::{convert::to_proto_duration, telemetry::trace};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tracing::Span;

use crate::{
    blocked::Blocked,
    error::Error,
    games::Games,
    ratings::Ratings,
    replica::{Following, Handle, Joined, Joining, Overview, Seen, Standing},
    ticket::{Match, Player, Rating, Ticket, Wish},
    wave::{self, Patience},
};

/// Something is said at least this often.
const QUIET: Duration = Duration::from_secs(15);

/// What has changed is said this often while at most so many wait; the more there are, the less often, so that saying it never takes much of the time that pairing
/// them needs.
const PACE: Duration = Duration::from_secs(1);
const AT_PACE: usize = 2_000;

fn pace(open: usize) -> Duration {
    let crowds = u32::try_from(open / AT_PACE).unwrap_or(u32::MAX);
    PACE.saturating_mul(crowds.max(1)).min(QUIET)
}

/// What a search needs.
#[derive(Clone)]
pub struct Search {
    /// The queue.
    pub handle: Handle,
    /// How strong players are.
    pub ratings: Ratings,
    /// Whether games are over.
    pub games: Games,
    /// Who has blocked whom.
    pub blocked: Blocked,
    /// When an AI fills in.
    pub patience: Patience,
    /// When streams end.
    pub draining: CancellationToken,
}

/// One item of the stream.
type Item = Result<FindMatchResponse, Status>;

impl Search {
    /// Puts the player into the queue, or finds them there; the stream tells what becomes of it.
    ///
    /// # Errors
    /// [`Error::AlreadyPlaying`] while the player is in a game with somebody else; else see [`Handle::join`].
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
        let (strength, avoids, playing) = tokio::join!(
            self.ratings.of(player.id, wish.kinds),
            self.blocked.by_or_nobody(player.id),
            self.playing(player.id)
        );
        let trace = trace::place(&span);
        let mut joining = Joining { player, wish, strength, avoids, seen, over: None, playing, trace };
        loop {
            match self.handle.join(joining.clone()).await? {
                Joined::Following(following) => return Ok(self.stream(Found::Following(following), span)),
                Joined::Begun { made, known } if self.is_over(made.game, known).await => {
                    joining.over = Some(made.game);
                }
                Joined::Begun { made, known: true } => return Err(Error::AlreadyPlaying(made.game)),
                Joined::Begun { made, known: false } => {
                    let rating = wish.rating(&strength.ratings);
                    return Ok(self.stream(Found::Begun(made, joining.player.id, rating), span));
                }
            }
        }
    }

    /// The game in which a player sits now. When the game service does not say, none: it makes no second one before it is back.
    async fn playing(&self, player: PlayerId) -> Option<GameId> {
        self.games.playing(player).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "whether a player is in a game cannot be told");
            None
        })
    }

    /// Whether a game has ended. If that cannot be told, one that its player does not know of has not: rather a news twice than a game missed.
    async fn is_over(&self, game: GameId, known: bool) -> bool {
        let over = if known { self.games.is_over(game).await } else { self.games.is_over_now(game).await };
        over.unwrap_or_else(|error| {
            tracing::warn!(%game, %error, "cannot tell whether a game is over");
            known
        })
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
                    let player = following.ticket.player.id;
                    let mut pulse = Pulse::new(self.handle.now());
                    let last = loop {
                        tokio::select! {
                            biased;
                            // None is left to tell of changes when the replica stops.
                            changed = following.standing.changed() => if changed.is_err() { break None },
                            () = self.draining.cancelled() => break None,
                            () = tokio::time::sleep(pace(self.handle.overview().open)) => {}
                        }
                        let standing = following.standing.borrow_and_update().clone();
                        if matches!(standing, Standing::Matched(_) | Standing::Ended(_)) {
                            break Some(standing);
                        }
                        if let Some(made) = pulse.newly_aside(&standing) {
                            match game_of(&made, player) {
                                Ok(game) => yield say(Message::FilledIn(FilledIn { game: Some(game) })),
                                Err(error) => yield Err(error.into()),
                            }
                            self.handle.delivered(player, made.game);
                        }
                        if let Some(game) = pulse.due_look(&standing, self.handle.now())
                            && self.is_over(game, false).await
                        {
                            self.handle.resume(player, game);
                        }
                        if let Some(progress) = pulse.beat(&self, &following.ticket, &standing) {
                            yield say(Message::Progress(progress));
                        }
                    };
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
                        _ => yield say(Message::Draining(Draining {})),
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
        let after = self.patience.of(ticket.wish.kinds, ticket.rating(), &overview.waits, now);
        let expected = overview.waits.expected(ticket.wish.kinds, ticket.rating().0, waited, now);
        Prospect {
            place: place(ticket, overview),
            expected_wait: expected.map(to_proto_duration),
            ai_after: ticket.takes_ai().then(|| to_proto_duration(after.saturating_sub(waited))),
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

fn say(message: Message) -> Item {
    Ok(FindMatchResponse { message: Some(message) })
}

fn begun(made: &Match, player: PlayerId, rating: Rating) -> Message {
    let ticket_id = made.ticket_of(player).map(|id| id.to_string()).unwrap_or_default();
    Message::Queued(Queued { ticket_id, rating: rating.whole(), ..Queued::default() })
}

fn matched(made: &Match, player: PlayerId) -> Item {
    say(Message::Matched(game_of(made, player)?))
}

fn game_of(made: &Match, player: PlayerId) -> Result<Matched, Error> {
    let Some((own, opponent)) = made.seats_of(player) else {
        return Err(Error::GameRefused(format!("{player} does not sit in {}", made.game)));
    };
    Ok(Matched {
        game_id: made.game.to_string(),
        color: Color::try_from(own.color).unwrap_or_default().into(),
        opponent: Some(opponent.clone()),
        rated: made.settings.rated,
        settings: Some(made.settings.clone()),
    })
}

/// How often it is asked whether a game against an AI is over for which a ticket is set aside.
const LOOK: Duration = Duration::from_secs(5);

/// When to say how it goes.
struct Pulse {
    told: Timestamp,
    last: Option<Facts>,
    aside: Option<GameId>,
    looked: Timestamp,
    met_ai: bool,
}

/// What is worth saying when it changes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Facts {
    window: u32,
    open: usize,
    bots: usize,
    place: u32,
    waiting_for_bot: bool,
    playing: Option<GameId>,
    person_waits: bool,
}

impl Pulse {
    const fn new(now: Timestamp) -> Self {
        Self { told: now, last: None, aside: None, looked: now, met_ai: false }
    }

    /// The match by which the ticket was set aside, if that is news.
    fn newly_aside(&mut self, standing: &Standing) -> Option<Arc<Match>> {
        let Standing::Aside(aside) = standing else {
            self.aside = None;
            return None;
        };
        let is_news = self.aside.replace(aside.game) != Some(aside.game);
        aside.made.clone().filter(|_| is_news)
    }

    /// The game of which it should be asked now whether it is over.
    fn due_look(&mut self, standing: &Standing, now: Timestamp) -> Option<GameId> {
        let Standing::Aside(aside) = standing else { return None };
        let due = now.since(self.looked) >= LOOK;
        if due {
            self.looked = now;
        }
        due.then_some(aside.game)
    }

    /// The progress, if something has changed or nothing was said for long.
    fn beat(&mut self, search: &Search, ticket: &Ticket, standing: &Standing) -> Option<Progress> {
        let now = search.handle.now();
        let overview = search.handle.overview();
        let waited = ticket.waited(now);
        let aside = match standing {
            Standing::Aside(aside) => Some(aside),
            _ => None,
        };
        self.met_ai |= aside.is_some();
        let wants_ai = ticket.takes_ai() && !self.met_ai;
        let patience = || search.patience.of(ticket.wish.kinds, ticket.rating(), &overview.waits, now);
        let facts = Facts {
            window: wave::rules().window(waited),
            open: overview.open,
            bots: overview.bots,
            place: place(ticket, &overview),
            waiting_for_bot: wants_ai && overview.bots == 0 && waited >= patience(),
            playing: aside.map(|aside| aside.game),
            person_waits: aside.is_some_and(|aside| aside.person_waits),
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
            ai_after: prospect.ai_after.filter(|_| wants_ai),
            playing_game_id: facts.playing.map(|game| game.to_string()).unwrap_or_default(),
            person_waits: facts.person_waits,
        })
    }
}
