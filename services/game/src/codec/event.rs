mod read;

use std::time::Duration;

use goban::{Color, Size};
use nigiri_proto::game::v1::{self as pb, game_event::Event as Wire};
use platform::convert::{to_proto_duration, to_proto_time};
use referee::{EndReason, Event, Outcome};

use super::{color_to_proto, points_to_proto, seats_to_proto, settings_to_proto, verdict_to_proto};

pub use read::event_from_proto;

/// An event on the wire. `size` is the game's board.
pub fn event_to_proto(event: &Event, size: Size) -> pb::GameEvent {
    let time = |time: Duration| Some(to_proto_duration(time));
    let some = |time: Duration| (time > Duration::ZERO).then(|| to_proto_duration(time));
    let event = match event {
        Event::Created { settings, seats } => Wire::Created(pb::GameCreated {
            settings: Some(settings_to_proto(settings)),
            seats: seats_to_proto(seats),
        }),
        Event::MovePlayed { color, point, captured } => Wire::MovePlayed(pb::MovePlayed {
            color: side(*color),
            point: point.to_string(),
            captured: points_to_proto(captured),
        }),
        Event::Passed { color } => Wire::Passed(pb::Passed { color: side(*color) }),
        Event::TakenBack { color, moves } => {
            Wire::TakenBack(pb::TakenBack { color: side(*color), moves: *moves })
        }
        Event::TimeCredited { credit, grace: [black, white], settled_until, reason } => {
            Wire::TimeCredited(pb::TimeCredited {
                credit: time(*credit),
                reason: reason.to_string(),
                settled_until: Some(to_proto_time(*settled_until)),
                black_grace: some(*black),
                white_grace: some(*white),
            })
        }
        Event::TimeGiven { time: given, reason } => {
            Wire::TimeGiven(pb::TimeGiven { time: time(*given), reason: reason.to_string() })
        }
        Event::PlayerAway { color, left, grace } => {
            Wire::PlayerAway(pb::PlayerAway { color: side(*color), left: *left, grace: time(*grace) })
        }
        Event::PlayerBack { color } => Wire::PlayerBack(pb::PlayerBack { color: side(*color) }),
        Event::DrawOffered { color, id, version } => {
            Wire::DrawOffered(pb::DrawOffered { color: side(*color), proposal_id: *id, version: *version })
        }
        Event::TakebackRequested { color, id, version, moves } => {
            let (proposal_id, version, moves) = (*id, *version, *moves);
            Wire::TakebackRequested(pb::TakebackRequested {
                color: side(*color),
                proposal_id,
                version,
                moves,
            })
        }
        Event::ProposalAnswered { color, id, accepted } => Wire::ProposalAnswered(pb::ProposalAnswered {
            color: side(*color),
            proposal_id: *id,
            accepted: *accepted,
        }),
        Event::ScoreProposed { version, verdict, accepted, time: wait } => {
            Wire::ScoreProposed(pb::ScoreProposed {
                version: *version,
                verdict: Some(verdict_to_proto(verdict, size)),
                accepted_by: sides(*accepted),
                time: time(*wait),
            })
        }
        Event::ChainMarked { color, point, dead, version, verdict, accepted, extension } => {
            Wire::ChainMarked(pb::ChainMarked {
                color: side(*color),
                point: point.to_string(),
                dead: *dead,
                version: *version,
                verdict: Some(verdict_to_proto(verdict, size)),
                accepted_by: sides(*accepted),
                extension: some(*extension),
            })
        }
        Event::ScoreAccepted { color, version } => {
            Wire::ScoreAccepted(pb::ScoreAccepted { color: side(*color), version: *version })
        }
        Event::ScoreDisputed { color, version, turn } => Wire::ScoreDisputed(pb::ScoreDisputed {
            color: side(*color),
            version: *version,
            turn: side(*turn),
        }),
        Event::Adjudicated { reason } => Wire::Adjudicated(pb::Adjudicated { reason: reason.to_string() }),
        Event::Finished { outcome, verdict } => Wire::Finished(pb::GameFinished {
            result: Some(result_to_proto(outcome)),
            verdict: verdict.as_ref().map(|verdict| verdict_to_proto(verdict, size)),
        }),
        Event::RematchRequested { color } => {
            Wire::RematchRequested(pb::RematchRequested { color: side(*color) })
        }
        Event::RematchAgreed { game } => Wire::RematchAgreed(pb::RematchAgreed { game_id: game.to_string() }),
    };
    pb::GameEvent { event: Some(event) }
}

/// A colour as a field has it.
pub fn side(color: Color) -> i32 {
    color_to_proto(Some(color)).into()
}

/// The colours for which it is so.
pub fn sides(which: [bool; 2]) -> Vec<i32> {
    Color::BOTH.into_iter().filter(|color| which[color.index()]).map(side).collect()
}

const REASONS: [(EndReason, pb::EndReason); 11] = [
    (EndReason::Score, pb::EndReason::Score),
    (EndReason::Resignation, pb::EndReason::Resignation),
    (EndReason::Time, pb::EndReason::Time),
    (EndReason::MoveLimit, pb::EndReason::MoveLimit),
    (EndReason::Abort, pb::EndReason::Abort),
    (EndReason::Repetition, pb::EndReason::Repetition),
    (EndReason::Abandonment, pb::EndReason::Abandonment),
    (EndReason::DrawAgreed, pb::EndReason::DrawAgreed),
    (EndReason::Adjudication, pb::EndReason::Adjudication),
    (EndReason::UnratedAdjudication, pb::EndReason::UnratedAdjudication),
    (EndReason::Void, pb::EndReason::Void),
];

/// A result on the wire.
pub fn result_to_proto(outcome: &Outcome) -> pb::GameResult {
    let reason = REASONS.iter().find(|(ours, _)| *ours == outcome.reason);
    pb::GameResult {
        winner: color_to_proto(outcome.winner).into(),
        reason: reason.map_or(pb::EndReason::Unspecified, |(_, theirs)| *theirs).into(),
        text: outcome.to_string(),
    }
}

/// A result of which the archive has kept the number of the reason and the text.
pub fn result_of(reason: i32, text: String) -> pb::GameResult {
    let known = REASONS.iter().find(|(_, theirs)| i32::from(*theirs) == reason);
    let outcome = known.and_then(|(ours, _)| Outcome::read(*ours, &text));
    let winner = match (outcome, text.chars().next()) {
        (Some(outcome), _) => outcome.winner,
        (None, Some('B')) => Some(Color::Black),
        (None, Some('W')) => Some(Color::White),
        (None, _) => None,
    };
    pb::GameResult { winner: color_to_proto(winner).into(), reason, text }
}

fn outcome_from_proto(result: &pb::GameResult) -> Option<Outcome> {
    let (reason, _) = REASONS.iter().find(|(_, theirs)| i32::from(*theirs) == result.reason)?;
    Outcome::read(*reason, &result.text)
}
