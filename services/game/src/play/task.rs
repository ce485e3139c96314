//! What a stream does for one message of its client, while it goes on.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use kernel::{GameId, PlayerId};
use ledger::Sequence;
use nigiri_proto::game::v1::{self as pb, play_request::Request as Wire};
use platform::{
    auth::Identity,
    status::{Failure, Reason},
};
use tonic::Status;

use super::seat::Following;
use crate::{
    bells::Bells,
    frame::Update,
    live::LiveGame,
    service::Service,
    wanted::{Wanted, checked, game_id_of},
    watch::resume,
};

/// Work that goes on beside others.
pub type Task = BoxFuture<'static, Done>;

/// What it came to.
pub enum Done {
    /// A command, or what was refused at once.
    Answered(pb::Answer),
    /// Somebody has signed on.
    SignedOn(u64, Result<Arc<Identity>, Failure>),
    /// Logs were read of which nothing was heard for a while.
    LookedAgain,
    /// A game was found; with the seat and the number of its use.
    Found(u64, u32, u64, Result<Found, Failure>),
}

/// A game that was found.
pub struct Found {
    /// Its bell.
    pub following: Following,
    /// What came after the sequence that the client has seen; none for a snapshot.
    pub backlog: Option<(Sequence, Vec<Update>)>,
}

/// An answer that all is well.
pub fn yes(number: u64) -> pb::Answer {
    pb::Answer { number, ..pb::Answer::default() }
}

/// An answer that says no.
pub fn no(number: u64, failure: Failure) -> pb::Answer {
    pb::Answer { number, refusal: Some(refusal(failure.into())), ..pb::Answer::default() }
}

/// A status as a message carries it.
pub fn refusal(status: Status) -> pb::Refusal {
    pb::Refusal {
        code: status.code().into(),
        message: status.message().to_owned(),
        details: status.details().to_vec().into(),
    }
}

/// Checks a player's token.
pub fn sign_on(service: Arc<Service>, number: u64, wanted: pb::SignOn) -> Task {
    Box::pin(async move {
        let (verifier, now) = (service.context.verifier(), service.context.clock.now());
        Done::SignedOn(number, verifier.verify(&wanted.access_token, now).await)
    })
}

/// Looks up a game, and rings the seat's bell from then on.
pub fn find(
    service: Arc<Service>,
    bells: Arc<Bells>,
    number: u64,
    caller: Arc<Identity>,
    (seat, use_number): (u32, u64),
    (game, after, key): (GameId, Option<Sequence>, String),
) -> Task {
    Box::pin(async move {
        let found = async {
            let (live, held) = service.enter(game, &caller, &key).await?;
            // From here on no entry is missed.
            let following = Following::new(live, held, bells, seat);
            let updates = match after {
                Some(after) => resume(&service.games, following.live(), after).await?.map(|all| (after, all)),
                None => None,
            };
            Ok(Found { following, backlog: updates })
        };
        Done::Found(number, seat, use_number, found.await)
    })
}

/// Reads the logs of these games again, if nothing was heard of them for a while.
pub fn look_again(service: Arc<Service>, games: Vec<Arc<LiveGame>>) -> Task {
    Box::pin(async move {
        for live in games {
            if let Err(error) = service.games.look_again(&live).await {
                tracing::debug!(%error, "the log cannot be read; the next time will try again");
                break;
            }
        }
        Done::LookedAgain
    })
}

/// Who wants something, and in which game; none if the command names the game itself.
pub struct Acting {
    /// Who.
    pub player: PlayerId,
    /// The seat's game.
    pub game: Option<GameId>,
    /// The network delay of the stream, as far as it was measured.
    pub delay: Duration,
    /// The trace context of the stream.
    pub trace: Arc<str>,
}

/// Does what a player wants.
pub fn command(service: Arc<Service>, number: u64, acting: Acting, request: Wire) -> Task {
    Box::pin(async move {
        Done::Answered(match done(&service, &acting, &request).await {
            Ok((sequence, next)) => {
                let next_game_id = next.map(|next| next.to_string()).unwrap_or_default();
                pb::Answer { sequence, next_game_id, ..yes(number) }
            }
            Err(failure) => no(number, failure),
        })
    })
}

async fn done(
    service: &Service,
    acting: &Acting,
    request: &Wire,
) -> Result<(Sequence, Option<GameId>), Failure> {
    let (games, player, trace) = (&service.games, acting.player, &*acting.trace);
    if let Wire::RequestRematch(pb::RequestRematchRequest { game_id, command_id }) = request {
        let (game, ()) = checked(acting.game(game_id), command_id, Ok(()))?;
        return service.rematch(game, player, command_id, trace).await;
    }
    let Some(wanted) = wanted(request) else {
        return Err(Failure::new(Reason::InvalidRequest, "a message without a request that is known here"));
    };
    let (game, command) = checked(acting.game(wanted.game_id()), wanted.command_id(), wanted.command())?;
    // A proof that another stream of the player has brought counts as well.
    let delay = acting.delay.max(service.delay(game, player, wanted.delay_proof()));
    let sequence = games.sent(game, player, wanted.command_id(), command, trace, delay).await?;
    Ok((sequence, None))
}

impl Acting {
    fn game(&self, named: &str) -> Result<GameId, Failure> {
        match self.game {
            None => game_id_of(named),
            Some(game) if named.is_empty() => Ok(game),
            Some(_) => {
                let problem = "the seat says which game: leave it empty, or use seat 0";
                Err(Failure::field(Reason::InvalidRequest, "game_id", problem))
            }
        }
    }
}

fn wanted(request: &Wire) -> Option<&(dyn Wanted + Sync)> {
    Some(match request {
        Wire::PlayMove(wanted) => wanted,
        Wire::Pass(wanted) => wanted,
        Wire::Resign(wanted) => wanted,
        Wire::OfferDraw(wanted) => wanted,
        Wire::RequestTakeback(wanted) => wanted,
        Wire::AnswerProposal(wanted) => wanted,
        Wire::AcceptScore(wanted) => wanted,
        Wire::DisputeScore(wanted) => wanted,
        Wire::MarkChain(wanted) => wanted,
        Wire::Leave(wanted) => wanted,
        Wire::SignOn(_) | Wire::Follow(_) | Wire::Unfollow(_) | Wire::Ping(_) | Wire::RequestRematch(_) => {
            return None;
        }
    })
}
