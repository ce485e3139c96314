//! Replaying the archive.

use nigiri_proto::{
    events::v1::{ArchivedEntry, ArchivedGame, GameEntry},
    game::v1::{
        Color, EndReason, GameCreated, GameEvent, GameFinished, GameResult, GameSettings, Seat,
        game_event::Event,
    },
};
use platform::{convert::to_proto_time, db::Db};
use prost::Message;
use rand::{SeedableRng, rngs::SmallRng, seq::SliceRandom};
use rating::{elo::Outcome, notice::RatedGame, recompute::recompute};
use sqlx::AssertSqlSafe;

use crate::world::{count, game, games, moment, ratings, stores};

/// The record of a game, as the archive keeps it.
fn record(game: &RatedGame, finished: u64, rated: bool) -> Vec<u8> {
    let seat = |color: Color, player: &rating::notice::Player| Seat {
        color: color.into(),
        player_id: player.id.to_string(),
        name: player.name.clone(),
        ..Seat::default()
    };
    let created = GameCreated {
        settings: Some(GameSettings { board_size: 9, rated, ..GameSettings::default() }),
        seats: vec![seat(Color::Black, &game.black), seat(Color::White, &game.white)],
    };
    let winner = match game.outcome {
        Outcome::Black => Color::Black,
        Outcome::White => Color::White,
        Outcome::Draw => Color::Unspecified,
    };
    let result = GameResult { winner: winner.into(), reason: EndReason::Score.into(), text: String::new() };
    let finish = GameFinished { result: Some(result), verdict: None };
    let entry = |sequence, at, event| ArchivedEntry {
        sequence,
        event_time: Some(to_proto_time(moment(at))),
        entry: GameEntry { events: vec![GameEvent { event: Some(event) }], ..GameEntry::default() }
            .encode_to_vec()
            .into(),
    };
    let entries = vec![
        entry(1, finished.saturating_sub(1), Event::Created(created)),
        entry(game.sequence, finished, Event::Finished(finish)),
        // Something after the end, as a request for a rematch is.
        entry(game.sequence + 1, finished + 50, Event::Passed(Default::default())),
    ];
    ArchivedGame { entries }.encode_to_vec()
}

async fn archive(db: &Db, game: &RatedGame, finished: u64, rated: bool) {
    const INSERT: &str = "INSERT INTO games (id, black_id, white_id, board_size, rated, result, created_at, finished_at, record) \
        VALUES ($1, $2, $3, 9, $4, '', 0, 0, $5)";
    platform::on!(db, |pool| {
        let insert = sqlx::query(INSERT).bind(game.id.as_uuid()).bind(game.black.id.as_uuid());
        let insert = insert.bind(game.white.id.as_uuid()).bind(rated).bind(record(game, finished, rated));
        insert.execute(pool).await.map(drop).unwrap();
    });
}

/// What the store has after games came in any order, some twice, some short, some of a pair beyond its limit, some annulled, is what a replay of the
/// archive gives: no difference. A change to any column of any row is reported; so is a game that was lost, and one that nobody played.
#[tokio::test]
async fn a_replay_of_the_archive_finds_every_difference_and_no_other() {
    for (name, db, _home) in stores().await {
        let store = ratings(&db);
        let mut all: Vec<_> =
            games(60, 7, 4).into_iter().zip(0..).map(|(game, n): (_, u64)| (game, n * 5_000_000)).collect();
        all.extend((0..25).map(|n| (game(&format!("pair {n}"), 20, 21, Outcome::White), n * 1_000)));
        for (game, at) in all.iter_mut().take(20) {
            game.sequence = if at.is_multiple_of(3) { 7 } else { 50 };
        }
        for (game, at) in &all {
            archive(&db, game, *at, true).await;
        }
        archive(&db, &game("friendly", 1, 2, Outcome::White), 77, false).await;
        all.shuffle(&mut SmallRng::seed_from_u64(2));
        for (n, (game, at)) in all.iter().enumerate() {
            count(&store, game, *at).await.unwrap();
            if n % 9 == 0 {
                count(&store, game, *at).await.unwrap();
                store.annul(all[n / 2].0.id, "operator", "why", moment(1)).await.unwrap();
            }
        }
        let report = recompute(&db).await.unwrap();
        assert_eq!(report.differences, [], "{name}");
        assert_eq!((report.archived, report.agreed, report.players), (86, 85, 9), "{name}");
        assert!(report.counted < 80 && report.counted > 40, "{name} {}", report.counted);

        let lost = game("lost", 1, 2, Outcome::White);
        archive(&db, &lost, 900_000_000, true).await;
        let differences = recompute(&db).await.unwrap().differences;
        assert!(differences[0].stored.contains("not counted"), "{name}: {}", differences[0]);
        count(&store, &lost, 900_000_000).await.unwrap();
        assert_eq!(recompute(&db).await.unwrap().differences, [], "{name}");

        for (change, back) in [
            ("player_ratings SET micros = micros + 1", "player_ratings SET micros = micros - 1"),
            ("player_ratings SET games = games + 1", "player_ratings SET games = games - 1"),
            (
                "player_ratings SET reached_at = reached_at + 1",
                "player_ratings SET reached_at = reached_at - 1",
            ),
            ("player_ratings SET level = 3 - level", "player_ratings SET level = 3 - level"),
            (
                "rating_history SET after_micros = after_micros + 1",
                "rating_history SET after_micros = after_micros - 1",
            ),
            ("rating_history SET number = number + 1", "rating_history SET number = number - 1"),
        ] {
            for (text, found) in [(change, true), (back, false)] {
                let condition = if text.starts_with("player") {
                    "last_game = (SELECT last_game FROM player_ratings WHERE level > 0 ORDER BY last_at DESC LIMIT 1)"
                } else {
                    "game_id = (SELECT game_id FROM rated_games WHERE verdict = 0 ORDER BY finished_at LIMIT 1)"
                };
                change_rows(&db, &format!("UPDATE {text} WHERE {condition}")).await;
                let differences = recompute(&db).await.unwrap().differences;
                assert_eq!(!differences.is_empty(), found, "{name} {text}: {differences:?}");
            }
        }
        change_rows(&db, "DELETE FROM games WHERE id = (SELECT game_id FROM rated_games LIMIT 1)").await;
        let differences = recompute(&db).await.unwrap().differences;
        assert_eq!(differences.len(), 1, "{name} {differences:?}");
        assert!(differences[0].replayed.contains("not in the archive"), "{name}: {}", differences[0]);
    }
}

async fn change_rows(db: &Db, text: &str) {
    platform::on!(db, |pool| {
        let done = sqlx::query(AssertSqlSafe(text.to_owned())).execute(pool).await.unwrap();
        assert!(done.rows_affected() > 0, "{text}");
    });
}
