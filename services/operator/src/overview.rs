//! The whole system in one answer. A part that is away is named, and does not keep the rest from being told.

use nigiri_proto::{
    game::v1::ListEveryGameRequest, matchmaking::v1::ListTicketsRequest, operator::v1::GetOverviewResponse,
};
use platform::{
    Context,
    convert::{from_proto_time, to_proto_duration},
    tower,
};

use crate::{
    error::Error,
    letters,
    peers::{Peers, Token},
    store::Store,
};

/// Asks everybody.
pub async fn overview(store: &Store, peers: &Peers, token: &Token, context: &Context) -> GetOverviewResponse {
    let now = context.clock.now();
    let (mut oversight, mut queue) = (peers.oversight(), peers.queue());
    let games = oversight.list_every_game(
        token.with(ListEveryGameRequest { page_size: 1, ..ListEveryGameRequest::default() }),
    );
    let tickets =
        queue.list_tickets(token.with(ListTicketsRequest { limit: 1, ..ListTicketsRequest::default() }));
    let (games, tickets, replicas, switches, groups) = tokio::join!(
        games,
        tickets,
        store.replicas(now),
        tower::read(store.db(), now),
        letters::groups(&context.ledger)
    );
    let mut faults = Faults(Vec::new());
    let games = faults.hold("games", games.map_err(Error::from));
    let tickets = faults.hold("tickets", tickets.map_err(Error::from)).map(tonic::Response::into_inner);
    let switches = faults.hold("switches", switches.map_err(Error::from)).unwrap_or_default();
    let oldest = tickets.as_ref().and_then(|tickets| tickets.tickets.first()?.open_time);
    let waited = oldest.map(|open| context.ledger.now().since(from_proto_time(open)));
    GetOverviewResponse {
        live_games: games.map_or(0, |games| games.into_inner().total),
        open_tickets: tickets.as_ref().map_or(0, |tickets| tickets.total),
        oldest_ticket: waited.map(to_proto_duration),
        ready_bots: tickets.map_or(0, |tickets| tickets.ready_bots),
        matchmaking_paused: switches.matchmaking_paused,
        notice: switches.notice.text,
        replicas: faults.hold("replicas", replicas.map_err(Error::from)).unwrap_or_default(),
        groups: faults.hold("groups", groups).unwrap_or_default(),
        faults: faults.0,
    }
}

/// What could not be had.
struct Faults(Vec<String>);

impl Faults {
    fn hold<T>(&mut self, what: &str, had: Result<T, Error>) -> Option<T> {
        had.map_err(|error| self.0.push(format!("{what}: {error}"))).ok()
    }
}
