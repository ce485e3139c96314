//! The store's promises, on SQLite and on Postgres alike.

use futures::{FutureExt, StreamExt, stream};
use rand::{SeedableRng, rngs::SmallRng, seq::SliceRandom};
use rating::{
    abuse::{PAIR_GAMES, PAIR_SHORT_GAMES, Verdict},
    elo::{Outcome, Rating, Rules},
    notice::RatedGame,
    store::{Counted, GameRating, Position, Store},
};

use crate::world::{contents, count, game, games, moment, player, pool, ratings, stores};

/// Time between games that keeps pairs below their limits.
const HOURS: u64 = 2 * 3_600_000;

/// A game that is delivered to eight replicas at the same moment counts once: one of them is told so, and both players move by half a K.
#[tokio::test(flavor = "multi_thread")]
async fn eight_deliveries_of_one_game_count_once() {
    for (name, db, _home) in stores().await {
        for round in 0..20 {
            let (black, white) = (2 * round, 2 * round + 1);
            let one = game(&format!("round {round}"), black, white, Outcome::Black);
            let results: Vec<_> = stream::iter(0..8)
                .map(|_| (ratings(&db), one.clone()))
                .map(|(store, game)| tokio::spawn(async move { count(&store, &game, 1).await }))
                .buffer_unordered(8)
                .map(|result| result.unwrap().unwrap())
                .collect()
                .await;
            let now = results.iter().filter(|counted| matches!(counted, Counted::Now(_))).count();
            assert_eq!((now, results.len()), (1, 8), "{name}");
            let store = ratings(&db);
            let standings = store.standings(pool(9), &[player(black), player(white)]).await.unwrap();
            let points = standings.iter().map(|standing| (standing.rating.points(), standing.games));
            assert_eq!(points.collect::<Vec<_>>(), [(1_220, 1), (1_180, 1)], "{name}");
            let counted = store.game(one.id).await.unwrap().unwrap();
            let initial = Rules::USUAL.newcomer().rating;
            let expected = GameRating {
                pool: pool(9),
                black: (player(black), initial),
                white: (player(white), initial),
                black_gain: 20_000_000,
                verdict: Verdict::Counted,
                finished: moment(1),
                rated: moment(8),
                outcome: Outcome::Black,
                short: false,
            };
            assert_eq!(counted, expected);
        }
    }
}

/// Deliveries of games, each as often as said, in an order that the seed says.
fn shuffled(games: &[RatedGame], times: usize, seed: u64) -> Vec<(usize, RatedGame)> {
    let all = games.iter().cloned().enumerate();
    let mut all: Vec<_> = all.cycle().take(times * games.len()).collect();
    all.shuffle(&mut SmallRng::seed_from_u64(seed));
    all
}

/// The deliveries in handfuls of one to twenty, as they come when few or many wait.
fn handfuls(deliveries: Vec<(usize, RatedGame)>) -> Vec<Vec<(usize, RatedGame)>> {
    let mut deliveries = deliveries.into_iter();
    let sizes = [1, 2, 20, 7].into_iter().cycle();
    sizes
        .map(|size| deliveries.by_ref().take(size).collect::<Vec<_>>())
        .take_while(|handful| !handful.is_empty())
        .collect()
}

