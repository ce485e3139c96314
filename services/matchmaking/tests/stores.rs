//! What this service keeps in the SQL store, on SQLite and on Postgres alike.
#![allow(missing_docs, reason = "a test")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use kernel::{PlayerId, Timestamp};
use matchmaking::{
    challenge::{Challenge, Party},
    store::{Accepted, MOST_OPEN, Store},
    ticket::Player,
};
use nigiri_proto::{
    game::v1::{Color, GameSettings},
    matchmaking::v1::ChallengeState,
};
use platform::{db::Db, testing};
use uuid::Uuid;

const DAY: u64 = 86_400_000;

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + millis)
}

fn player(number: u128) -> Player {
    let id = PlayerId::from_uuid(Uuid::from_u128(number));
    Player { id, name: format!("Player {number}").into(), guest: number.is_multiple_of(2) }
}

fn party(number: u128) -> Party {
    Party { player: player(number), bot: number > 90 }
}

fn challenge(number: u128, by: u128, to: Option<u128>) -> Challenge {
    Challenge {
        id: Uuid::from_u128(1_000 + number),
        code: format!("code {number}"),
        challenger: player(by),
        opponent: to.map(party),
        addressed: to.is_some(),
        settings: GameSettings { preset: "weiqi".to_owned(), board_size: 13, ..GameSettings::default() },
        color: Color::White,
        state: ChallengeState::Open,
        begun: false,
        created: at(0),
        expires: at(DAY),
    }
}

/// Every challenge is found as it was made; of two who accept it one has it; it changes once, and what has changed is found in order.
async fn challenges(store: &Store) {
    let (open, direct) = (challenge(1, 1, None), challenge(2, 1, Some(92)));
    for new in [&open, &direct] {
        assert_eq!(store.add_challenge(new, &new.code).await.unwrap().as_ref(), Some(new));
        assert_eq!(store.challenge(&new.code).await.unwrap().as_ref(), Some(new));
    }
    let again = Challenge { id: Uuid::from_u128(9), code: "other".to_owned(), ..open.clone() };
    assert_eq!(
        store.add_challenge(&again, &open.code).await.unwrap().as_ref(),
        Some(&open),
        "one for each request"
    );
    assert_eq!(store.challenge("other").await.unwrap(), None);
    assert_eq!(store.open_challenges(player(1).id, at(1)).await.unwrap().len(), 2);
    assert_eq!(store.open_challenges(player(92).id, at(1)).await.unwrap(), std::slice::from_ref(&direct));
    assert_eq!(store.open_challenges(player(1).id, at(DAY)).await.unwrap(), []);

    let (two, three) = (party(2), party(3));
    let (a, b) =
        tokio::join!(store.accept(open.id, &two, &[], at(5)), store.accept(open.id, &three, &[], at(5)));
    let (a, b) = (a.unwrap() == Accepted::Now, b.unwrap() == Accepted::Now);
    assert!(a ^ b, "one of two");
    assert_eq!(
        store.accept(direct.id, &party(92), &[], at(DAY)).await.unwrap(),
        Accepted::Closed,
        "its time is up"
    );
    assert!(!store.close(open.id, ChallengeState::Cancelled, at(6)).await.unwrap());
    let taken = store.challenge(&open.code).await.unwrap().unwrap();
    let winner = if a { two } else { three };
    assert_eq!((taken.state, taken.opponent.as_ref()), (ChallengeState::Accepted, Some(&winner)));
    assert_eq!(store.unbegun_challenges(at(4)).await.unwrap(), []);
    assert_eq!(store.unbegun_challenges(at(5)).await.unwrap(), std::slice::from_ref(&taken));
    store.begun(open.id, at(7)).await.unwrap();
    store.give_up(open.id, at(8)).await.unwrap();
    let begun = Challenge { begun: true, ..taken };
    assert_eq!(
        store.challenge(&open.code).await.unwrap().as_ref(),
        Some(&begun),
        "a game that is there stays"
    );
    assert_eq!(store.unbegun_challenges(at(DAY)).await.unwrap(), []);
    let codes = |list: Vec<Challenge>| list.into_iter().map(|one| one.code).collect::<Vec<_>>();
    assert_eq!(codes(store.changed_challenges(at(0), 10).await.unwrap()), ["code 2", "code 1"]);
    assert_eq!(codes(store.changed_challenges(at(7), 10).await.unwrap()), ["code 1"]);
    assert_eq!(codes(store.changed_challenges(at(0), 1).await.unwrap()), ["code 2"]);

    for number in 0..u128::try_from(MOST_OPEN).unwrap() {
        let new = challenge(100 + number, 5, None);
        assert!(store.add_challenge(&new, &new.code).await.unwrap().is_some());
    }
    assert_eq!(store.add_challenge(&challenge(200, 5, None), "200").await.unwrap(), None, "too many");
    store.close_all(player(5).id, None, at(9)).await.unwrap();
    store.close_all(player(92).id, Some(player(1).id), at(9)).await.unwrap();
    assert_eq!(store.challenge("code 2").await.unwrap().unwrap().state, ChallengeState::Cancelled);
    let late = challenge(200, 5, None);
    assert!(store.add_challenge(&late, "200").await.unwrap().is_some());
    store.expire_challenges(at(DAY), at(0)).await.unwrap();
    assert_eq!(store.challenge("code 200").await.unwrap().unwrap().state, ChallengeState::Expired);
    store.expire_challenges(at(3 * DAY), at(2 * DAY)).await.unwrap();
    assert_eq!(store.challenge("code 200").await.unwrap(), None);
}

