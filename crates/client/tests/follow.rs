//! A game that is followed update by update, beside the game as the server has it.

use futures::StreamExt;
use nigiri_client::{Game, Watch, Watched, advance, follow, proto::game::v1::GameSnapshot};
use testkit::{World, per_move};

/// The game as the server tells it to somebody who comes now; the time of telling left out.
async fn told(game: &Game) -> GameSnapshot {
    match game.watch(None).next().await {
        Some(Ok(Watched::Snapshot(snapshot))) => GameSnapshot { server_time: None, ..*snapshot },
        other => panic!("no snapshot: {other:?}"),
    }
}

/// Follows until this entry.
async fn until(sequence: u64, watch: &mut Watch, now: &mut GameSnapshot) {
    while now.sequence < sequence {
        let watched = watch.next().await.expect("the game goes on").expect("a stream");
        follow(now, watched).expect("a position");
    }
}

/// After moves, captures, a pass, moves that were taken back, and the end, what was followed is what the server has, to the last field. So is what comes of
/// the entries alone, from the first one on.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_followed_is_what_the_server_has() {
    let world = World::with(&["--bots=false"]).await;
    let players = [world.guest("Honinbo").await, world.guest("Meijin").await];
    let [black, white] = world.game("followed", [&players[0], &players[1]], per_move("quick", 7.0, 60)).await;
    let (mut watch, mut from_the_start) = (black.watch(None), black.watch(Some(0)));
    let (mut now, mut folded) = (GameSnapshot::default(), GameSnapshot::default());
    black.play(0, "A2").await.expect("a move");
    white.play(1, "A1").await.expect("a move");
    let captured = black.play(2, "B1").await.expect("a capture");
    until(captured, &mut watch, &mut now).await;
    assert!(now.board[8].starts_with(".X") && now.board[7].starts_with('X'), "{:?}", now.board);
    white.pass(3).await.expect("a pass");
    // The pass, then the capture: what it took is there again.
    for (asks, answers, ply, id) in [(&white, &black, 4, 1), (&black, &white, 5, 2)] {
        asks.request_takeback(ply).await.expect("asked");
        let sequence = answers.answer(id, ply, true).await.expect("agreed");
        until(sequence, &mut watch, &mut now).await;
        assert_eq!(GameSnapshot { server_time: None, ..now.clone() }, told(&black).await);
    }
    assert!(now.board[8].starts_with("O.") && now.moves == ["A2", "A1"], "{:?} {:?}", now.board, now.moves);
    let end = white.resign().await.expect("resigned");
    until(end, &mut watch, &mut now).await;
    assert_eq!(GameSnapshot { server_time: None, ..now }, told(&black).await);
    while folded.sequence < end {
        if let Watched::Update(update) = from_the_start.next().await.expect("an entry").expect("a stream") {
            advance(&mut folded, &update).expect("a position");
        }
    }
    let last = told(&black).await;
    assert_eq!((folded.board, folded.moves, folded.result), (last.board, last.moves, last.result));
    world.stop().await;
}
