use goban::{Color, Komi, Score, Size, Verdict};
use nigiri_proto::game::v1::{self as pb, game_event::Event as Wire};
use platform::convert::{from_proto_duration, from_proto_time, to_proto_duration, to_proto_time};
use referee::{EndReason, Event, Outcome};

use super::{
    color_from_proto, color_to_proto, points_from_proto, points_to_proto, seats_from_proto, seats_to_proto,
    settings_from_proto, settings_to_proto,
};

/// An event on the wire. `size` is the game's board.
pub fn event_to_proto(event: &Event, size: Size) -> pb::GameEvent {
    let event = match event {
        Event::Created { settings, seats } => Wire::Created(pb::GameCreated {
            settings: Some(settings_to_proto(settings)),
            seats: seats_to_proto(seats),
        }),
        Event::MovePlayed { color, point, captured } => Wire::MovePlayed(pb::MovePlayed {
            color: color_to_proto(Some(*color)).into(),
            point: point.to_string(),
            captured: points_to_proto(captured),
        }),
        Event::Passed { color } => Wire::Passed(pb::Passed { color: color_to_proto(Some(*color)).into() }),
        Event::TimeCredited { credit, settled_until, reason } => Wire::TimeCredited(pb::TimeCredited {
            credit: Some(to_proto_duration(*credit)),
            reason: reason.to_string(),
            settled_until: Some(to_proto_time(*settled_until)),
        }),
        Event::Finished { outcome, verdict } => Wire::Finished(pb::GameFinished {
            result: Some(result_to_proto(outcome)),
            verdict: verdict.as_ref().map(|verdict| verdict_to_proto(verdict, size)),
        }),
    };
    pb::GameEvent { event: Some(event) }
}

/// An event from the wire; none if it is damaged or of a newer version. `size` is the game's board, if the game has begun.
pub fn event_from_proto(event: &pb::GameEvent, size: Option<Size>) -> Option<Event> {
    Some(match event.event.as_ref()? {
        Wire::Created(created) => Event::Created {
            settings: settings_from_proto(created.settings.as_ref()).ok()?,
            seats: seats_from_proto(&created.seats).ok()?,
        },
        Wire::MovePlayed(played) => Event::MovePlayed {
            color: color_from_proto(played.color)?,
            point: played.point.parse().ok()?,
            captured: points_from_proto(&played.captured)?,
        },
        Wire::Passed(passed) => Event::Passed { color: color_from_proto(passed.color)? },
        Wire::TimeCredited(credited) => Event::TimeCredited {
            credit: from_proto_duration(credited.credit?),
            settled_until: from_proto_time(credited.settled_until?),
            reason: credited.reason.as_str().into(),
        },
        Wire::Finished(finished) => Event::Finished {
            outcome: outcome_from_proto(finished.result.as_ref()?)?,
            verdict: match &finished.verdict {
                Some(verdict) => Some(verdict_from_proto(verdict, size?)?),
                None => None,
            },
        },
    })
}

const REASONS: [(EndReason, pb::EndReason); 6] = [
    (EndReason::Score, pb::EndReason::Score),
    (EndReason::Resignation, pb::EndReason::Resignation),
    (EndReason::Time, pb::EndReason::Time),
    (EndReason::MoveLimit, pb::EndReason::MoveLimit),
    (EndReason::Abort, pb::EndReason::Abort),
    (EndReason::Repetition, pb::EndReason::Repetition),
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

fn outcome_from_proto(result: &pb::GameResult) -> Option<Outcome> {
    let (reason, _) = REASONS.iter().find(|(_, theirs)| i32::from(*theirs) == result.reason)?;
    Outcome::read(*reason, &result.text)
}

fn verdict_to_proto(verdict: &Verdict, size: Size) -> pb::Verdict {
    let mut owner: Vec<String> = verdict
        .owner
        .chunks(size.columns().into())
        .map(|row| row.iter().copied().map(goban::draw).collect())
        .collect();
    owner.reverse();
    pb::Verdict {
        dead: points_to_proto(&verdict.dead),
        owner,
        black: Some(score_to_proto(&verdict.black)),
        white: Some(score_to_proto(&verdict.white)),
        judge_version: verdict.version,
    }
}

fn verdict_from_proto(verdict: &pb::Verdict, size: Size) -> Option<Verdict> {
    let mut owner = Vec::with_capacity(size.area());
    for row in verdict.owner.iter().rev() {
        for letter in row.chars() {
            owner.push(match letter {
                'X' => Some(Color::Black),
                'O' => Some(Color::White),
                '.' => None,
                _ => return None,
            });
        }
    }
    let (black, white) =
        (score_from_proto(verdict.black.as_ref()?)?, score_from_proto(verdict.white.as_ref()?)?);
    Some(Verdict {
        version: verdict.judge_version,
        dead: points_from_proto(&verdict.dead)?,
        owner,
        result: goban::Outcome::from_lead(black.half_points() - white.half_points()),
        black,
        white,
        doubt: None,
    })
}

fn score_to_proto(score: &Score) -> pb::ScoreParts {
    pb::ScoreParts {
        stones: score.stones.into(),
        territory: score.territory.into(),
        prisoners: score.prisoners.into(),
        komi: f64::from(score.komi.half_points()) / 2.0,
        handicap: score.handicap.into(),
        tax: score.tax.into(),
        total: f64::from(score.half_points()) / 2.0,
    }
}

fn score_from_proto(parts: &pb::ScoreParts) -> Option<Score> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of points: small, whole, not negative; `as` saturates"
    )]
    let count = |points: f64| points as u32;
    #[expect(clippy::cast_possible_truncation, reason = "komi is within 300 half points; `as` saturates")]
    let komi = Komi::from_half_points((parts.komi * 2.0) as i16).ok()?;
    Some(Score {
        stones: count(parts.stones),
        territory: count(parts.territory),
        prisoners: count(parts.prisoners),
        komi,
        handicap: count(parts.handicap),
        tax: count(parts.tax),
    })
}
