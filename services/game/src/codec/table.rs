use goban::Color;
use nigiri_proto::game::v1 as pb;
use platform::convert::{to_proto_duration, to_proto_time};
use referee::{Control, Game, Presence, ProposalKind, Takeback};

use super::{
    event::{side, sides},
    verdict_to_proto,
};

/// Fills in what is around the board: clocks, who is gone, what is proposed. What a usual game does not need costs nothing.
pub fn lay(state: &mut pb::TurnState, game: &Game) {
    let [black, white] = Color::BOTH;
    state.move_number = game.move_number();
    state.turn_start_time = Some(to_proto_time(game.turn_started()));
    state.turn_credit = Some(game.turn_credit()).filter(|credit| !credit.is_zero()).map(to_proto_duration);
    (state.black_clock, state.white_clock) = (clock(game, black), clock(game, white));
    state.absences = Color::BOTH.into_iter().filter_map(|color| absence(game, color)).collect();
    state.proposals = Color::BOTH.into_iter().filter_map(|color| proposal(game, color)).collect();
    state.agreement = agreement(game);
    (state.black_takeback, state.white_takeback) = (takeback(game, black), takeback(game, white));
    (state.black_draw_offer_from, state.white_draw_offer_from) =
        (game.draw_offer_from(black), game.draw_offer_from(white));
    if let Some(rematch) = game.rematch() {
        state.rematch_requested_by = sides(rematch.requested);
        state.rematch_game_id = rematch.game.map(|id| id.to_string()).unwrap_or_default();
    }
}

fn clock(game: &Game, color: Color) -> Option<pb::PlayerClock> {
    if matches!(game.settings().control, Control::PerMove { .. }) {
        return None;
    }
    let remaining = game.remaining(color)?;
    Some(pb::PlayerClock {
        main: Some(to_proto_duration(remaining.main)),
        period: (!remaining.period.is_zero()).then(|| to_proto_duration(remaining.period)),
        count: remaining.count,
    })
}

fn absence(game: &Game, color: Color) -> Option<pb::Absence> {
    let Presence::Away { since, left, deadline } = game.presence(color) else { return None };
    Some(pb::Absence {
        color: side(color),
        since: Some(to_proto_time(since)),
        left,
        deadline: deadline.map(to_proto_time),
    })
}

fn proposal(game: &Game, color: Color) -> Option<pb::Proposal> {
    let proposal = game.proposal(color)?;
    let (kind, moves) = match proposal.kind {
        ProposalKind::Draw => (pb::ProposalKind::Draw, 0),
        ProposalKind::Takeback { moves } => (pb::ProposalKind::Takeback, moves),
    };
    Some(pb::Proposal {
        color: side(color),
        proposal_id: proposal.id,
        version: proposal.version,
        kind: kind.into(),
        moves,
    })
}

fn agreement(game: &Game) -> Option<pb::Agreement> {
    let agreement = game.agreement()?;
    Some(pb::Agreement {
        version: agreement.version(),
        verdict: Some(verdict_to_proto(agreement.verdict(), game.settings().size)),
        accepted_by: sides(Color::BOTH.map(|color| agreement.has_accepted(color))),
        deadline: Some(to_proto_time(agreement.deadline())),
    })
}

fn takeback(game: &Game, color: Color) -> Option<pb::Takeback> {
    Some(match game.takeback(color)? {
        Takeback::Immediate { moves } => pb::Takeback { moves, immediate: true },
        Takeback::ByConsent { moves } => pb::Takeback { moves, immediate: false },
    })
}
