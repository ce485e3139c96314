use std::time::Duration;

use goban::{Color, Size};
use nigiri_proto::game::v1::{self as pb, game_event::Event as Wire};
use platform::convert::{from_proto_duration, from_proto_time};
use referee::Event;

use super::outcome_from_proto;
use crate::codec::{
    color_from_proto, points_from_proto, seats_from_proto, settings_from_proto, verdict_from_proto,
};

/// An event from the wire; none if it is damaged or of a newer version. `size` is the game's board, if the game has begun.
pub fn event_from_proto(event: &pb::GameEvent, size: Option<Size>) -> Option<Event> {
    let color = color_from_proto;
    Some(match event.event.as_ref()? {
        Wire::Created(created) => Event::Created {
            settings: Box::new(settings_from_proto(created.settings.as_ref()).ok()?),
            seats: seats_from_proto(&created.seats).ok()?,
        },
        Wire::MovePlayed(played) => Event::MovePlayed {
            color: color(played.color)?,
            point: played.point.parse().ok()?,
            captured: points_from_proto(&played.captured)?,
        },
        Wire::Passed(passed) => Event::Passed { color: color(passed.color)? },
        Wire::TakenBack(taken) => Event::TakenBack { color: color(taken.color)?, moves: taken.moves },
        Wire::TimeCredited(credited) => Event::TimeCredited {
            credit: from_proto_duration(credited.credit?),
            grace: [&credited.black_grace, &credited.white_grace]
                .map(|grace| grace.map_or(Duration::ZERO, from_proto_duration)),
            settled_until: from_proto_time(credited.settled_until?),
            reason: credited.reason.as_str().into(),
        },
        Wire::TimeGiven(given) => {
            Event::TimeGiven { time: from_proto_duration(given.time?), reason: given.reason.as_str().into() }
        }
        Wire::PlayerAway(away) => Event::PlayerAway {
            color: color(away.color)?,
            left: away.left,
            grace: from_proto_duration(away.grace?),
        },
        Wire::PlayerBack(back) => Event::PlayerBack { color: color(back.color)? },
        Wire::DrawOffered(pb::DrawOffered { color: by, proposal_id, version }) => {
            Event::DrawOffered { color: color(*by)?, id: *proposal_id, version: *version }
        }
        Wire::TakebackRequested(asked) => Event::TakebackRequested {
            color: color(asked.color)?,
            id: asked.proposal_id,
            version: asked.version,
            moves: asked.moves,
        },
        Wire::ProposalAnswered(answered) => Event::ProposalAnswered {
            color: color(answered.color)?,
            id: answered.proposal_id,
            accepted: answered.accepted,
        },
        Wire::ScoreProposed(proposed) => Event::ScoreProposed {
            version: proposed.version,
            verdict: verdict(proposed.verdict.as_ref(), size)?,
            accepted: sides(&proposed.accepted_by)?,
            time: from_proto_duration(proposed.time?),
        },
        Wire::ChainMarked(marked) => Event::ChainMarked {
            color: color(marked.color)?,
            point: marked.point.parse().ok()?,
            dead: marked.dead,
            version: marked.version,
            verdict: verdict(marked.verdict.as_ref(), size)?,
            accepted: sides(&marked.accepted_by)?,
            extension: marked.extension.map_or(Duration::ZERO, from_proto_duration),
        },
        Wire::ScoreAccepted(pb::ScoreAccepted { color: by, version }) => {
            Event::ScoreAccepted { color: color(*by)?, version: *version }
        }
        Wire::ScoreDisputed(disputed) => Event::ScoreDisputed {
            color: color(disputed.color)?,
            version: disputed.version,
            turn: color(disputed.turn)?,
        },
        Wire::Adjudicated(adjudicated) => Event::Adjudicated { reason: adjudicated.reason.as_str().into() },
        Wire::Finished(finished) => Event::Finished {
            outcome: outcome_from_proto(finished.result.as_ref()?)?,
            verdict: match &finished.verdict {
                Some(counted) => Some(verdict(Some(counted), size)?),
                None => None,
            },
        },
        Wire::RematchRequested(asked) => Event::RematchRequested { color: color(asked.color)? },
        Wire::RematchAgreed(agreed) => Event::RematchAgreed { game: agreed.game_id.parse().ok()? },
    })
}

fn verdict(verdict: Option<&pb::Verdict>, size: Option<Size>) -> Option<Box<goban::Verdict>> {
    verdict_from_proto(verdict?, size?).map(Box::new)
}

fn sides(colors: &[i32]) -> Option<[bool; 2]> {
    let mut which = [false; 2];
    for &color in colors {
        let color: Color = color_from_proto(color)?;
        which[color.index()] = true;
    }
    Some(which)
}
