//! The store's promises, on SQLite and on Postgres alike.

use std::collections::{BTreeMap, HashMap};

use futures::{StreamExt, stream};
use kernel::PlayerId;
use rand::{SeedableRng, rngs::SmallRng, seq::SliceRandom};
use rating::{
    elo::{self, Outcome, Rating, Standing},
    leaders::Board,
    notice::RatedGame,
    store::{Counted, GameRating, Store},
};

use crate::world::{Step, game, games, histories, moment, player, pool, stores};

/// Replays games one after another, in an order in which both players' numbers agree: what the ratings must be.
fn replay(games: &[RatedGame], histories: &BTreeMap<PlayerId, Vec<Step>>) -> HashMap<PlayerId, Standing> {
    let by_id: HashMap<_, _> = games.iter().map(|game| (game.id, game)).collect();
    let mut standings: HashMap<PlayerId, Standing> = HashMap::new();
    let mut counted = 0;
    loop {
        let before = counted;
        for (id, steps) in histories {
            let done = standings.get(id).map_or(0, |standing| standing.games) as usize;
            let Some(game) = steps.get(done).map(|step| by_id[&step.game]) else { continue };
            let other = if game.black.id == *id { game.white.id } else { game.black.id };
            let other_done = standings.get(&other).map_or(0, |standing| standing.games) as usize;
            if histories[&other].get(other_done).is_none_or(|step| step.game != game.id) {
                continue;
            }
            let of = |id| standings.get(&id).copied().unwrap_or(Standing::NEW);
            let (black, white) = (of(game.black.id), of(game.white.id));
            let gain = elo::rate(black, white, game.outcome).black_gain;
            let after = [(game.black.id, black.after(gain)), (game.white.id, white.after(-gain))];
            for (id, standing) in after {
                assert_eq!(histories[&id][standing.games as usize - 1].after, standing.rating.micros());
                standings.insert(id, standing);
            }
            counted += 1;
        }
        if counted == before {
            assert_eq!(counted, games.len(), "the histories contradict each other, or a game is missing");
            return standings;
        }
    }
}

/// A game that is delivered to eight replicas at the same moment counts once: one of them is told so, and both players move by half a K.
#[tokio::test(flavor = "multi_thread")]
async fn eight_deliveries_of_one_game_count_once() {
    for (name, db, _home) in stores().await {
        for round in 0..20 {
            let (black, white) = (2 * round, 2 * round + 1);
            let one = game(&format!("round {round}"), black, white, Outcome::Black);
            let results: Vec<_> = stream::iter(0..8)
                .map(|_| (Store::new(db.clone()), one.clone()))
                .map(|(store, game)| tokio::spawn(async move { store.count(&game, moment(1)).await }))
                .buffer_unordered(8)
                .map(|result| result.unwrap().unwrap())
                .collect()
                .await;
            let now = results.iter().filter(|counted| matches!(counted, Counted::Now(_))).count();
            assert_eq!((now, results.len()), (1, 8), "{name}");
            let store = Store::new(db.clone());
            let standings = store.standings(pool(9), &[player(black), player(white)]).await.unwrap();
            let points = standings.iter().map(|standing| (standing.rating.points(), standing.games));
            assert_eq!(points.collect::<Vec<_>>(), [(1_220, 1), (1_180, 1)], "{name}");
            let counted = store.game(one.id).await.unwrap().unwrap();
            let expected = GameRating {
                pool: pool(9),
                black: (player(black), Rating::INITIAL),
                white: (player(white), Rating::INITIAL),
                black_gain: 20_000_000,
                rated: moment(1),
            };
            assert_eq!(counted, expected);
        }
    }
}