/// Many games of few players, each delivered three times, all shuffled, counted in handfuls by eight workers of two replicas at once: every row that comes out, of
/// ratings, games, histories and leaderboards, is the one that comes out when the games are counted once, one by one, as they finished. The
/// sum has not moved.
#[tokio::test(flavor = "multi_thread")]
async fn any_order_comes_out_the_same() {
    const PLAYERS: u32 = 12;
    let games = games(60, PLAYERS, 7);
    let finished = |n: usize| n as u64 * HOURS;
    for ((name, db, _home), (_, quiet, _quiet)) in stores().await.into_iter().zip(stores().await) {
        for (n, game) in games.iter().enumerate() {
            count(&ratings(&quiet), game, finished(n)).await.unwrap();
        }
        let replicas = [ratings(&db), ratings(&db)];
        let counted: Vec<_> = stream::iter(handfuls(shuffled(&games, 3, 11)).into_iter().enumerate())
            .map(|(delivery, handful)| (replicas[delivery % 2].clone(), handful))
            .map(|(store, handful)| {
                let due: Vec<_> = handful.into_iter().map(|(n, game)| (game, moment(finished(n)))).collect();
                tokio::spawn(async move { store.count_all(&due, moment(0)).await })
            })
            .buffer_unordered(8)
            .flat_map(|results| stream::iter(results.unwrap()))
            .map(|result| result.unwrap())
            .collect()
            .await;
        let now = counted.iter().filter(|counted| matches!(counted, Counted::Now(_))).count();
        assert_eq!(now, games.len(), "{name}");
        for (table, rows) in contents(&quiet).await {
            assert_eq!(contents(&db).await[&table], rows, "{name} {table}");
        }
        let everybody: Vec<_> = (0..PLAYERS).map(player).collect();
        let found = ratings(&db).standings(pool(9), &everybody).await.unwrap();
        let sum: i64 = found.iter().map(|standing| standing.rating.micros()).sum();
        assert_eq!(sum, i64::from(PLAYERS) * Rules::USUAL.newcomer().rating.micros(), "{name}");
    }
}

/// A game that the store will not have (Postgres knows no text with a zero in it) fails alone: those that wait with it count, whether or not they share a player with it.
#[tokio::test]
async fn a_game_that_fails_stops_no_other() {
    for (name, db, _home) in stores().await {
        let mut bad = game("bad", 3, 4, Outcome::Black);
        bad.white.name = "\0".to_owned();
        let due = [bad, game("shares", 3, 5, Outcome::White), game("apart", 1, 2, Outcome::Black)];
        let fails = name == "Postgres";
        for due in [&due[..2], &due] {
            let due: Vec<_> = due.iter().cloned().zip((0..).map(moment)).collect();
            let answers = ratings(&db).count_all(&due, moment(9)).await;
            let failed: Vec<_> = answers.iter().map(|answer| answer.is_err()).collect();
            assert_eq!(failed[0], fails, "{name}");
            assert!(!failed[1..].contains(&true), "{name} {failed:?}");
        }
    }
}

/// Polls a future so many times, at most, and then drops it. Whether it has come to its end.
async fn cut_off<F: Future>(future: F, polls: u32) -> Option<F::Output> {
    let (mut future, mut left) = (Box::pin(future), polls);
    std::future::poll_fn(move |context| {
        if left == 0 {
            return std::task::Poll::Ready(None);
        }
        left -= 1;
        future.poll_unpin(context).map(Some)
    })
    .await
}

/// Counting that is cut off after its first step, its second, and so on to its last, and then done again, counts once; also for a game that comes
/// late and moves others. The rows that come out are those of the same games counted without any cut.
#[tokio::test]
async fn a_cut_at_any_point_changes_nothing() {
    for ((name, db, _home), (_, quiet, _quiet)) in stores().await.into_iter().zip(stores().await) {
        let (store, quiet_store) = (ratings(&db), ratings(&quiet));
        for late in [false, true] {
            // A fast server may have answered by the first poll of all: then the next one is cut.
            let (mut polls, mut cuts) = (1, 0);
            loop {
                let at = u64::from(polls) * HOURS + if late { 1_000 } else { 2_000_000_000 };
                let one = game(&format!("{late} {polls}"), polls % 5, 5 + polls % 3, Outcome::White);
                let done = cut_off(count(&store, &one, at), polls).await;
                count(&store, &one, at).await.unwrap();
                count(&quiet_store, &one, at).await.unwrap();
                if done.is_none() {
                    cuts += 1;
                } else if cuts > 0 || polls > 400 {
                    break;
                }
                polls += 1;
            }
            assert!(cuts > 0, "{name}: there is nothing to cut");
        }
        assert_eq!(contents(&db).await, contents(&quiet).await, "{name}");
    }
}

