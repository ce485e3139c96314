//! The rules against abuse, pure and plain. `docs/ratings.md` says them in words; the numbers stand here and nowhere else. They are not
//! configurable: what a game is worth has to come out the same in every replay.

use std::time::Duration;

use kernel::{PlayerId, Timestamp};
use uuid::Uuid;

use crate::pool::Pool;

/// The time within which games of a pair, and games that were left, are looked at together.
pub const WINDOW: Duration = Duration::from_hours(24);
/// A pair's games of one pool within [`WINDOW`] that count. Further ones are unrated.
pub const PAIR_GAMES: i64 = 20;
/// A pair's short games of one pool within [`WINDOW`] that count. Further short ones are unrated.
pub const PAIR_SHORT_GAMES: i64 = 3;
/// A player's last games in which short losses are counted.
pub const SANDBAG_GAMES: usize = 20;
/// So many short losses among them are shown to operators.
pub const SANDBAG_LOSSES: usize = 5;
/// A player's last games that are looked at for feeding, once the player has so many; looked at anew after each of half as many.
pub const FEED_GAMES: usize = 20;
/// So many of them against one opponent, nine tenths of those lost, are shown to operators.
pub const FEED_SAME: usize = 16;
/// Games left within [`WINDOW`] from which on the player is banned from rated play.
pub const LEAVES: i64 = 3;
/// The first ban; it doubles with each further game that is left, up to [`LONGEST_BAN`].
pub const FIRST_BAN: Duration = Duration::from_mins(15);
/// The longest ban.
pub const LONGEST_BAN: Duration = Duration::from_hours(24);

/// Whether a game that was agreed to count does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Counted,
    /// The pair had too many games.
    PairGames,
    /// The pair had too many short games, and this is another.
    ShortGames,
    /// An operator annulled it.
    Annulled,
}

impl Verdict {
    /// As the store writes it.
    pub const fn number(self) -> i16 {
        match self {
            Self::Counted => 0,
            Self::PairGames => 1,
            Self::ShortGames => 2,
            Self::Annulled => 3,
        }
    }

    /// What the store wrote so.
    pub const fn from_number(number: i16) -> Option<Self> {
        Some(match number {
            0 => Self::Counted,
            1 => Self::PairGames,
            2 => Self::ShortGames,
            3 => Self::Annulled,
            _ => return None,
        })
    }

    /// Whether it moves ratings.
    pub fn counts(self) -> bool {
        self == Self::Counted
    }
}

/// What a pair played in one pool within [`WINDOW`] before a game; annulled games are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Pair {
    /// Games.
    pub games: i64,
    /// The short ones among them.
    pub short: i64,
}

/// Judges a game by what its pair played before. Programs may play each other as often as they like.
pub fn judge(pool: Pool, pair: Pair, short: bool) -> Verdict {
    if pool.is_of_bots() {
        Verdict::Counted
    } else if pair.games >= PAIR_GAMES {
        Verdict::PairGames
    } else if short && pair.short >= PAIR_SHORT_GAMES {
        Verdict::ShortGames
    } else {
        Verdict::Counted
    }
}

/// What operators are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A pair that plays each other again and again.
    Pair,
    /// A pair whose games end after a few moves.
    Short,
    /// A player who loses many short games.
    Sandbag,
    /// A player who plays and loses to one other nearly always.
    Feed,
}

impl Rule {
    /// As the store writes it.
    pub const fn number(self) -> i16 {
        match self {
            Self::Pair => 1,
            Self::Short => 2,
            Self::Sandbag => 3,
            Self::Feed => 4,
        }
    }

    /// What the store wrote so.
    pub const fn from_number(number: i16) -> Option<Self> {
        Some(match number {
            1 => Self::Pair,
            2 => Self::Short,
            3 => Self::Sandbag,
            4 => Self::Feed,
            _ => return None,
        })
    }
}

/// One game of a player, as the rules look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Against whom.
    pub opponent: PlayerId,
    /// Whether the player lost.
    pub lost: bool,
    /// Whether it ended after a few moves.
    pub short: bool,
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// About whom.
    pub player: PlayerId,
    /// The opponent.
    pub other: PlayerId,
    /// In words for people.
    pub detail: String,
}

impl Finding {
    /// One id for what is found again and again within a day.
    pub fn id(&self, pool: Pool, finished: Timestamp) -> Uuid {
        let day = finished.as_millis() / 86_400_000;
        // A pair is the same pair whoever has Black.
        let (low, high) = match self.rule {
            Rule::Pair | Rule::Short => (self.player.min(self.other), self.player.max(self.other)),
            Rule::Sandbag => (self.player, self.player),
            Rule::Feed => (self.player, self.other),
        };
        let name = format!("rating flag {} {} {low} {high} {day}", self.rule.number(), pool.number());
        Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes())
    }
}

/// What a game of this pair says by itself.
pub fn of_pair(verdict: Verdict, pair: Pair, black: PlayerId, white: PlayerId) -> Option<Finding> {
    let (rule, detail) = match verdict {
        Verdict::PairGames => {
            (Rule::Pair, format!("{} rated games with each other within a day", pair.games + 1))
        }
        Verdict::ShortGames => (
            Rule::Short,
            format!("{} rated games of a few moves with each other within a day", pair.short + 1),
        ),
        Verdict::Counted | Verdict::Annulled => return None,
    };
    Some(Finding { rule, player: black, other: white, detail })
}

