use goban::{Color, Doubt, Komi, Score, Size, Verdict};
use nigiri_proto::game::v1 as pb;

use super::{points_from_proto, points_to_proto};

/// A verdict on the wire. `size` is the game's board.
pub fn verdict_to_proto(verdict: &Verdict, size: Size) -> pb::Verdict {
    pb::Verdict {
        dead: points_to_proto(&verdict.dead),
        owner: goban::draw_rows(size, &verdict.owner),
        black: Some(score_to_proto(&verdict.black)),
        white: Some(score_to_proto(&verdict.white)),
        judge_version: verdict.version,
        doubt: verdict.doubt.as_ref().map(doubt_to_proto),
    }
}

fn doubt_to_proto(doubt: &Doubt) -> pb::Doubt {
    pb::Doubt {
        unsettled: points_to_proto(&doubt.unsettled),
        open: points_to_proto(&doubt.open),
        sure: doubt.sure.into(),
    }
}

fn doubt_from_proto(doubt: &pb::Doubt) -> Option<Doubt> {
    let (unsettled, open) = (points_from_proto(&doubt.unsettled)?, points_from_proto(&doubt.open)?);
    Some(Doubt { unsettled, open, sure: u16::try_from(doubt.sure).ok()? })
}

/// A verdict from the wire; none if it is damaged.
pub fn verdict_from_proto(verdict: &pb::Verdict, size: Size) -> Option<Verdict> {
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
        doubt: match &verdict.doubt {
            Some(doubt) => Some(doubt_from_proto(doubt)?),
            None => None,
        },
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