/// Two players with many games between them, half of them with the seats swapped, all counted at once: no transaction is the victim of a
/// deadlock, and those that count are as many as a pair may have.
#[tokio::test(flavor = "multi_thread")]
async fn swapped_seats_do_not_deadlock() {
    for (name, db, _home) in stores().await {
        let swap = |n: u32| if n.is_multiple_of(2) { (1, 2) } else { (2, 1) };
        let results: Vec<_> = stream::iter(0..60)
            .map(|n| (ratings(&db), game(&n.to_string(), swap(n).0, swap(n).1, Outcome::Black), u64::from(n)))
            .map(|(store, game, n)| tokio::spawn(async move { count(&store, &game, n).await }))
            .buffer_unordered(16)
            .map(|result| result.unwrap())
            .collect()
            .await;
        for result in results {
            assert!(matches!(result, Ok(Counted::Now(_))), "{name}: {result:?}");
        }
        let standings = ratings(&db).standings(pool(9), &[player(1), player(2)]).await.unwrap();
        let limit = u32::try_from(PAIR_GAMES).unwrap();
        assert_eq!(standings.iter().map(|standing| standing.games).collect::<Vec<_>>(), [limit; 2], "{name}");
        assert_eq!(standings.iter().map(|standing| standing.rating.micros()).sum::<i64>(), 2_400_000_000);
    }
}

/// A store that refuses half-way leaves nothing behind: a game whose history row cannot be written has not counted, and counts later.
#[tokio::test]
async fn a_game_counts_whole_or_not_at_all() {
    const BLOCK: &str = "INSERT INTO rating_history (player_id, pool, finished_at, game_id, opponent_id, color, score, short, verdict, \
        number, before_micros, after_micros, opponent_micros) VALUES ($1, 9, $2, $3, $1, 1, 0, FALSE, 0, 1, 0, 0, 0)";
    const UNBLOCK: &str = "DELETE FROM rating_history WHERE opponent_id = player_id";
    for (name, db, _home) in stores().await {
        let store = ratings(&db);
        count(&store, &game("first", 1, 2, Outcome::Black), 1).await.unwrap();
        let before = contents(&db).await;
        let second = game("second", 3, 2, Outcome::Draw);
        let at = i64::try_from(moment(2).as_millis()).unwrap();
        platform::on!(&db, |pool| {
            let block = sqlx::query(BLOCK).bind(player(2).as_uuid()).bind(at).bind(second.id.as_uuid());
            block.execute(pool).await.map(drop).unwrap();
        });
        count(&store, &second, 2).await.unwrap_err();
        assert_eq!(store.game(second.id).await.unwrap(), None, "{name}");
        platform::on!(&db, |pool| sqlx::query(UNBLOCK).execute(pool).await.map(drop).unwrap());
        assert_eq!(contents(&db).await, before, "{name}");
        assert!(matches!(count(&store, &second, 2).await, Ok(Counted::Now(_))), "{name}");
    }
}

/// Pools are separate, those of programs too; a player is known by the name of the last rated game; who has not played stands at the start, and a
/// look-up of any length answers in the order asked for.
#[tokio::test]
async fn look_ups_answer_in_order_and_by_pool() {
    for (name, db, _home) in stores().await {
        let store = ratings(&db);
        count(&store, &game("one", 1, 2, Outcome::White), 1).await.unwrap();
        let mut renamed = game("two", 1, 3, Outcome::Draw);
        renamed.black.name = "新".to_owned();
        count(&store, &renamed, 2).await.unwrap();
        let mut bots = game("three", 1, 2, Outcome::White);
        bots.pool = bots.pool.of_bots();
        count(&store, &bots, 3).await.unwrap();
        for many in [0, 1, 2, 3, 11, 101, 1_000] {
            let ids: Vec<_> = (0..many).map(|n| player([2, 7, 1][n % 3])).collect();
            let found = store.standings(pool(9), &ids).await.unwrap();
            let games: Vec<_> = found.iter().map(|standing| standing.games).collect();
            assert_eq!(games, (0..many).map(|n| [1, 0, 2][n % 3]).collect::<Vec<_>>(), "{name}");
        }
        let newcomer = Rules::USUAL.newcomer();
        assert_eq!(store.standings(pool(19), &[player(1)]).await.unwrap(), [newcomer], "{name}");
        let bots = store.standings(pool(9).of_bots(), &[player(1)]).await.unwrap();
        assert_eq!(bots.iter().map(|one| one.rating.points()).collect::<Vec<_>>(), [1_180], "{name}");
        let pools = store.everywhere(player(1)).await.unwrap();
        let pools: Vec<_> = pools.iter().map(|one| (one.pool, one.standing.games)).collect();
        assert_eq!(pools, [(pool(9), 2), (pool(9).of_bots(), 1)], "{name}");
    }
}

