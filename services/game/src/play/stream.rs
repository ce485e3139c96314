//! The stream itself: reads what the client says, does it, and tells what happens in the games that it follows. All of it is polled by whoever
//! sends the stream, so that a client that does not read is not served either.

use std::{
    collections::{HashMap, VecDeque},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures::{FutureExt, Stream, StreamExt, stream::FuturesUnordered};
use kernel::{PlayerId, Timestamp};
use nigiri_proto::game::v1::{self as pb, play_request::Request as Wire, play_response::Message as Said};
use platform::{
    auth::Identity,
    convert::{to_proto_duration, to_proto_time},
    status::{Failure, Reason},
};
use tokio::time::{Instant, Sleep};
use tonic::{Status, Streaming};

use super::{
    frame::PlayFrame,
    measure::{Measure, matters},
    seat::{Seat, Told},
    task::{self, Acting, Done, Task},
};
use crate::{bells::Bells, metrics, service::Service, wanted::game_id_of, watch::Counted};

/// Messages of a client that are carried out at once; further ones wait.
const AT_ONCE: usize = 256;

/// Seats of one stream.
const SEATS: usize = 10_000;

/// Players of one stream.
const PLAYERS: usize = 10_000;

/// One stream.
pub struct Playing {
    service: Arc<Service>,
    own: PlayerId,
    players: HashMap<PlayerId, Arc<Identity>>,
    trace: Arc<str>,
    /// None when the client has said all, or is not listened to any more.
    requests: Option<Streaming<pb::PlayRequest>>,
    tasks: FuturesUnordered<Task>,
    /// A token is being checked: what comes after it waits.
    signing: bool,
    /// Logs are being read again.
    looking: bool,
    seats: HashMap<u32, Seat>,
    uses: u64,
    bells: Arc<Bells>,
    measure: Measure,
    out: VecDeque<PlayFrame>,
    sent: Instant,
    quiet: Pin<Box<Sleep>>,
    draining: Pin<Box<dyn Future<Output = ()> + Send>>,
    drained: bool,
    _counted: Counted,
}

impl Playing {
    /// A stream of this player.
    pub fn new(
        service: Arc<Service>,
        own: PlayerId,
        identity: Arc<Identity>,
        trace: String,
        requests: Streaming<pb::PlayRequest>,
    ) -> Self {
        let mut open = service.context.shutdown.stream();
        Self {
            own,
            players: HashMap::from([(own, identity)]),
            trace: trace.into(),
            requests: Some(requests),
            tasks: FuturesUnordered::new(),
            signing: false,
            looking: false,
            seats: HashMap::new(),
            uses: 0,
            bells: Arc::default(),
            measure: Measure::new(service.manner.ping),
            out: VecDeque::new(),
            sent: Instant::now(),
            quiet: Box::pin(tokio::time::sleep(service.manner.heartbeat)),
            draining: Box::pin(async move { open.asked_to_leave().await }),
            drained: false,
            _counted: Counted::new(metrics::PLAY_STREAMS),
            service,
        }
    }

    fn say(&mut self, seat: u32, message: Said) {
        self.out.push_back(PlayFrame::of(seat, message));
    }

    fn answer(&mut self, answer: pb::Answer) {
        self.say(0, Said::Answer(answer));
    }

    /// Takes a message of the client.
    fn receive(&mut self, message: pb::PlayRequest) {
        let pb::PlayRequest { number, seat, request } = message;
        let service = Arc::clone(&self.service);
        let done = match request {
            Some(Wire::SignOn(_)) if self.players.len() >= PLAYERS => Err(too_many("players", PLAYERS)),
            Some(Wire::SignOn(wanted)) => {
                self.signing = true;
                Ok(task::sign_on(service, number, wanted))
            }
            Some(Wire::Follow(wanted)) => self.follow(number, seat, &wanted),
            Some(Wire::Unfollow(_)) => {
                self.seats.remove(&seat);
                return self.answer(task::yes(number));
            }
            Some(Wire::Ping(ping)) => return self.repeated(number, &ping),
            Some(request) => {
                if matches!(request, Wire::PlayMove(_) | Wire::Pass(_)) {
                    self.ping();
                }
                self.acting(seat).map(|acting| task::command(service, number, acting, request))
            }
            None => {
                Err(Failure::field(Reason::InvalidRequest, "request", "there is none that is known here"))
            }
        };
        match done {
            Ok(task) => self.tasks.push(task),
            Err(failure) => self.answer(task::no(number, failure)),
        }
    }

    /// Asks how long the way is, if it is time for that.
    fn ping(&mut self) {
        if let Some(ping) = self.measure.due(self.now()) {
            self.say(0, Said::Ping(ping));
        }
    }

    fn repeated(&mut self, number: u64, ping: &pb::Ping) {
        let answer = match self.measure.repeated(ping, self.now()) {
            Ok(delay) => pb::Answer { delay: Some(to_proto_duration(delay)), ..task::yes(number) },
            Err(failure) => task::no(number, failure),
        };
        self.answer(answer);
    }

    fn now(&self) -> Timestamp {
        self.service.games.ledger().now()
    }

    /// Who acts in this seat. The token must still hold.
    fn acting(&self, seat: u32) -> Result<Acting, Failure> {
        let (player, game) = match self.seats.get(&seat) {
            _ if seat == 0 => (self.own, None),
            Some(seat) => (seat.player, Some(seat.game)),
            None => return Err(Failure::field(Reason::InvalidRequest, "seat", "follow a game in it first")),
        };
        self.player(player)?;
        let delay = self.measure.delay(self.now());
        Ok(Acting { player, game, delay, trace: Arc::clone(&self.trace) })
    }

    fn player(&self, player: PlayerId) -> Result<&Arc<Identity>, Failure> {
        match self.players.get(&player) {
            Some(identity) if identity.expires > self.service.context.clock.now() => Ok(identity),
            Some(_) => Err(Failure::new(
                Reason::TokenExpired,
                "the player's token has expired: sign on with a new one",
            )),
            None => Err(Failure::new(Reason::TokenMissing, "this player has not signed on here")),
        }
    }

    fn follow(&mut self, number: u64, seat: u32, wanted: &pb::Follow) -> Result<Task, Failure> {
        if seat == 0 {
            return Err(Failure::field(Reason::InvalidRequest, "seat", "choose a number from 1 on"));
        }
        if self.seats.len() >= SEATS && !self.seats.contains_key(&seat) {
            return Err(too_many("seats", SEATS));
        }
        let game = game_id_of(&wanted.game_id)?;
        let player = match wanted.player_id.as_str() {
            "" => self.own,
            id => id.parse().map_err(|error| Failure::field(Reason::InvalidRequest, "player_id", error))?,
        };
        let caller = Arc::clone(self.player(player)?);
        self.uses += 1;
        let use_number = self.uses;
        self.seats.insert(seat, Seat { game, player, use_number, told: None });
        let (service, bells) = (Arc::clone(&self.service), Arc::clone(&self.bells));
        let wanted = (game, wanted.after_sequence, wanted.watch_key.clone());
        Ok(task::find(service, bells, number, caller, (seat, use_number), wanted))
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Answered(answer) => self.answer(answer),
            Done::SignedOn(number, signed) => {
                self.signing = false;
                match signed.and_then(|identity| Ok((identity.player()?, identity))) {
                    Ok((player, identity)) => {
                        self.players.insert(player, identity);
                        self.answer(task::yes(number));
                    }
                    Err(failure) => self.answer(task::no(number, failure)),
                }
            }
            Done::LookedAgain => self.looking = false,
            Done::Found(number, seat, use_number, found) => self.found(number, seat, use_number, found),
        }
    }

    fn found(&mut self, number: u64, seat: u32, use_number: u64, found: Result<task::Found, Failure>) {
        // The client may have given the seat to another game, or left it.
        let current = self.seats.get_mut(&seat).filter(|current| current.use_number == use_number);
        match (found, current) {
            (Err(failure), current) => {
                if current.is_some() {
                    self.seats.remove(&seat);
                }
                self.answer(task::no(number, failure));
            }
            (Ok(_), None) => self.answer(task::yes(number)),
            (Ok(found), Some(current)) => {
                self.out.push_back(PlayFrame::of(0, Said::Answer(task::yes(number))));
                let games = &self.service.games;
                let told = Told::begin(found.following, found.backlog, seat, games, &mut self.out);
                let timed = told.live().look(|game, _| matters(game, current.player)) == Some(true);
                current.told = Some(told);
                self.go_on(seat);
                if timed {
                    self.ping();
                }
            }
        }
    }

    fn go_on(&mut self, seat: u32) {
        let Some(told) = self.seats.get_mut(&seat).and_then(|seat| seat.told.as_mut()) else { return };
        if !told.go_on(seat, &self.service.games, &mut self.out) {
            self.seats.remove(&seat);
        }
    }
}

