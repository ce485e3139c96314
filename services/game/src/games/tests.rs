//! A game to which a newer version has written.

use std::time::Duration;

use futures::StreamExt;
use goban::{Preset, Size};
use kernel::GameId;
use ledger::{Append, Deadline, Delivery, DeliveryId, Guard, Ledger};
use nigiri_proto::events::v1::FinishedNotice;
use platform::{shutdown::Shutdown, status::reason_of};
use prost::Message;
use referee::{Command, Control, Settings};

use super::*;
use crate::{
    archive::archive,
    service::record,
    sgf,
    testing::{self, World, player, secs},
    watch::{Manner, watch},
};

const MANNER: Manner = Manner {
    heartbeat: Duration::from_secs(15),
    beats_since: None,
    stay: Duration::from_secs(600),
    settle: Duration::ZERO,
    ping: None,
};

/// An entry with an event of a kind that this version does not know (field 999 of the event), and a deadline.
async fn write_as_a_newer_version(world: &World) {
    let append = Append {
        log: log_name(world.game).unwrap(),
        expected: 3,
        payload: vec![0x0a, 3, 0xb8, 0x3e, 1].into(),
        guard: Guard::default(),
        deadline: Deadline::After(secs(1)),
        notices: Vec::new(),
    };
    world.ledger.append(append).await.unwrap();
}

/// A replica that does not understand an entry leaves the game alone from there on: its streams say that another replica is needed, and so does every call;
/// it decides nothing, not even on time, shows no record with a hole in it, and archives nothing. Games of which it understands everything go on.
#[tokio::test]
async fn a_game_is_left_to_versions_that_understand_it() {
    let world = World::with(Control::PerMove { time: secs(1) }).await;
    let replica = world.replica();
    let games = &replica.games;
    let live = games.get(world.game).await.unwrap();
    let held = replica.presence.open(&live, player("black"));
    let mut stream = watch(games.clone(), live.clone(), held, None, None, MANNER, &Shutdown::new());
    assert!(stream.next().await.unwrap().is_ok(), "a snapshot");

    write_as_a_newer_version(&world).await;
    games.catch_up(&live).await.unwrap();
    let refused = stream.next().await.unwrap().expect_err("it cannot be followed here");
    assert_eq!(reason_of(&refused).as_deref(), Some("SERVER_TOO_OLD"));
    assert_eq!(refused.code(), tonic::Code::Unavailable);
    assert!(stream.next().await.is_none());

    world.clock.advance(secs(10));
    let newcomer = world.replica();
    for games in [games, &newcomer.games] {
        let play = Command::Play { ply: 2, point: "C3".parse().unwrap() };
        let played = games.command(world.game, player("black"), "next", play, "").await;
        let others: [Result<(), Error>; 6] = [
            played.map(drop),
            games.claim_timeout(world.game).await.map(drop),
            games.mark(world.game, Command::MarkAway { color: goban::Color::Black }).await.map(drop),
            games.rule(world.game, Command::Void { reason: "why" }).await.map(drop),
            games.is_over(world.game).await.map(drop),
            games.updates_since(world.game, 1).await.map(drop),
        ];
        for (number, other) in others.into_iter().enumerate() {
            assert!(matches!(other, Err(Error::Newer(_))), "number {number}: {other:?}");
        }
    }
    games.give_back(&live).await.unwrap();
    let (entries, _) = games.entries(world.game).await.unwrap();
    assert_eq!(entries.len(), 4, "nothing was written");
    assert!(matches!(sgf::export(world.game, &entries), Err(Error::Newer(_))));
    let shown = record(world.game, &entries, false).expect_err("a hole");
    assert_eq!(reason_of(&shown.into()).as_deref(), Some("SERVER_TOO_OLD"));
    let notice = FinishedNotice { game_id: world.game.to_string(), ..FinishedNotice::default() };
    let id = DeliveryId { partition: 0, id: "1-0".to_owned() };
    let delivery = Delivery { id, payload: notice.encode_to_vec().into(), attempt: 1 };
    assert!(matches!(archive(games, secs(1), delivery).await, Err(Error::Newer(_))));

    let other = GameId::derive("another game");
    let seats = testing::seats();
    games.create(other, Settings::of_preset(Preset::Quick, Size::NINE), seats, "").await.unwrap();
    let play = Command::Play { ply: 0, point: "C3".parse().unwrap() };
    assert_eq!(games.command(other, player("black"), "first", play, "").await.unwrap(), 2);
}