/// Games of a pair beyond its limit, and short ones beyond theirs, are marked as such and move nobody; one that comes late pushes another one over the
/// limit, as if it had come in time. Operators are shown neither by counting alone.
#[tokio::test]
async fn games_of_a_pair_beyond_the_limit_move_nobody() {
    for (name, db, _home) in stores().await {
        let store = ratings(&db);
        let verdicts = |outcome: Counted| match outcome {
            Counted::Now(effect) => effect.verdict,
            Counted::Before => panic!("counted before"),
        };
        let mut last = None;
        for n in 0..u64::try_from(PAIR_GAMES).unwrap() {
            let one = game(&format!("pair {n}"), 1, 2, Outcome::Draw);
            assert_eq!(verdicts(count(&store, &one, 10 + n).await.unwrap()), Verdict::Counted, "{name} {n}");
            last = Some(one.id);
        }
        let one = game("too many", 2, 1, Outcome::Black);
        assert_eq!(verdicts(count(&store, &one, 100).await.unwrap()), Verdict::PairGames, "{name}");
        let late = game("late", 1, 2, Outcome::Black);
        assert_eq!(verdicts(count(&store, &late, 1).await.unwrap()), Verdict::Counted, "{name}");
        let pushed = store.game(last.unwrap()).await.unwrap().unwrap();
        assert_eq!((pushed.verdict, pushed.black_gain), (Verdict::PairGames, 0), "{name}");
        let next_day = game("next day", 1, 2, Outcome::Draw);
        assert_eq!(
            verdicts(count(&store, &next_day, 86_400_000 + 50).await.unwrap()),
            Verdict::Counted,
            "{name}"
        );

        for n in 0..=PAIR_SHORT_GAMES {
            let mut short = game(&format!("short {n}"), 3, 4, Outcome::Black);
            short.sequence = 8;
            let expected = if n < PAIR_SHORT_GAMES { Verdict::Counted } else { Verdict::ShortGames };
            let counted = count(&store, &short, 10 + n.unsigned_abs()).await.unwrap();
            assert_eq!(verdicts(counted), expected, "{name} {n}");
        }
        let standings = store.standings(pool(9), &[player(3), player(4)]).await.unwrap();
        assert_eq!(standings.iter().map(|one| one.games).collect::<Vec<_>>(), [3, 3], "{name}");
        assert_eq!(store.flags(None, 10).await.unwrap(), [], "{name}");
    }
}

