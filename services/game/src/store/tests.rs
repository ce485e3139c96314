use std::sync::Arc;

use goban::{Preset, Size};
use kernel::{GameId, PlayerId, Timestamp, WatchKey};
use ledger::{Clock, SharedLedger, memory::MemoryLedger};
use nigiri_proto::game::v1::FindSeatedRequest;
use platform::db::Db;
use referee::{Command, Seat, Seats, Settings};

use super::{
    Store,
    lists::{Begun, Filter, Listed, Page, Place, created_in},
};
use crate::{archive::replay, audit, games::Games, seated};

fn player(name: &str) -> PlayerId {
    PlayerId::from_uuid(GameId::derive(name).as_uuid())
}

fn seats(black: &str, white: &str) -> Seats {
    let seat = |name: &str| Seat { player: player(name), name: name.into(), bot: false, guest: false };
    Seats { black: seat(black), white: seat(white) }
}

/// Games of a store that nobody fills by himself.
struct Hand {
    games: Games,
}

impl Hand {
    fn new(db: Db) -> Self {
        let ledger: SharedLedger = Arc::new(MemoryLedger::new(Clock::system()));
        Self { games: Games::new(ledger, Store::new(db)) }
    }

    fn store(&self) -> &Store {
        self.games.store()
    }

    /// Makes a game and lists it.
    async fn begin(&self, name: &str, settings: Settings, seats: Seats) -> GameId {
        let id = GameId::derive(name);
        assert!(self.games.create(id, settings, seats, "").await.unwrap());
        self.list(id).await;
        id
    }

    async fn list(&self, id: GameId) {
        let (entries, _) = self.games.entries(id).await.unwrap();
        let game = replay(id, &entries[..1]).unwrap().unwrap();
        let created = created_in(&entries[0].payload).unwrap();
        self.store().begun(&[Begun::new(id, &game, &created)]).await.unwrap();
    }

    /// Ends a game and archives it.
    async fn end(&self, id: GameId, by: &str) {
        self.games.command(id, player(by), "end", Command::Resign, "").await.unwrap();
        let (entries, archived) = self.games.entries(id).await.unwrap();
        assert!(!archived);
        let game = replay(id, &entries).unwrap().unwrap();
        assert!(self.store().insert(id, &game, &entries).await.unwrap());
        assert!(!self.store().insert(id, &game, &entries).await.unwrap(), "once");
    }
}

fn ids(listed: &[Listed]) -> Vec<GameId> {
    listed.iter().map(|listed| listed.id).collect()
}

const ALL: Page = Page { after: Place::START, length: 100 };