/// Many games of few players, each delivered three times, all shuffled, by sixteen workers at once: what comes out is what a replay of
/// the games, one by one in the order that the histories state, gives; no number is skipped or doubled, and the sum has not moved.
#[tokio::test(flavor = "multi_thread")]
async fn interleaved_games_equal_a_sequential_replay() {
    const PLAYERS: u32 = 12;
    for (name, db, _home) in stores().await {
        let games = games(240, PLAYERS, 7);
        let mut deliveries: Vec<_> = games.iter().cycle().take(3 * games.len()).cloned().collect();
        deliveries.shuffle(&mut SmallRng::seed_from_u64(11));
        let counted: Vec<_> = stream::iter(deliveries)
            .map(|game| (Store::new(db.clone()), game))
            .map(|(store, game)| tokio::spawn(async move { store.count(&game, moment(5)).await }))
            .buffer_unordered(16)
            .map(|result| result.unwrap().unwrap())
            .collect()
            .await;
        let now = counted.iter().filter(|counted| matches!(counted, Counted::Now(_))).count();
        assert_eq!(now, games.len(), "{name}");
        let expected = replay(&games, &histories(&db).await);
        let everybody: Vec<_> = (0..PLAYERS).map(player).collect();
        let found = Store::new(db).standings(pool(9), &everybody).await.unwrap();
        for (id, standing) in everybody.iter().zip(&found) {
            assert_eq!(Some(standing), expected.get(id), "{name}");
        }
        let sum: i64 = found.iter().map(|standing| standing.rating.micros()).sum();
        assert_eq!(sum, i64::from(PLAYERS) * Rating::INITIAL.micros(), "{name}");
    }
}

/// Two players with many games between them, half of them with the seats swapped, all counted at once: every one counts, no transaction is
/// the victim of a deadlock.
#[tokio::test(flavor = "multi_thread")]
async fn swapped_seats_do_not_deadlock() {
    for (name, db, _home) in stores().await {
        let swap = |n: u32| if n.is_multiple_of(2) { (1, 2) } else { (2, 1) };
        let results: Vec<_> = stream::iter(0..200)
            .map(|n| (Store::new(db.clone()), game(&n.to_string(), swap(n).0, swap(n).1, Outcome::Black)))
            .map(|(store, game)| tokio::spawn(async move { store.count(&game, moment(9)).await }))
            .buffer_unordered(32)
            .map(|result| result.unwrap())
            .collect()
            .await;
        for result in results {
            assert!(matches!(result, Ok(Counted::Now(_))), "{name}: {result:?}");
        }
        let standings = Store::new(db).standings(pool(9), &[player(1), player(2)]).await.unwrap();
        assert_eq!(standings.iter().map(|standing| standing.games).collect::<Vec<_>>(), [200, 200], "{name}");
        assert_eq!(standings.iter().map(|standing| standing.rating.micros()).sum::<i64>(), 2_400_000_000);
    }
}

/// A store that refuses half-way leaves nothing behind: a game whose history row cannot be written has not counted, and counts later.
#[tokio::test]
async fn a_game_counts_whole_or_not_at_all() {
    const BLOCK: &str = "INSERT INTO rating_history (player_id, board_size, number, game_id, after_micros, rated_at) \
        SELECT $1, 9, 2, game_id, 0, 0 FROM rated_games";
    const UNBLOCK: &str = "DELETE FROM rating_history WHERE number = 2";
    for (name, db, _home) in stores().await {
        let store = Store::new(db.clone());
        store.count(&game("first", 1, 2, Outcome::Black), moment(1)).await.unwrap();
        let block = player(2).as_uuid();
        platform::on!(&db, |pool| sqlx::query(BLOCK).bind(block).execute(pool).await.map(drop).unwrap());
        let second = game("second", 3, 2, Outcome::Draw);
        store.count(&second, moment(2)).await.unwrap_err();
        assert_eq!(store.game(second.id).await.unwrap(), None, "{name}");
        let board = Board { pool: pool(9), provisional: true };
        let page = store.leaders(board, None, 10).await.unwrap();
        assert_eq!(
            page.leaders.iter().map(|leader| leader.standing.games).collect::<Vec<_>>(),
            [1, 1],
            "{name}"
        );
        platform::on!(&db, |pool| sqlx::query(UNBLOCK).execute(pool).await.map(drop).unwrap());
        assert!(matches!(store.count(&second, moment(3)).await, Ok(Counted::Now(_))), "{name}");
        assert_eq!(store.game(second.id).await.unwrap().unwrap().rated, moment(3), "{name}");
    }
}

