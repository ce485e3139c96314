//! Leaderboards, on SQLite and on Postgres alike.

use kernel::{GameId, Timestamp};
use nigiri_proto::events::v1::{AccountNotice, PlayerDeleted, PlayerMerged, account_notice::Event};
use prost::Message;
use rating::{
    accounts::act,
    elo::Outcome,
    leaders::{ACTIVE, Board, Leader, Place},
    store::Store,
};

use crate::world::{count, game, games, moment, player, pool, ratings, stores};

/// Everybody on a leaderboard, a page of so many at a time.
async fn walk(store: &Store, board: Board, limit: u8, now: Timestamp) -> Vec<Leader> {
    let (mut all, mut after): (Vec<Leader>, _) = (Vec::new(), None);
    loop {
        let page = store.leaders(board, after, limit, now).await.unwrap();
        assert!(page.leaders.len() <= limit.into());
        all.extend(page.leaders);
        after = all.last().map(|leader| leader.place);
        if !page.more {
            return all;
        }
    }
}

fn key(place: Place) -> (i64, Timestamp, kernel::PlayerId) {
    (-place.rating.micros(), place.reached, place.player)
}

/// Walked with pages of each size, a leaderboard shows everybody once, in order, with ranks that go on; a player's rank and the page around are what
/// the walk says. Of equals who got there first is ahead, and a rating that a draw of equals left alone keeps its place.
#[tokio::test]
async fn pages_ranks_and_surroundings_agree() {
    for (name, db, _home) in stores().await {
        let store = ratings(&db);
        // Pairs that meet once: many stand at exactly 1,220, 1,200 and 1,180.
        for pair in 0..20 {
            let outcome = [Outcome::Black, Outcome::Draw, Outcome::White][pair as usize % 3];
            let one = game(&format!("pair {pair}"), 2 * pair, 2 * pair + 1, outcome);
            count(&store, &one, 100 - u64::from(pair)).await.unwrap();
        }
        for n in 0..10 {
            count(&store, &game(&format!("more {n}"), 100, 101, Outcome::Draw), 200 + n).await.unwrap();
        }
        for (n, game) in games(150, 14, 5).iter().enumerate() {
            count(&store, game, 300 + n as u64).await.unwrap();
        }
        let now = moment(1_000);
        for provisional in [true, false] {
            let board = Board { pool: pool(9), provisional };
            let all = walk(&store, board, 100, now).await;
            assert!(
                if provisional { all.len() == 42 } else { (2..42).contains(&all.len()) },
                "{name} {}",
                all.len()
            );
            let ranks: Vec<_> = all.iter().map(|leader| leader.rank).collect();
            assert_eq!(ranks, (1..=all.len() as u64).collect::<Vec<_>>(), "{name}");
            assert!(all.is_sorted_by(|a, b| key(a.place) < key(b.place)), "{name}");
            assert!(provisional || all.iter().all(|leader| leader.standing.games >= 10), "{name}");
            assert_eq!(store.board_size(board, now).await.unwrap(), all.len() as u64, "{name}");
            for limit in [1, 7, 30] {
                assert_eq!(walk(&store, board, limit, now).await, all, "{name} {limit}");
            }
            for (n, leader) in all.iter().enumerate() {
                let id = leader.place.player;
                assert_eq!(store.rank(board, id, now).await.unwrap().as_ref(), Some(leader), "{name}");
                let around = store.around(board, id, (3, 5), now).await.unwrap().unwrap();
                let expected = &all[n.saturating_sub(3)..(n + 6).min(all.len())];
                assert_eq!(around, expected, "{name} {n}");
            }
        }
        assert_eq!(
            store.rank(Board { pool: pool(9), provisional: true }, player(999), now).await.unwrap(),
            None
        );
        assert_eq!(store.census().await.unwrap(), store.census_of_players().await.unwrap(), "{name}");
    }
}

