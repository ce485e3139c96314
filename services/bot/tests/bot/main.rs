//! The house's bots over real gRPC, against services that do what the tests tell them.
#![expect(clippy::unwrap_used, reason = "what helps a test may fail like a test")]

mod fake;
mod world;

use std::{collections::HashMap, time::Duration};

use nigiri_proto::matchmaking::v1::AiLevel;
use tokio::time::Instant;

use fake::{Called, Command, Fault};
use world::{World, snapshot};

/// Each bot signs in with the services' secret, says again and again how strong it plays, and can be asked for.
#[tokio::test]
async fn each_bot_signs_in_and_offers_itself_again_and_again() {
    let mut world = World::start().await;
    let (began, mut offers) = (Instant::now(), HashMap::<AiLevel, Vec<Duration>>::new());
    let levels = [AiLevel::Easy, AiLevel::Normal, AiLevel::Hard];
    while levels.iter().any(|level| offers.get(level).is_none_or(|times| times.len() < 3)) {
        if let Called::Offered { bot, level } = world.next().await {
            let level = AiLevel::try_from(level).unwrap();
            assert_eq!(bot.to_lowercase(), format!("nigiri {}", world::word(level)));
            offers.entry(level).or_default().push(began.elapsed());
        }
    }
    for (level, times) in offers {
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.into_iter().all(|gap| (5..=15).contains(&gap.as_secs())), "{level:?}: {times:?}");
    }
    let bots = world.list_bots().await;
    let told: Vec<_> =
        bots.iter().map(|bot| (bot.player_id.as_str(), bot.name.as_str(), bot.level())).collect();
    let expected = [("1", "Nigiri Easy"), ("2", "Nigiri Normal"), ("3", "Nigiri Hard")];
    assert!(
        told.iter().map(|bot| (bot.0, bot.1)).eq(expected) && told.iter().map(|bot| bot.2).eq(levels),
        "{told:?}"
    );
    world.stop().await;
}

/// A turn that comes again while it is thought about is answered once; one that comes again later, or to another process, is answered
/// by the same command: same id, same ply, same point.
#[tokio::test]
async fn one_turn_makes_one_command_however_often_it_comes() {
    let turn = snapshot(1, "quick", &["E5", "C3", "G3"]);
    let mut answers = Vec::new();
    for _ in 0..2 {
        let mut world = World::start().await;
        for bot in ["Nigiri Easy", "Nigiri Normal", "Nigiri Hard"] {
            world.send(bot, &turn).await;
            world.send(bot, &turn).await;
            let (by, first) = world.command().await;
            assert_eq!((by.as_str(), first.ply()), (bot, Some(3)));
            world.settled().await;
            world.send(bot, &turn).await;
            let (_, again) = world.command().await;
            assert_eq!(first, again);
            world.settled().await;
            answers.push((bot, first));
        }
        let bots = world.list_bots().await;
        assert!(bots.iter().all(|bot| bot.thinking == 0 && bot.moves == 2), "{bots:?}");
        world.stop().await;
    }
    let (one, other) = answers.split_at(3);
    assert_eq!(one, other);
}

/// Whatever becomes of a stream or a command, the bot is there for the next turn: a stream that ends, one that breaks, one whose replica
/// drains, a service that is away (the same command comes again), a turn that has gone by, a session that has ended.
#[tokio::test]
async fn nothing_that_breaks_keeps_a_bot_from_its_next_turn() {
    let bot = "Nigiri Easy";
    let mut world = World::start().await;
    for (game, fault) in (1..).zip(Fault::ALL) {
        world.send(bot, &snapshot(game, "quick", &["E5"])).await;
        match fault {
            Fault::Away => {
                let first = world.command().await;
                world.fault(bot, fault);
                world.send(bot, &snapshot(game + 100, "quick", &["E5"])).await;
                let second = world.command().await;
                assert_ne!(first, second);
                assert_eq!(world.command().await, second, "after UNAVAILABLE the same command comes again");
            }
            Fault::GoneBy | Fault::SignedOut => {
                world.fault(bot, fault);
                world.send(bot, &snapshot(game + 100, "quick", &["E5"])).await;
                world.command().await;
            }
            Fault::Ended | Fault::Broken | Fault::Draining => {
                world.command().await;
                world.fault(bot, fault);
            }
        }
        world.settled().await;
        world.drop_commands();
    }
    world.send(bot, &snapshot(99, "quick", &["E5"])).await;
    let (by, Command::Play { game, ply: 1, .. }) = world.command().await else { panic!("no stone") };
    assert_eq!((by.as_str(), game), (bot, world::game(99)));
    // A thought that has just begun does not hold the process up.
    world.send("Nigiri Hard", &snapshot(100, "weiqi", &["E5"])).await;
    world.stop().await;
}

/// After the opponent's pass a bot that wins passes too; a turn that cannot be read is left alone; a turn on the other rules is played.
#[tokio::test]
async fn a_won_game_is_passed_and_nonsense_is_left_alone() {
    let mut world = World::start().await;
    for bot in ["Nigiri Easy", "Nigiri Normal", "Nigiri Hard"] {
        for nonsense in [
            snapshot(1, "chess", &["E5"]),
            snapshot(1, "quick", &["E5", "E5"]),
            snapshot(1, "quick", &["K10"]),
        ] {
            world.send(bot, &nonsense).await;
        }
        world.send(bot, &snapshot(2, "quick", &["E5", "pass"])).await;
        let (by, command) = world.command().await;
        let pass = Command::Pass { game: world::game(2), ply: 2, id: format!("{}-2", world::game(2)) };
        assert_eq!((by.as_str(), command), (bot, pass));
        world.send(bot, &snapshot(3, "igo", &["E5", "C3"])).await;
        let (_, command) = world.command().await;
        assert!(matches!(command, Command::Play { ply: 2, .. }), "{command:?}");
    }
    world.stop().await;
}

/// A game that is lost for good is given up.
#[tokio::test]
async fn a_lost_game_is_resigned() {
    // White has only ever passed, and puts one stone into Black's net.
    let mut moves = Vec::new();
    for column in ["A", "B", "C", "D", "E", "F", "G", "H", "J"] {
        for row in ["4", "6", "8"] {
            moves.extend([format!("{column}{row}"), "pass".to_owned()]);
        }
    }
    for point in ["C5", "G7", "E3"] {
        moves.extend([point.to_owned(), "pass".to_owned()]);
    }
    moves.push("E2".to_owned());
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    let mut world = World::start().await;
    for bot in ["Nigiri Easy", "Nigiri Normal", "Nigiri Hard"] {
        world.send(bot, &snapshot(4, "quick", &moves)).await;
        let (by, command) = world.command().await;
        assert_eq!(
            (by.as_str(), command),
            (bot, Command::Resign { game: world::game(4), id: format!("{}-61", world::game(4)) })
        );
    }
    world.stop().await;
}