/// Whether a game's players have to be looked at after it, at so many games of one of them: after a short game, and at round numbers.
pub fn is_worth_a_look(short: bool, games: u32) -> bool {
    let games = games as usize;
    short || (games >= FEED_GAMES && games.is_multiple_of(FEED_GAMES / 2))
}

/// What a player's last games say, the newest first.
pub fn of_player(player: PlayerId, past: &[Past]) -> Vec<Finding> {
    let Some(last) = past.first() else { return Vec::new() };
    let mut findings = Vec::new();
    let short = past.iter().take(SANDBAG_GAMES).filter(|game| game.lost && game.short).count();
    if last.lost && last.short && short >= SANDBAG_LOSSES {
        let detail =
            format!("lost {short} of the last {} games after a few moves", past.len().min(SANDBAG_GAMES));
        findings.push(Finding { rule: Rule::Sandbag, player, other: last.opponent, detail });
    }
    let past = &past[..past.len().min(FEED_GAMES)];
    if past.len() == FEED_GAMES {
        let same: Vec<_> = past.iter().filter(|game| game.opponent == last.opponent).collect();
        let lost = same.iter().filter(|game| game.lost).count();
        if same.len() >= FEED_SAME && 10 * lost >= 9 * same.len() {
            let detail =
                format!("{} of the last {FEED_GAMES} games against one player, {lost} lost", same.len());
            findings.push(Finding { rule: Rule::Feed, player, other: last.opponent, detail });
        }
    }
    findings
}

/// How long a ban lasts after so many games left within [`WINDOW`]; nothing before there are enough.
pub fn ban(leaves: i64) -> Option<Duration> {
    let more = u32::try_from(leaves.saturating_sub(LEAVES).min(31)).ok()?;
    Some(FIRST_BAN.saturating_mul(1 << more).min(LONGEST_BAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(n: u128) -> PlayerId {
        PlayerId::from_uuid(Uuid::from_u128(n))
    }

    /// Each limit, just below it and at it; programs have none.
    #[test]
    fn games_of_a_pair_count_up_to_their_limits() {
        let pool = Pool::new(9).unwrap();
        for (games, short, this, verdict) in [
            (PAIR_GAMES - 1, 0, false, Verdict::Counted),
            (PAIR_GAMES, 0, false, Verdict::PairGames),
            (PAIR_SHORT_GAMES, PAIR_SHORT_GAMES - 1, true, Verdict::Counted),
            (PAIR_SHORT_GAMES, PAIR_SHORT_GAMES, true, Verdict::ShortGames),
            (PAIR_SHORT_GAMES, PAIR_SHORT_GAMES, false, Verdict::Counted),
        ] {
            let pair = Pair { games, short };
            assert_eq!(judge(pool, pair, this), verdict, "{pair:?}");
            assert_eq!(judge(pool.of_bots(), pair, this), Verdict::Counted);
            assert_eq!(Verdict::from_number(verdict.number()), Some(verdict));
        }
    }

    /// Sandbagging and feeding are found at their limits and not below; a loss to many players, or wins, are neither.
    #[test]
    fn players_are_shown_at_the_limits() {
        let game = |opponent, lost, short| Past { opponent: player(opponent), lost, short };
        let rules =
            |past: &[Past]| of_player(player(1), past).into_iter().map(|f| f.rule).collect::<Vec<_>>();
        let mut past = vec![game(2, true, true); SANDBAG_LOSSES - 1];
        past.extend([game(3, false, false); 3]);
        assert_eq!(rules(&past), []);
        past.insert(0, game(4, true, true));
        assert_eq!(rules(&past), [Rule::Sandbag]);
        past.insert(0, game(4, false, false));
        assert_eq!(rules(&past), [], "only a short loss is a reason to look");

        let fed = |same: usize| -> Vec<_> {
            (0..FEED_GAMES).map(|n| game(if n < same { 2 } else { 3 }, true, false)).collect()
        };
        assert_eq!(rules(&fed(FEED_SAME)), [Rule::Feed]);
        assert_eq!(rules(&fed(FEED_SAME - 1)), []);
        let mut wins = fed(FEED_GAMES);
        wins.iter_mut().take(3).for_each(|game| game.lost = false);
        assert_eq!(rules(&wins), []);
        assert_eq!(rules(&fed(FEED_GAMES)[1..]), [], "too few games to say");
    }

    /// A ban begins with the third game that is left, doubles, and ends at a day.
    #[test]
    fn bans_double() {
        let minutes = |leaves| ban(leaves).map(|ban| ban.as_secs() / 60);
        let expected = [None, None, Some(15), Some(30), Some(60)];
        assert_eq!([1, 2, 3, 4, 5].map(minutes), expected);
        assert_eq!([9, 10, 1_000, i64::MAX].map(minutes), [Some(960), Some(1_440), Some(1_440), Some(1_440)]);
    }
}
