//! What is known of a stream while connections come and go.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use kernel::{GameId, PlayerId};
use nigiri_proto::game::v1::{
    Answer, Follow, Ping, PlayRequest, SignOn, Unfollow, play_request::Request,
    play_service_client::PlayServiceClient,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};
use tonic::{Code, Status, Streaming, codegen::tokio_stream::wrappers::UnboundedReceiverStream};

use super::talk::{Later, Laters, RETRY};
use crate::{
    Error, Service, Session, SessionChannel, Watched,
    error::{Failed, Transient, classify, reason},
    resume::Step,
    retry::{Backoff, Ended},
    watch::GameSource,
};

/// What a program wants of its stream.
#[derive(Debug)]
pub(super) enum Order {
    /// To follow a game.
    Sit(Sitting),
    /// To follow it no longer.
    Leave(u32),
    /// A command for a seat.
    Command(u32, Request, oneshot::Sender<Ended<u64>>),
}

/// A game to be followed.
#[derive(Debug)]
pub(super) struct Sitting {
    pub seat: u32,
    pub session: Session,
    pub game: GameId,
    pub after: Option<u64>,
    pub events: mpsc::UnboundedSender<Result<Watched, Error>>,
}

/// A game that is followed.
struct Taken {
    session: Session,
    source: GameSource,
    events: mpsc::UnboundedSender<Result<Watched, Error>>,
}

/// A message that has no answer yet.
enum Pending {
    Follow(u32),
    SignOn,
    Command(Command),
}

struct Command {
    seat: u32,
    request: Request,
    reply: oneshot::Sender<Ended<u64>>,
    since: Instant,
    /// An attempt before may have had an effect.
    uncertain: bool,
    renewed: bool,
}

/// Where messages go while there is a connection.
pub(super) type Out = mpsc::UnboundedSender<PlayRequest>;

pub(super) struct Driver {
    session: Session,
    pub(super) orders: mpsc::UnboundedReceiver<Order>,
    seats: HashMap<u32, Taken>,
    pending: BTreeMap<u64, Pending>,
    /// Who has signed on to this connection, with which generation of tokens.
    signed: HashMap<PlayerId, u64>,
    number: u64,
    pub(super) laters: Laters,
    pub(super) out: Option<Out>,
    /// Whether this replica has said that another one is needed.
    pub(super) too_old: bool,
}

impl Driver {
    pub fn new(session: Session, orders: mpsc::UnboundedReceiver<Order>) -> Self {
        Self {
            session,
            orders,
            seats: HashMap::new(),
            pending: BTreeMap::new(),
            signed: HashMap::new(),
            number: 0,
            laters: Laters::new(),
            out: None,
            too_old: false,
        }
    }

    /// Runs until nobody orders anything any more.
    pub async fn run(mut self) {
        let options = self.session.client().options().clone();
        loop {
            // Nothing to do: no connection is needed.
            while self.seats.is_empty() && self.pending.is_empty() {
                let Some(order) = self.orders.recv().await else { return };
                self.take(order).await;
            }
            let route = Arc::clone(self.session.client().route(Service::Game));
            let mut backoff = Backoff::new(options.resume_for, route.len());
            loop {
                let way = route.pick();
                let index = way.index;
                let channel = SessionChannel::new(self.session.clone(), Arc::clone(&route), way);
                let failure = match self.connect(channel).await {
                    Ok(stream) => match self.talk(stream, &mut backoff).await {
                        Some(failure) => failure,
                        None => return,
                    },
                    Err(status) => match classify(&status) {
                        Failed::Transient(failure) => failure,
                        Failed::Final(refusal) if refusal.reason == reason::TOKEN_EXPIRED => {
                            Transient::connection("the token has expired")
                        }
                        Failed::Final(refusal) => {
                            self.give_up(|| Error::refused(refusal.clone()));
                            break;
                        }
                    },
                };
                self.out = None;
                route.failed(index);
                match backoff.failed(&failure) {
                    Ok(wait) => tokio::time::sleep(wait).await,
                    Err(Error::Unreachable { tried_for, cause }) => {
                        self.give_up(|| Error::Unreachable { tried_for, cause: cause.clone() });
                        break;
                    }
                    Err(_) => break,
                }
            }
        }
    }