/// Ninety days after the last rated game a player is off the leaderboards, and everybody behind moves up, at that moment, whether or not anybody has
/// taken them off the counts; a game puts them back.
#[tokio::test]
async fn who_does_not_play_drops_out_and_comes_back() {
    for (name, db, _home) in stores().await {
        let store = ratings(&db);
        let board = Board { pool: pool(9), provisional: true };
        // Places: 1 and 3 at 1,220, of whom 1 has not played since; 2 and 4 at 1,180.
        count(&store, &game("old", 1, 2, Outcome::Black), 1_000).await.unwrap();
        count(&store, &game("new", 3, 4, Outcome::Black), 50_000).await.unwrap();
        let of = |leaders: Vec<Leader>| -> Vec<_> {
            leaders.into_iter().map(|leader| (leader.rank, leader.place.player)).collect()
        };
        let before = moment(999) + ACTIVE;
        assert_eq!(of(walk(&store, board, 9, before).await).len(), 4, "{name}");
        let after = moment(1_000) + ACTIVE;
        for round in 0..2 {
            let left = of(walk(&store, board, 1, after).await);
            assert_eq!(left, [(1, player(3)), (2, player(4))], "{name} {round}");
            assert_eq!(store.rank(board, player(4), after).await.unwrap().map(|leader| leader.rank), Some(2));
            assert_eq!(store.rank(board, player(1), after).await.unwrap(), None, "{name}");
            assert_eq!(store.board_size(board, after).await.unwrap(), 2, "{name}");
            assert_eq!(store.lapse(after).await.unwrap(), if round == 0 { 2 } else { 0 }, "{name}");
            assert_eq!(store.census().await.unwrap(), store.census_of_players().await.unwrap(), "{name}");
        }
        let back = game("back", 1, 4, Outcome::Black);
        store.count(&back, after, after).await.unwrap();
        let left = of(walk(&store, board, 9, after).await);
        assert_eq!(left, [(1, player(1)), (2, player(3)), (3, player(4))], "{name}");
        assert_eq!(store.census().await.unwrap(), store.census_of_players().await.unwrap(), "{name}");
    }
}

/// A guest who became part of an account, and an account that was deleted, are on no leaderboard any more, and everybody behind moves up; that the news comes twice, and that games of
/// theirs are computed anew, does not bring them back.
#[tokio::test]
async fn who_is_somebody_else_or_nobody_leaves_the_boards() {
    let merged =
        Event::Merged(PlayerMerged { into_player_id: player(2).to_string(), into_name: "P2".into() });
    let deleted = Event::Deleted(PlayerDeleted { neutral_name: "nobody".into() });
    for (name, db, _home) in stores().await {
        let store = ratings(&db);
        let board = Board { pool: pool(9), provisional: true };
        for (n, (black, white)) in [(1, 2), (3, 4), (1, 4), (3, 2)].into_iter().enumerate() {
            count(&store, &game(&format!("game {n}"), black, white, Outcome::Black), n as u64).await.unwrap();
        }
        let listed = async || {
            let leaders = walk(&store, board, 9, moment(1_000)).await;
            leaders.into_iter().map(|leader| (leader.rank, leader.place.player)).collect::<Vec<_>>()
        };
        assert_eq!(listed().await.len(), 4, "{name}");
        for (who, event) in [(1, &merged), (1, &merged), (3, &deleted)] {
            let (player_id, event) = (player(who).to_string(), Some(event.clone()));
            let notice = AccountNotice { player_id, revision: 1, event, ..AccountNotice::default() };
            act(&store, notice.encode_to_vec().into()).await.unwrap();
        }
        let left = listed().await;
        assert_eq!(left.iter().map(|leader| leader.0).collect::<Vec<_>>(), [1, 2], "{name}");
        store.annul(GameId::derive("game 0"), "o", "a test", moment(2_000)).await.unwrap();
        let mut players: Vec<_> = listed().await.into_iter().map(|leader| leader.1).collect();
        players.sort_unstable();
        let mut expected = [player(2), player(4)];
        expected.sort_unstable();
        assert_eq!(players, expected, "{name}");
        assert_eq!(store.census().await.unwrap(), store.census_of_players().await.unwrap(), "{name}");
    }
}
