//! Comparing a replay with the store, line by line.

use std::collections::{BTreeMap, HashMap, HashSet};

use kernel::{GameId, PlayerId};
use platform::{
    convert::{from_millis as moment, to_millis},
    db::Db,
    on,
};
use uuid::Uuid;

use super::{
    Report,
    replay::{Facts, Played, Replay, replay},
};
use crate::{
    abuse::Verdict,
    elo::{Outcome, Rules},
    notice::RatedGame,
    pool::Pool,
    store::{Position, Store},
};

const GAMES: &str = "\
    SELECT game_id, pool, finished_at, black_id, white_id, winner, short, verdict, k, black_before, white_before, black_gain \
    FROM rated_games";
const HISTORY: &str = "\
    SELECT player_id, pool, finished_at, game_id, opponent_id, color, score, verdict, number, before_micros, after_micros, \
    opponent_micros, short FROM rating_history";
const PLAYERS: &str = "\
    SELECT player_id, pool, micros, games, reached_at, played_at, last_at, last_game FROM player_ratings";
const ANNULLED: &str = "SELECT game_id FROM rating_annulments";

/// Player, pool, rating, games, since when, played when, the last game's end and id.
type PlayerRow = (Uuid, i16, i64, i64, i64, i64, i64, Uuid);

#[derive(sqlx::FromRow)]
struct GameRow {
    game_id: Uuid,
    pool: i16,
    finished_at: i64,
    black_id: Uuid,
    white_id: Uuid,
    winner: i16,
    short: bool,
    verdict: i16,
    k: i16,
    black_before: i64,
    white_before: i64,
    black_gain: i64,
}

impl GameRow {
    /// What the store says of the game itself.
    fn facts(&self) -> Option<Facts> {
        let outcome = match self.winner {
            1 => Outcome::Black,
            2 => Outcome::White,
            _ => Outcome::Draw,
        };
        Some(Facts {
            pool: Pool::from_number(self.pool)?,
            black: PlayerId::from_uuid(self.black_id),
            white: PlayerId::from_uuid(self.white_id),
            outcome,
            short: self.short,
        })
    }
}

#[derive(sqlx::FromRow)]
struct PointRow {
    player_id: Uuid,
    pool: i16,
    finished_at: i64,
    game_id: Uuid,
    opponent_id: Uuid,
    color: i16,
    score: i16,
    verdict: i16,
    number: i64,
    before_micros: i64,
    after_micros: i64,
    opponent_micros: i64,
    short: bool,
}

/// Compares games, histories, players, and the leaderboards' counts.
pub(super) async fn compare(
    db: &Db,
    rules: Rules,
    archived: BTreeMap<Position, RatedGame>,
    report: &mut Report,
) -> Result<(), sqlx::Error> {
    let annulled: Vec<Uuid> = on!(db, |db| sqlx::query_scalar(ANNULLED).fetch_all(db).await?);
    let annulled: HashSet<_> = annulled.into_iter().map(GameId::from_uuid).collect();
    let stored: Vec<GameRow> = on!(db, |db| sqlx::query_as(GAMES).fetch_all(db).await?);
    let stored: HashMap<_, _> = stored.into_iter().map(|row| (GameId::from_uuid(row.game_id), row)).collect();
    let mut games: BTreeMap<_, _> = archived.into_iter().map(|(at, game)| (at, facts(&game))).collect();
    let known: HashSet<_> = games.keys().map(|at| at.game).collect();
    for (id, row) in &stored {
        if known.contains(id) {
            continue;
        }
        report.differ(
            format_args!("game {id}"),
            "counted",
            "not in the archive, or not agreed to count there",
        );
        // What followed from it is not reported again.
        if let Some(facts) = row.facts() {
            games.insert(Position { finished: moment(row.finished_at), game: *id }, facts);
        }
    }
    let replay = replay(rules, games, &annulled);
    report.counted = replay.games.values().filter(|game| game.2.verdict.counts()).count() as u64;
    report.players = replay.players.len() as u64;
    compare_games(&replay, &stored, report);
    compare_history(db, &replay, report).await?;
    compare_players(db, rules, &replay, report).await?;
    compare_counts(db, rules, report).await
}

fn facts(game: &RatedGame) -> Facts {
    Facts {
        pool: game.pool,
        black: game.black.id,
        white: game.white.id,
        outcome: game.outcome,
        short: game.is_short(),
    }
}

