use goban::Color;

use super::{Plan, check_no_score, check_ply, in_time};
use crate::{EndReason, Event, Game, Outcome, Proposal, ProposalKind, Refusal, Takeback};

pub(super) fn offer_draw(game: &Game, by: Color, ply: u32) -> Result<Plan, Refusal> {
    check_no_score(game)?;
    check_ply(game, ply)?;
    let from = game.draw_offer_from(by).ok_or(Refusal::NotInThisGame { what: "draw offers" })?;
    if let Some(Proposal { id, kind: ProposalKind::Draw, .. }) = game.proposal(by.opposite()) {
        return Ok(accept_draw(game, by, *id));
    }
    check_none_pending(game, by)?;
    if ply < from {
        return Err(Refusal::TooSoon { ply: from });
    }
    let offered = Event::DrawOffered { color: by, id: next_id(game), version: ply };
    Ok(Plan { events: vec![offered], guard: in_time(game, by) })
}

pub(super) fn request_takeback(game: &Game, by: Color, ply: u32) -> Result<Plan, Refusal> {
    if !game.has_takebacks(by) {
        return Err(Refusal::NotInThisGame { what: "takebacks" });
    }
    let found = game.takeback(by);
    // The opponent's reply may have crossed the request: it does not change which move is meant.
    let replied = matches!(found, Some(Takeback::Immediate { moves: 2 } | Takeback::ByConsent { moves: 2 }));
    let crossed = replied && ply.checked_add(1) == Some(game.ply()) && ply >= game.retracted_at();
    if !crossed {
        check_ply(game, ply)?;
    }
    let event = match found {
        Some(Takeback::Immediate { moves }) => Event::TakenBack { color: by, moves },
        Some(Takeback::ByConsent { moves }) => {
            check_none_pending(game, by)?;
            if game.takeback_declined_at(by) == Some(game.ply()) {
                return Err(Refusal::TooSoon { ply: game.ply().saturating_add(1) });
            }
            let (id, version) = (next_id(game), game.ply());
            Event::TakebackRequested { color: by, id, version, moves }
        }
        None => {
            check_no_score(game)?;
            return Err(Refusal::NothingToTakeBack);
        }
    };
    Ok(Plan { events: vec![event], guard: in_time(game, by) })
}

pub(super) fn answer(game: &Game, by: Color, id: u32, version: u32, accept: bool) -> Result<Plan, Refusal> {
    let proposal = game.proposal(by.opposite());
    let found = proposal.filter(|proposal| (proposal.id, proposal.version) == (id, version));
    let kind = found.ok_or(Refusal::StaleProposal)?.kind;
    let events = match (accept, kind) {
        (true, ProposalKind::Draw) => return Ok(accept_draw(game, by, id)),
        (true, ProposalKind::Takeback { moves }) => vec![
            Event::ProposalAnswered { color: by, id, accepted: true },
            Event::TakenBack { color: by.opposite(), moves },
        ],
        (false, _) => vec![Event::ProposalAnswered { color: by, id, accepted: false }],
    };
    Ok(Plan { events, guard: in_time(game, by) })
}

fn accept_draw(game: &Game, by: Color, id: u32) -> Plan {
    let events = vec![
        Event::ProposalAnswered { color: by, id, accepted: true },
        Event::Finished { outcome: Outcome::void(EndReason::DrawAgreed), verdict: None },
    ];
    Plan { events, guard: in_time(game, by) }
}

fn next_id(game: &Game) -> u32 {
    game.proposals_made().saturating_add(1)
}

fn check_none_pending(game: &Game, by: Color) -> Result<(), Refusal> {
    match game.proposal(by) {
        Some(Proposal { id, .. }) => Err(Refusal::ProposalPending { id: *id }),
        None => Ok(()),
    }
}