/// A game that is annulled is as if it had never been played, in whatever order games and annulments come: ratings, later games, histories and
/// leaderboards come out as without it. The trail says who, why, and whom it moved; a second time changes nothing.
#[tokio::test]
async fn an_annulled_game_is_as_if_it_had_not_been() {
    let games = games(40, 8, 3);
    for ((name, db, _home), (_, quiet, _quiet)) in stores().await.into_iter().zip(stores().await) {
        let (store, without) = (ratings(&db), ratings(&quiet));
        for (n, game) in games.iter().enumerate() {
            count(&store, game, n as u64 * HOURS).await.unwrap();
            if n != 5 && n != 20 {
                count(&without, game, n as u64 * HOURS).await.unwrap();
            }
        }
        let before = store.standings(pool(9), &(0..8).map(player).collect::<Vec<_>>()).await.unwrap();
        for n in [20, 5] {
            let done = store.annul(games[n].id, "operator", "a bug", moment(99)).await.unwrap().unwrap();
            let rating::store::Annulled::Now(trail) = done else { panic!("not annulled") };
            assert_eq!((trail.reason.as_str(), trail.annulled), ("a bug", moment(99)));
            let sum: i64 = trail.corrections.iter().map(|one| one.after - one.before).sum();
            assert_eq!(sum, 0, "{name}");
            let again = store.annul(games[n].id, "other", "why not", moment(100)).await.unwrap().unwrap();
            assert_eq!(again, rating::store::Annulled::Before(trail), "{name}");
        }
        assert!(
            store.annul(game("never", 1, 2, Outcome::Draw).id, "o", "r", moment(1)).await.unwrap().is_none()
        );
        let after = store.standings(pool(9), &(0..8).map(player).collect::<Vec<_>>()).await.unwrap();
        let expected = without.standings(pool(9), &(0..8).map(player).collect::<Vec<_>>()).await.unwrap();
        assert_eq!(after, expected, "{name}");
        assert_ne!(after, before, "{name}");
        assert_eq!(store.census().await.unwrap(), without.census().await.unwrap(), "{name}");
        for n in 0..8 {
            let counted = |points: Vec<rating::store::Point>| -> Vec<_> {
                let counted = points.into_iter().filter(|point| point.verdict == Verdict::Counted);
                counted.map(|point| (point.at, point.number, point.after)).collect()
            };
            let points = store.history(pool(9), player(n), None, 100).await.unwrap();
            let expected = without.history(pool(9), player(n), None, 100).await.unwrap();
            assert_eq!(counted(points), counted(expected), "{name} {n}");
        }
        assert_eq!(store.annulments(None, 10).await.unwrap().len(), 2, "{name}");
        assert!(matches!(count(&store, &games[5], 5 * HOURS).await, Ok(Counted::Before)), "{name}");
    }
}

/// The numbers of the system can be chosen until the first game has counted, and not afterwards.
#[tokio::test]
async fn the_first_game_fixes_the_numbers() {
    for (name, db, _home) in stores().await {
        let other = Rules { initial: 1_000, k_new: 32, ..Rules::USUAL };
        Store::open(db.clone(), Rules::USUAL).await.unwrap();
        let store = Store::open(db.clone(), other).await.unwrap();
        count(&store, &game("one", 1, 2, Outcome::Black), 1).await.unwrap();
        let standing = store.standings(pool(9), &[player(1)]).await.unwrap();
        assert_eq!(
            standing.iter().map(|one| one.rating).collect::<Vec<_>>(),
            [Rating::from_micros(1_016_000_000)]
        );
        let error = Store::open(db.clone(), Rules::USUAL).await.unwrap_err().to_string();
        assert!(error.contains("1000") && error.contains("1200"), "{name}: {error}");
        Store::open(db, other).await.unwrap();
    }
}

/// A player who leaves three games within a day is banned for a while, longer with each further one; leaves of other days and the same one again
/// do not add up.
#[tokio::test]
async fn leaving_again_and_again_bans_for_a_while() {
    for (name, db, _home) in stores().await {
        let store = ratings(&db);
        let at = |n: u64| Position {
            finished: moment(n * 60_000),
            game: game(&n.to_string(), 1, 2, Outcome::Draw).id,
        };
        let day = 1_440;
        assert_eq!(store.left(player(1), at(0)).await.unwrap(), None, "{name}");
        assert_eq!(store.left(player(1), at(day)).await.unwrap(), None, "{name}");
        assert_eq!(store.left(player(1), at(day + 1)).await.unwrap(), None, "{name}");
        assert_eq!(store.left(player(1), at(day + 1)).await.unwrap(), None, "{name}");
        let ban = store.left(player(1), at(day + 2)).await.unwrap().unwrap();
        assert_eq!((ban.until, ban.leaves), (moment((day + 2 + 15) * 60_000), 3), "{name}");
        let longer = store.left(player(1), at(day + 3)).await.unwrap().unwrap();
        assert_eq!(longer.until, moment((day + 3 + 30) * 60_000), "{name}");
        assert_eq!(store.ban(player(1), moment((day + 4) * 60_000)).await.unwrap(), Some(longer), "{name}");
        assert_eq!(store.ban(player(1), longer.until).await.unwrap(), None, "{name}");
        assert_eq!(store.ban(player(2), moment(0)).await.unwrap(), None, "{name}");
    }
}