    /// Opens the stream, and takes up what was.
    async fn connect(
        &mut self,
        channel: SessionChannel,
    ) -> Result<Streaming<nigiri_proto::game::v1::PlayResponse>, Status> {
        let (out, requests) = mpsc::unbounded_channel();
        let mut client = PlayServiceClient::new(channel);
        let stream = client.play(UnboundedReceiverStream::new(requests)).await?.into_inner();
        self.out = Some(out);
        self.signed.clear();
        self.pending.retain(|_, pending| matches!(pending, Pending::Command(_)));
        let seats: Vec<u32> = self.seats.keys().copied().collect();
        for seat in seats {
            self.follow(seat).await;
        }
        let numbers: Vec<u64> = self.pending.keys().copied().collect();
        for number in numbers {
            self.send_again(number);
        }
        Ok(stream)
    }

    fn give_up(&mut self, error: impl Fn() -> Error) {
        for (_, taken) in self.seats.drain() {
            // Whoever has left does not want to know.
            let _gone = taken.events.send(Err(error()));
        }
        for (_, pending) in std::mem::take(&mut self.pending) {
            if let Pending::Command(command) = pending {
                let _gone = command.reply.send(Ended { result: Err(error()), uncertain: command.uncertain });
            }
        }
    }

    /// After how long without a message a connection is taken for broken.
    pub(super) fn silence(&self) -> std::time::Duration {
        self.session.client().options().silence
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn say(&self, number: u64, seat: u32, request: Request) {
        if let Some(out) = &self.out {
            // A connection that has just broken: everything is sent again on the next one.
            let _broken = out.send(PlayRequest { number, seat, request: Some(request) });
        }
    }

    /// Takes an order.
    pub(super) async fn take(&mut self, order: Order) {
        match order {
            Order::Sit(sitting) => {
                let Sitting { seat, session, game, after, events } = sitting;
                let source = GameSource::new(session.clone(), game, after);
                self.seats.insert(seat, Taken { session, source, events });
                self.follow(seat).await;
            }
            Order::Leave(seat) => {
                if self.seats.remove(&seat).is_some() {
                    let number = self.next_number();
                    self.say(number, seat, Request::Unfollow(Unfollow {}));
                }
            }
            Order::Command(seat, request, reply) => {
                let number = self.next_number();
                self.say(number, seat, request.clone());
                let since = Instant::now();
                let (uncertain, renewed) = (false, false);
                let command = Command { seat, request, reply, since, uncertain, renewed };
                self.pending.insert(number, Pending::Command(command));
            }
        }
    }

    async fn follow(&mut self, seat: u32) {
        let Some(taken) = self.seats.get(&seat).filter(|_| self.out.is_some()) else { return };
        let session = taken.session.clone();
        let signed = self.sign_on(&session, false).await;
        let Some(taken) = self.seats.get(&seat) else { return };
        let follow = match signed {
            Ok(player) => Follow {
                game_id: taken.source.game_id(),
                player_id: player.to_string(),
                after_sequence: taken.source.last(),
                ..Follow::default()
            },
            Err(error) => {
                let _gone = taken.events.send(Err(error));
                self.seats.remove(&seat);
                return;
            }
        };
        let number = self.next_number();
        self.pending.insert(number, Pending::Follow(seat));
        self.say(number, seat, Request::Follow(follow));
    }

    /// Makes a player known to the server, unless that is done. `renew`: also with a new token.
    async fn sign_on(&mut self, session: &Session, renew: bool) -> Result<PlayerId, Error> {
        let player = session.player_id()?;
        let opener = self.session.player_id()? == player;
        if !renew && (opener || self.signed.contains_key(&player)) {
            return Ok(player);
        }
        let (_, generation) = session.authorization().await?;
        self.signed.insert(player, generation);
        let number = self.next_number();
        self.pending.insert(number, Pending::SignOn);
        self.say(number, 0, Request::SignOn(SignOn { access_token: session.tokens().access_token }));
        Ok(player)
    }

    fn send_again(&mut self, number: u64) {
        if let Some(Pending::Command(command)) = self.pending.get_mut(&number) {
            command.uncertain = true;
            let (seat, request) = (command.seat, command.request.clone());
            self.say(number, seat, request);
        }
    }

    /// Does what was put off.
    pub(super) async fn do_later(&mut self, later: Later) {
        match later {
            Later::Follow(seat) => self.follow(seat).await,
            Later::Send(number) => self.send_again(number),
        }
    }

    /// Tells a seat what a message means for it.
    pub(super) fn tell(&mut self, seat: u32, step: impl FnOnce(&mut GameSource) -> Step<Watched>) {
        // A seat that was left in the meantime.
        let Some(taken) = self.seats.get_mut(&seat) else { return };
        let (told, more) = match step(&mut taken.source) {
            Step::Yield(watched) => (Some(Ok(watched)), true),
            Step::Last(watched) | Step::Close(watched) => (Some(Ok(watched)), false),
            Step::Fail(error) => (Some(Err(error)), false),
            Step::End => (None, false),
            Step::Skip | Step::Reopen => (None, true),
        };
        if let Some(told) = told {
            let _gone = taken.events.send(told);
        }
        if !more {
            self.seats.remove(&seat);
        }
    }

    /// Repeats a ping: so the server measures the network delay, which its moves are given when they come late.
    pub(super) fn repeat(&mut self, ping: Ping) {
        let number = self.next_number();
        self.say(number, 0, Request::Ping(ping));
    }

    /// Takes an answer.
    pub(super) async fn answered(&mut self, answer: Answer) {
        let refused = answer.refusal.map(|refusal| {
            let code = Code::from_i32(refusal.code);
            classify(&Status::with_details(code, refusal.message, refusal.details))
        });
        let number = answer.number;
        match (self.pending.remove(&number), refused) {
            (None | Some(Pending::SignOn | Pending::Follow(_)), None) => {}
            (None, Some(_)) => {}
            (Some(Pending::SignOn), Some(_)) => {
                // Commands will be refused, and say why.
                tracing::debug!("a player could not sign on");
            }
            (Some(Pending::Follow(seat)), Some(Failed::Transient(failure))) => {
                self.too_old |= failure.elsewhere;
                self.laters.put_off(Later::Follow(seat))
            }
            (Some(Pending::Follow(seat)), Some(Failed::Final(refusal))) => {
                self.tell(seat, |_| Step::Fail(Error::refused(refusal)));
            }
            (Some(Pending::Command(command)), None) => {
                let uncertain = command.uncertain;
                let _gone = command.reply.send(Ended { result: Ok(answer.sequence), uncertain });
            }
            (Some(Pending::Command(command)), Some(failed)) => self.refused(number, command, failed).await,
        }
    }

    async fn refused(&mut self, number: u64, mut command: Command, failed: Failed) {
        let retry_for = self.session.client().options().retry_for;
        let uncertain = command.uncertain;
        let error = match failed {
            Failed::Final(refusal) if refusal.reason == reason::TOKEN_EXPIRED && !command.renewed => {
                match self.renew(command.seat).await {
                    Ok(()) => {
                        command.renewed = true;
                        self.say(number, command.seat, command.request.clone());
                        self.pending.insert(number, Pending::Command(command));
                        return;
                    }
                    Err(error) => error,
                }
            }
            Failed::Final(refusal) => Error::refused(refusal),
            Failed::Transient(failure) if command.since.elapsed() + RETRY < retry_for => {
                self.too_old |= failure.elsewhere;
                self.pending.insert(number, Pending::Command(command));
                self.laters.put_off(Later::Send(number));
                return;
            }
            Failed::Transient(failure) => {
                Error::Unreachable { tried_for: command.since.elapsed(), cause: failure.cause }
            }
        };
        let _gone = command.reply.send(Ended { result: Err(error), uncertain });
    }

    /// Gets a new token for a seat's player, and shows it.
    async fn renew(&mut self, seat: u32) -> Result<(), Error> {
        let session =
            self.seats.get(&seat).map_or_else(|| self.session.clone(), |taken| taken.session.clone());
        let generation = self.signed.get(&session.player_id()?).copied();
        session.reject(generation.unwrap_or_else(|| session.generation()));
        self.sign_on(&session, true).await.map(|_| ())
    }
}