/// Pools are separate; a player is known by the name of the last rated game; who has not played stands at the start, and a look-up
/// of any length answers in the order asked for.
#[tokio::test]
async fn look_ups_answer_in_order_and_by_pool() {
    for (name, db, _home) in stores().await {
        let store = Store::new(db);
        store.count(&game("one", 1, 2, Outcome::White), moment(1)).await.unwrap();
        let mut renamed = game("two", 1, 3, Outcome::Draw);
        renamed.black.name = "新".to_owned();
        store.count(&renamed, moment(2)).await.unwrap();
        for many in [0, 1, 2, 3, 11, 101, 1_000] {
            let ids: Vec<_> = (0..many).map(|n| player([2, 7, 1][n % 3])).collect();
            let found = store.standings(pool(9), &ids).await.unwrap();
            let games: Vec<_> = found.iter().map(|standing| standing.games).collect();
            assert_eq!(games, (0..many).map(|n| [1, 0, 2][n % 3]).collect::<Vec<_>>(), "{name}");
        }
        assert_eq!(store.standings(pool(19), &[player(1)]).await.unwrap(), [Standing::NEW], "{name}");
        let page = store.leaders(Board { pool: pool(9), provisional: true }, None, 10).await.unwrap();
        let names: Vec<_> = page.leaders.iter().map(|leader| leader.name.as_str()).collect();
        assert_eq!(names, ["P2", "P3", "新"], "{name}");
    }
}

/// The leaderboard, walked a page at a time with pages of each size, shows everybody once, in order, with ranks that go on; of equals who
/// got there first is ahead, and a rating that a draw of equals left alone keeps its place.
#[tokio::test]
async fn pages_walk_everybody_once_in_order() {
    for (name, db, _home) in stores().await {
        let store = Store::new(db);
        // Pairs that meet once: many stand at exactly 1,220, 1,200 and 1,180.
        for pair in 0..30 {
            let outcome = [Outcome::Black, Outcome::Draw, Outcome::White][pair as usize % 3];
            let one = game(&format!("pair {pair}"), 2 * pair, 2 * pair + 1, outcome);
            store.count(&one, moment(100 - u64::from(pair))).await.unwrap();
        }
        for n in 0..10 {
            store.count(&game(&format!("more {n}"), 100, 101, Outcome::Draw), moment(200 + n)).await.unwrap();
        }
        for (provisional, players) in [(true, 62), (false, 2)] {
            let board = Board { pool: pool(9), provisional };
            for limit in [1, 7, 30, 62, 100] {
                let (mut all, mut after) = (Vec::new(), None);
                loop {
                    let page = store.leaders(board, after, limit).await.unwrap();
                    assert!(!page.leaders.is_empty() && page.leaders.len() <= limit.into(), "{name}");
                    all.extend(page.leaders);
                    after = all.last().map(|leader| leader.place);
                    if !page.more {
                        break;
                    }
                }
                let ranks: Vec<_> = all.iter().map(|leader| leader.rank).collect();
                assert_eq!(ranks, (1..=players).collect::<Vec<_>>(), "{name} {limit}");
                let key =
                    |place: rating::leaders::Place| (-place.rating.micros(), place.reached, place.player);
                assert!(all.is_sorted_by(|a, b| key(a.place) < key(b.place)), "{name} {limit}");
                assert!(
                    provisional || all.iter().all(|leader| leader.place.reached == moment(200)),
                    "{name}"
                );
            }
        }
    }
}