/// Of two challenges that the same player would accept at once, or that would have the same opponent, one is accepted, and the other stays as it was. That ends when its
/// game is over, given up or long listed; not while it is still to be made.
async fn claims(store: &Store) {
    let challenges = [challenge(301, 31, None), challenge(302, 32, None), challenge(303, 31, None)];
    for new in &challenges {
        store.add_challenge(new, &new.code).await.unwrap();
    }
    let [one, two, three] = challenges.map(|challenge| challenge.id);
    let accept = async |id, who, with, millis| {
        store.accept(id, &party(who), &[player(who).id, player(with).id], at(millis)).await.unwrap()
    };
    let (a, b) = tokio::join!(accept(one, 33, 31, 5), accept(two, 33, 32, 5));
    let busy = |who, by| Accepted::Busy { player: player(who).id, by };
    let (first, second, other) = if a == Accepted::Now { (one, two, 32) } else { (two, one, 31) };
    assert!([a, b].contains(&Accepted::Now) && [a, b].contains(&busy(33, first)), "{a:?} {b:?}");
    let with = if first == one { 31 } else { 32 };
    assert_eq!(
        store.challenge(&format!("code {}", second.as_u128() - 1_000)).await.unwrap().unwrap().state,
        ChallengeState::Open
    );
    assert_eq!(accept(second, 34, other, 6).await, Accepted::Now, "nothing of it is left");
    store.release(second).await.unwrap();
    let waits = accept(three, 33, 31, 60_000).await;
    assert!(
        matches!(waits, Accepted::Busy { by, .. } if by == first),
        "its game is still to be made: {waits:?}"
    );
    store.begun(first, at(60_000)).await.unwrap();
    if with == 31 {
        assert_eq!(accept(three, 35, 31, 9_999).await, busy(31, first), "the challenger is busy");
    }
    assert_eq!(accept(three, 33, 31, 60_001).await, Accepted::Now, "its game is listed by now");
    store.give_up(three, at(60_002)).await.unwrap();
    let again = challenge(304, 31, None);
    store.add_challenge(&again, &again.code).await.unwrap();
    assert_eq!(accept(again.id, 33, 31, 60_003).await, Accepted::Now, "what was given up counts no more");
    store.expire_challenges(at(60_003), at(60_003)).await.unwrap();
}

/// Blocks count in both directions, are listed for the one who made them, and follow a player who becomes part of another.
async fn blocks(store: &Store) {
    let [a, b, c, d] = [21, 22, 23, 24].map(|number| player(number).id);
    for (number, other) in [b, c].into_iter().enumerate() {
        for _ in 0..2 {
            assert!(store.block(a, other, "Somebody", at(number as u64)).await.unwrap());
        }
    }
    let list = store.blocks(a).await.unwrap();
    assert_eq!(list.iter().map(|block| block.player).collect::<Vec<_>>(), [c, b]);
    assert_eq!((list[1].name.as_str(), list[1].since), ("Somebody", at(0)));
    for (one, other, blocked) in [(a, b, true), (b, a, true), (b, c, false)] {
        assert_eq!(store.is_block_between(one, other).await.unwrap(), blocked);
    }
    store.unblock(a, b).await.unwrap();
    assert!(!store.is_block_between(a, b).await.unwrap());
    assert!(store.block(d, a, "A", at(3)).await.unwrap() && store.block(b, c, "C", at(3)).await.unwrap());
    // A becomes part of B, who blocks C already.
    store.move_blocks(a, b).await.unwrap();
    assert_eq!(store.blocks(a).await.unwrap(), []);
    assert_eq!(store.blocks(b).await.unwrap().len(), 1);
    assert!(store.is_block_between(b, d).await.unwrap() && !store.is_block_between(a, d).await.unwrap());
    store.forget_blocks(b).await.unwrap();
    assert!(!store.is_block_between(b, d).await.unwrap());
}

async fn conforms(db: Db) {
    let store = Store::new(db);
    challenges(&store).await;
    claims(&store).await;
    blocks(&store).await;
}

/// The store does what it says on SQLite.
#[tokio::test]
async fn sqlite_keeps_challenges_and_blocks() {
    let (db, _folder) = testing::sqlite().await.unwrap();
    conforms(db).await;
}

/// The store does what it says on Postgres.
#[tokio::test]
async fn postgres_keeps_challenges_and_blocks() {
    let postgres = testing::postgres().await.unwrap();
    conforms(postgres.db.clone()).await;
}
