//! From the store's words to those of the API.

use kernel::PlayerId;
use nigiri_proto::rating::v1::{
    AbuseRule, Annulment, Flag, GameScore, GetGameRatingResponse, Leader, ListLeadersResponse,
    OpponentStrength, Rating, RatingChange, RatingPoint, RatingVerdict, StatisticsCell,
};
use platform::convert::to_proto_time;

use crate::{
    abuse::{Rule, Verdict},
    elo::{self, Rules, Standing},
    leaders::{self, Board, Page},
    pool::Pool,
    store::{self, GameRating, Point, Statistic},
};

/// A rating.
pub(crate) fn rating(rules: &Rules, pool: Pool, player: PlayerId, standing: Standing) -> Rating {
    Rating {
        player_id: player.to_string(),
        board_size: pool.board_size().into(),
        micros: standing.rating.micros(),
        points: standing.rating.points(),
        games: standing.games,
        provisional: rules.is_provisional(standing),
        bots: pool.is_of_bots(),
    }
}

/// What a game changed.
pub(crate) fn changes(game: &GameRating) -> GetGameRatingResponse {
    let change = |(player, before): (PlayerId, elo::Rating), gain| RatingChange {
        player_id: player.to_string(),
        before_micros: before.micros(),
        after_micros: before.plus(gain).micros(),
    };
    let both = || vec![change(game.black, game.black_gain), change(game.white, -game.black_gain)];
    GetGameRatingResponse {
        board_size: game.pool.board_size().into(),
        changes: if game.verdict.counts() { both() } else { Vec::new() },
        rate_time: Some(to_proto_time(game.rated)),
        verdict: verdict(game.verdict).into(),
        finish_time: Some(to_proto_time(game.finished)),
    }
}

fn verdict(verdict: Verdict) -> RatingVerdict {
    match verdict {
        Verdict::Counted => RatingVerdict::Counted,
        Verdict::PairGames => RatingVerdict::PairGames,
        Verdict::ShortGames => RatingVerdict::ShortGames,
        Verdict::Annulled => RatingVerdict::Annulled,
    }
}

/// A line of a leaderboard.
pub(crate) fn leader(rules: &Rules, board: Board, leader: leaders::Leader) -> Leader {
    Leader {
        rank: u32::try_from(leader.rank).unwrap_or(u32::MAX),
        rating: Some(rating(rules, board.pool, leader.place.player, leader.standing)),
        name: leader.name,
    }
}

/// A page of a leaderboard.
pub(crate) fn leaders(rules: &Rules, board: Board, page: Page) -> ListLeadersResponse {
    let last = page.leaders.last().filter(|_| page.more);
    let next_page_token = last.map(|leader| board.token(leader.place)).unwrap_or_default();
    let leaders = page.leaders.into_iter().map(|one| leader(rules, board, one)).collect();
    ListLeadersResponse { leaders, next_page_token }
}

/// A point of a graph.
pub(crate) fn point(point: &Point) -> RatingPoint {
    RatingPoint {
        game_id: point.at.game.to_string(),
        finish_time: Some(to_proto_time(point.at.finished)),
        before_micros: point.before,
        after_micros: point.after,
        games: point.number,
        opponent_id: point.opponent.to_string(),
        opponent_micros: point.opponent_before,
        black: point.black,
        score: score(point.score).into(),
        verdict: verdict(point.verdict).into(),
    }
}

fn score(halves: i16) -> GameScore {
    match halves {
        0 => GameScore::Loss,
        1 => GameScore::Draw,
        _ => GameScore::Win,
    }
}

/// A cell of statistics.
pub(crate) fn cell(statistic: &Statistic) -> StatisticsCell {
    let strength = match statistic.strength {
        ..0 => OpponentStrength::Weaker,
        0 => OpponentStrength::Equal,
        1.. => OpponentStrength::Stronger,
    };
    StatisticsCell {
        black: statistic.black,
        score: score(statistic.score).into(),
        strength: strength.into(),
        games: statistic.games,
    }
}

/// The trail of an annulment.
pub(crate) fn annulment(annulment: store::Annulment) -> Annulment {
    let correction = |one: store::Correction| RatingChange {
        player_id: one.player.to_string(),
        before_micros: one.before,
        after_micros: one.after,
    };
    Annulment {
        game_id: annulment.game.to_string(),
        operator: annulment.operator,
        reason: annulment.reason,
        annul_time: Some(to_proto_time(annulment.annulled)),
        black_gain_micros: annulment.black_gain,
        recomputed_games: annulment.recomputed,
        corrections: annulment.corrections.into_iter().map(correction).collect(),
    }
}

/// A flag.
pub(crate) fn flag(flag: store::Flag) -> Flag {
    let rule = match flag.finding.rule {
        Rule::Pair => AbuseRule::PairGames,
        Rule::Short => AbuseRule::ShortGames,
        Rule::Sandbag => AbuseRule::Sandbagging,
        Rule::Feed => AbuseRule::Feeding,
    };
    Flag {
        flag_id: flag.id.to_string(),
        rule: rule.into(),
        player_id: flag.finding.player.to_string(),
        other_id: flag.finding.other.to_string(),
        game_id: flag.game.to_string(),
        board_size: flag.pool.board_size().into(),
        detail: flag.finding.detail,
        raise_time: Some(to_proto_time(flag.raised)),
    }
}