/// The same lists, filters, pages and privacy on both databases; a notice that comes late lists no game that is over; and the audit finds the archive in order.
#[tokio::test]
async fn lists_are_the_same_on_both_databases() {
    let (sqlite, _folder) = platform::testing::sqlite().await.unwrap();
    let postgres = platform::testing::postgres().await.unwrap();
    for db in [sqlite, postgres.db.clone()] {
        let hand = Hand::new(db.clone());
        let store = hand.store();
        let quick = Settings::of_preset(Preset::Quick, Size::NINE);
        let key = Some(WatchKey::from_uuid(GameId::derive("key").as_uuid()));
        let igo = Settings { rated: true, ..Settings::of_preset(Preset::Igo, Size::NINETEEN) };
        let first = hand.begin("1", quick, seats("a", "b")).await;
        let second = hand.begin("2", igo, seats("b", "c")).await;
        let third = hand.begin("3", Settings { watch_key: key, ..quick }, seats("c", "a")).await;
        let all = Filter::default;
        let newest = |mut ids: Vec<GameId>| {
            // Games of one millisecond stand by their ids.
            ids.sort_unstable();
            ids
        };
        let sorted = |listed: Vec<Listed>| newest(ids(&listed));
        let (a, b, d) = (Some(player("a")), Some(player("b")), Some(player("d")));
        assert_eq!(sorted(store.live(&all(), a, ALL).await.unwrap()), newest(vec![first, second, third]));
        assert_eq!(sorted(store.live(&all(), d, ALL).await.unwrap()), newest(vec![first, second]));
        let of_a = Filter { player: a, ..all() };
        assert_eq!(ids(&store.live(&of_a, None, ALL).await.unwrap()), [first]);
        for (filter, expected) in [
            (Filter { preset: "igo".to_owned(), ..all() }, second),
            (Filter { board_size: 19, ..all() }, second),
            (Filter { rated: Some(true), ..all() }, second),
            (Filter { rated: Some(false), ..all() }, first),
        ] {
            assert_eq!(ids(&store.live(&filter, None, ALL).await.unwrap()), [expected], "{filter:?}");
        }
        let mut seated: Vec<_> = store.seats_of(&[player("c"), player("d")]).await.unwrap();
        seated.sort_by_key(|seats| seats.id);
        assert_eq!(seated.iter().map(|seats| seats.id).collect::<Vec<_>>(), newest(vec![second, third]));
        let asked = FindSeatedRequest {
            player_ids: ["c", "d", "a"].map(|name| player(name).to_string()).into(),
            game_ids: vec![first.to_string(), GameId::derive("no game").to_string()],
        };
        let found = seated::find(&hand.games, &asked).await.unwrap();
        let players = found.seated.iter().map(|seated| seated.player_id.clone()).collect::<Vec<_>>();
        assert_eq!(players, [player("c").to_string(), player("a").to_string()], "by a clock");
        assert_eq!(found.over_game_ids, [GameId::derive("no game").to_string()]);
        let mut paged = Vec::new();
        let mut after = Place::START;
        while let Some(listed) = store.live(&all(), a, Page { after, length: 1 }).await.unwrap().pop() {
            after = listed.place.to_string().parse().unwrap();
            paged.push(listed.id);
        }
        assert_eq!(paged, ids(&store.live(&all(), a, ALL).await.unwrap()));

        let at = |seconds: u64| Timestamp::from_millis(1_800_000_000_000 + seconds * 1000);
        let count = |few, seconds| store.live_games_of(few, at(seconds));
        assert_eq!(count(3, 0).await.unwrap(), 3, "few are counted");
        assert_eq!(count(1, 0).await.unwrap(), 3, "a count is due");
        let fourth = hand.begin("4", quick, seats("d", "e")).await;
        assert_eq!(count(1, 9).await.unwrap(), 3, "it was made, whoever asks");
        assert_eq!(count(4, 9).await.unwrap(), 4);
        assert_eq!(count(1, 1000).await.unwrap(), 4, "and is due again");
        hand.end(fourth, "d").await;
        for (id, by) in [(first, "a"), (third, "a")] {
            hand.end(id, by).await;
            // The notice of its beginning comes again.
            hand.list(id).await;
        }
        assert_eq!(ids(&store.live(&all(), a, ALL).await.unwrap()), [second]);
        let found = seated::find(&hand.games, &asked).await.unwrap();
        assert_eq!(found.seated.len(), 1, "only the one who is still in a game");
        assert_eq!(found.over_game_ids.len(), 2);
        assert_eq!(count(1, 2000).await.unwrap(), 1);
        let usual = all();
        let finished = |caller| store.finished(player("a"), &usual, caller, ALL);
        assert_eq!(sorted(finished(a).await.unwrap()), newest(vec![first, third]));
        assert_eq!(ids(&finished(b).await.unwrap()), [first]);
        let listed = finished(b).await.unwrap();
        let end = listed[0].finished.as_ref().unwrap();
        assert_eq!((end.result.as_str(), end.moves), ("Void", 0));
        let other = Filter { rated: Some(true), ..all() };
        assert!(store.finished(player("a"), &other, a, ALL).await.unwrap().is_empty());
        let mut faults = Vec::new();
        let summary = audit::audit(&db, |id, found| faults.push((id, found.to_vec()))).await.unwrap();
        assert_eq!((summary.games, faults), (3, vec![]));
    }
}
