//! Playing games back, one after another, in memory: a second, plain statement of what counting does.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use kernel::{GameId, PlayerId, Timestamp};

use crate::{
    abuse::{self, Pair, Verdict, WINDOW},
    elo::{Change, Outcome, Rules, Standing},
    pool::Pool,
    store::Position,
};

/// What has to be known of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub pool: Pool,
    pub black: PlayerId,
    pub white: PlayerId,
    pub outcome: Outcome,
    pub short: bool,
}

/// What a game did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Played {
    pub verdict: Verdict,
    pub change: Change,
    /// Where both stood before.
    pub before: (Standing, Standing),
    /// Where both stand after.
    pub after: (Standing, Standing),
}

/// Where a player stands in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stand {
    pub standing: Standing,
    /// Since when the rating stands where it stands.
    pub reached: Timestamp,
    /// When the last game that counted finished.
    pub played: Timestamp,
    /// The last game, counted or not.
    pub last: Position,
}

/// All games played back.
pub(super) struct Replay {
    pub games: BTreeMap<GameId, (Position, Facts, Played)>,
    pub players: HashMap<(Pool, PlayerId), Stand>,
}

/// A pair's games in a pool: when, and whether short.
type Recent = HashMap<(Pool, PlayerId, PlayerId), VecDeque<(Timestamp, bool)>>;

/// Plays games back in their order.
pub(super) fn replay(rules: Rules, games: BTreeMap<Position, Facts>, annulled: &HashSet<GameId>) -> Replay {
    let mut all = Replay { games: BTreeMap::new(), players: HashMap::new() };
    let mut recent = Recent::new();
    for (at, game) in games {
        let pair = pair(&mut recent, at, &game);
        let verdict = if annulled.contains(&at.game) {
            Verdict::Annulled
        } else {
            recent.entry(key(&game)).or_default().push_back((at.finished, game.short));
            abuse::judge(game.pool, pair, game.short)
        };
        let played = all.play(rules, at, &game, verdict);
        all.games.insert(at.game, (at, game, played));
    }
    all
}

fn key(game: &Facts) -> (Pool, PlayerId, PlayerId) {
    (game.pool, game.black.min(game.white), game.black.max(game.white))
}

/// What the pair played within a day before.
fn pair(recent: &mut Recent, at: Position, game: &Facts) -> Pair {
    let games = recent.entry(key(game)).or_default();
    while games.front().is_some_and(|(finished, _)| *finished + WINDOW <= at.finished) {
        games.pop_front();
    }
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    Pair { games: count(games.len()), short: count(games.iter().filter(|game| game.1).count()) }
}

impl Replay {
    fn play(&mut self, rules: Rules, at: Position, game: &Facts, verdict: Verdict) -> Played {
        let newcomer = Stand {
            standing: rules.newcomer(),
            reached: Timestamp::default(),
            played: Timestamp::default(),
            last: at,
        };
        let of = |id: PlayerId| self.players.get(&(game.pool, id)).copied().unwrap_or(newcomer);
        let (mut black, mut white) = (of(game.black), of(game.white));
        let before = (black.standing, white.standing);
        let mut change = Change { k: 0, black_gain: 0 };
        if verdict.counts() {
            change = rules.rate(before.0, before.1, game.outcome);
            for (stand, gain) in [(&mut black, change.black_gain), (&mut white, -change.black_gain)] {
                if gain != 0 || stand.standing.games == 0 {
                    stand.reached = at.finished;
                }
                stand.standing = stand.standing.after(gain);
                stand.played = at.finished;
            }
        }
        (black.last, white.last) = (at, at);
        self.players.insert((game.pool, game.black), black);
        self.players.insert((game.pool, game.white), white);
        Played { verdict, change, before, after: (black.standing, white.standing) }
    }
}