fn too_many(what: &'static str, most: usize) -> Failure {
    let problem = format!("a stream has at most {most} {what}: open another one");
    Failure::new(Reason::StreamFull, problem).with("what", what).with("most", most)
}

/// What is polled; each is true if something came of it.
impl Playing {
    fn poll_tasks(&mut self, context: &mut Context<'_>) -> bool {
        let mut any = false;
        while let Poll::Ready(Some(done)) = self.tasks.poll_next_unpin(context) {
            self.done(done);
            any = true;
        }
        any
    }

    fn poll_bells(&mut self, context: &mut Context<'_>) -> bool {
        let Some(rung) = self.bells.take(context) else { return false };
        rung.into_iter().for_each(|seat| self.go_on(seat));
        true
    }

    fn poll_requests(&mut self, context: &mut Context<'_>) -> bool {
        let mut any = false;
        while self.tasks.len() < AT_ONCE
            && !self.signing
            && let Some(requests) = &mut self.requests
        {
            match requests.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(message))) => self.receive(message),
                Poll::Ready(None) => self.requests = None,
                Poll::Ready(Some(Err(error))) => {
                    // The connection, or a message that cannot be read: nothing can be answered in order any more.
                    tracing::debug!(%error, "a stream of many games broke");
                    self.requests = None;
                    self.seats.clear();
                }
                Poll::Pending => return any,
            }
            any = true;
        }
        any
    }

    fn poll_draining(&mut self, context: &mut Context<'_>) -> bool {
        if self.drained || self.draining.poll_unpin(context).is_pending() {
            return false;
        }
        self.drained = true;
        self.requests = None;
        self.say(0, Said::Draining(pb::Draining {}));
        true
    }

    fn poll_quiet(&mut self, context: &mut Context<'_>) -> bool {
        if self.quiet.poll_unpin(context).is_pending() {
            return false;
        }
        if !std::mem::replace(&mut self.looking, true) {
            let followed = self.seats.values().filter_map(|seat| seat.told.as_ref());
            let games = followed.map(|told| Arc::clone(told.live())).collect();
            self.tasks.push(task::look_again(Arc::clone(&self.service), games));
        }
        // Moved only when it fires, so that a message costs no timer.
        let (now, due) = (Instant::now(), self.sent + self.service.manner.heartbeat);
        if due > now {
            self.quiet.as_mut().reset(due);
        } else {
            self.quiet.as_mut().reset(now + self.service.manner.heartbeat);
            let server_time = Some(to_proto_time(self.now()));
            self.say(0, Said::Heartbeat(pb::Heartbeat { server_time }));
        }
        true
    }

    /// Whether there is nothing more to say.
    fn is_over(&self) -> bool {
        self.tasks.is_empty() && self.requests.is_none() && (self.drained || self.seats.is_empty())
    }
}

impl Stream for Playing {
    type Item = Result<PlayFrame, Status>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(frame) = this.out.pop_front() {
                this.sent = Instant::now();
                return Poll::Ready(Some(Ok(frame)));
            }
            // Requests first: what they start is polled in the same round.
            let mut any = this.poll_requests(context);
            any |= this.poll_tasks(context);
            any |= this.poll_bells(context);
            any |= this.poll_draining(context);
            if any {
                continue;
            }
            if this.is_over() {
                return Poll::Ready(None);
            }
            if !this.poll_quiet(context) {
                return Poll::Pending;
            }
        }
    }
}