fn compare_games(replay: &Replay, stored: &HashMap<GameId, GameRow>, report: &mut Report) {
    for (id, (at, game, played)) in &replay.games {
        let about = format!("game {id}");
        let Some(row) = stored.get(id) else {
            report.differ(about, "not counted, or not yet", format_args!("{:?}", played.verdict));
            continue;
        };
        let seats = (row.pool, row.black_id, row.white_id, row.short);
        let replayed = (game.pool.number(), game.black.as_uuid(), game.white.as_uuid(), game.short);
        report.compare(format_args!("{about}, pool, players, short"), &seats, &replayed);
        report.compare(format_args!("{about}, end"), &moment(row.finished_at), &at.finished);
        report.compare(
            format_args!("{about}, outcome"),
            &row.facts().map(|facts| facts.outcome),
            &Some(game.outcome),
        );
        report.compare(
            format_args!("{about}, verdict"),
            &Verdict::from_number(row.verdict),
            &Some(played.verdict),
        );
        let worth = (row.k, row.black_before, row.white_before, row.black_gain);
        let (black, white) = (played.before.0.rating.micros(), played.before.1.rating.micros());
        let replayed = (played.change.k, black, white, played.change.black_gain);
        report.compare(format_args!("{about}, K, ratings before, gain"), &worth, &replayed);
    }
}

async fn compare_history(db: &Db, replay: &Replay, report: &mut Report) -> Result<(), sqlx::Error> {
    let rows: Vec<PointRow> = on!(db, |db| sqlx::query_as(HISTORY).fetch_all(db).await?);
    let mut found: HashSet<(GameId, Uuid)> = HashSet::new();
    for row in rows {
        let id = GameId::from_uuid(row.game_id);
        let about = format!("game {id} in the history of player {}", row.player_id);
        let Some((at, game, played)) = replay.games.get(&id) else {
            report.differ(about, "there", "no such game");
            continue;
        };
        found.insert((id, row.player_id));
        let replayed = point(at, game, played, row.player_id == game.black.as_uuid());
        let key =
            (row.player_id, row.pool, row.finished_at, row.opponent_id, row.color, row.score, row.short);
        let worth = (row.verdict, row.number, row.before_micros, row.after_micros, row.opponent_micros);
        report.compare(about, &(key, worth), &replayed);
    }
    for (id, (_, game, _)) in &replay.games {
        for player in [game.black, game.white] {
            if !found.contains(&(*id, player.as_uuid())) {
                report.differ(
                    format_args!("game {id} in the history of player {player}"),
                    "missing",
                    "there",
                );
            }
        }
    }
    Ok(())
}

type Key = (Uuid, i16, i64, Uuid, i16, i16, bool);
type Worth = (i16, i64, i64, i64, i64);

/// What a history row must be.
fn point(at: &Position, game: &Facts, played: &Played, is_black: bool) -> (Key, Worth) {
    let halves = match (game.outcome, is_black) {
        (Outcome::Draw, _) => 1,
        (Outcome::Black, true) | (Outcome::White, false) => 2,
        _ => 0,
    };
    let (own, other, color) =
        if is_black { (game.black, game.white, 1) } else { (game.white, game.black, 2) };
    let pick = |(black, white)| if is_black { (black, white) } else { (white, black) };
    let ((before, opponent), (after, _)) = (pick(played.before), pick(played.after));
    let finished = to_millis(at.finished);
    let key = (own.as_uuid(), game.pool.number(), finished, other.as_uuid(), color, halves, game.short);
    let worth = (
        played.verdict.number(),
        i64::from(after.games),
        before.rating.micros(),
        after.rating.micros(),
        opponent.rating.micros(),
    );
    (key, worth)
}

async fn compare_players(
    db: &Db,
    rules: Rules,
    replay: &Replay,
    report: &mut Report,
) -> Result<(), sqlx::Error> {
    let rows: Vec<PlayerRow> = on!(db, |db| sqlx::query_as(PLAYERS).fetch_all(db).await?);
    let mut found = HashSet::new();
    let mut sums: BTreeMap<i16, (i64, i64)> = BTreeMap::new();
    for (player, number, micros, games, reached, played, last_at, last_game) in rows {
        let sum = sums.entry(number).or_default();
        *sum = (sum.0 + micros, sum.1 + rules.newcomer().rating.micros());
        let about = format!("player {player} in pool {number}");
        let stand = Pool::from_number(number)
            .and_then(|pool| replay.players.get(&(pool, PlayerId::from_uuid(player))));
        let Some(stand) = stand else {
            report.differ(about, "there", "no games");
            continue;
        };
        found.insert((number, player));
        let stored = (micros, games, moment(reached), moment(played));
        let standing = (stand.standing.rating.micros(), i64::from(stand.standing.games));
        report.compare(&about, &stored, &(standing.0, standing.1, stand.reached, stand.played));
        report.compare(format_args!("{about}, last game"), &Position::new(last_at, last_game), &stand.last);
    }
    for (pool, player) in replay.players.keys() {
        if !found.contains(&(pool.number(), player.as_uuid())) {
            report.differ(format_args!("player {player} in pool {}", pool.number()), "missing", "there");
        }
    }
    for (pool, (stored, expected)) in sums {
        report.compare(format_args!("the sum of all ratings of pool {pool}"), &stored, &expected);
    }
    Ok(())
}

async fn compare_counts(db: &Db, rules: Rules, report: &mut Report) -> Result<(), sqlx::Error> {
    let store = Store::new(db.clone(), rules);
    let stored = store.census().await?;
    report.compare("the leaderboards' counts", &stored, &store.census_of_players().await?);
    Ok(())
}
