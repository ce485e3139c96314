//! What operators see of the queue: the RPCs of `QueueService`.

use nigiri_proto::matchmaking::v1::{
    ListTicketsRequest, ListTicketsResponse, OpenTicket, queue_service_server::QueueService,
};
use platform::{
    auth::caller,
    status::{Failure, Violation},
};
use tonic::{Request, Response, Status};

use crate::{
    replica::{Handle, Listing},
    ticket::{Hold, Rating, Ticket},
    wire,
};

/// Tickets of an answer, unless the caller says otherwise, and at most.
const USUAL: u32 = 100;
const MOST: u32 = 1_000;

/// The RPCs for operators, on the same queue.
pub struct Oversight(pub Handle);

#[tonic::async_trait]
impl QueueService for Oversight {
    async fn list_tickets(
        &self,
        request: Request<ListTicketsRequest>,
    ) -> Result<Response<ListTicketsResponse>, Status> {
        caller(&request)?.operator()?;
        let limit = limit(request.get_ref().limit)?;
        let listing = self.0.list().await?;
        Ok(Response::new(answer(listing, request.get_ref(), limit)))
    }
}

fn limit(asked: u32) -> Result<usize, Failure> {
    match asked {
        0 => Ok(USUAL as usize),
        1..=MOST => Ok(asked as usize),
        other => {
            let words = format!("{other} is out of range: 1 to {MOST}, or 0 for {USUAL}");
            Err(Failure::invalid(vec![Violation::new("limit", words)]))
        }
    }
}

fn answer(listing: Listing, asked: &ListTicketsRequest, limit: usize) -> ListTicketsResponse {
    let Listing { mut tickets, bots } = listing;
    let total = u32::try_from(tickets.len()).unwrap_or(u32::MAX);
    tickets.sort_by_key(|ticket| (ticket.open_time, ticket.id));
    let wanted = |ticket: &OpenTicket| {
        let preset = asked.preset.is_empty() || ticket.accepts.iter().any(|one| one.preset == asked.preset);
        preset && asked.rated.is_none_or(|rated| rated == ticket.rated)
    };
    let tickets = tickets.iter().map(open).filter(wanted).take(limit).collect();
    ListTicketsResponse { tickets, total, ready_bots: u32::try_from(bots).unwrap_or(u32::MAX) }
}

fn open(ticket: &Ticket) -> OpenTicket {
    let stands = wire::to_ticket(ticket, ticket.open_time);
    OpenTicket {
        ticket_id: stands.ticket_id,
        player: stands.player,
        accepts: stands.accepts,
        rated: stands.rated,
        allow_ai: stands.allow_ai,
        rating: Rating(stands.rating_micros).whole(),
        open_time: stands.open_time,
        followed: matches!(ticket.hold, Hold::By(_)),
    }
}
