use futures::StreamExt;
use nigiri_proto::game::v1::game_event::Event as Said;
use referee::{Command, Control};

use super::*;
use crate::testing::{Replica, World, player, secs};

const MANNER: Manner = Manner {
    heartbeat: Duration::from_secs(15),
    beats_since: None,
    stay: Duration::from_secs(600),
    settle: Duration::ZERO,
    ping: None,
};

/// A player's stream of the game of this world, which begins with a snapshot.
async fn stream(world: &World, replica: &Replica, shutdown: &Shutdown) -> FrameStream {
    let live = replica.games.get(world.game).await.unwrap();
    let held = replica.presence.open(&live, player("white"));
    let mut stream = watch(replica.games.clone(), live, held, None, None, MANNER, shutdown);
    assert!(matches!(next(&mut stream).await, Some(Wire::Snapshot(_))));
    stream
}

async fn next(stream: &mut FrameStream) -> Option<Wire> {
    let frame = stream.next().await?.unwrap();
    Some(frame.decode().unwrap().message.unwrap())
}

/// What the next message tells, which is an update.
async fn told(stream: &mut FrameStream) -> Vec<Said> {
    let Some(Wire::Update(update)) = next(stream).await else { panic!("no update") };
    update.events.into_iter().map(|event| event.event.unwrap()).collect()
}

/// After the end a stream tells of the wish for another game, and of the game; then it says that nothing more comes.
#[tokio::test]
async fn a_stream_tells_of_the_rematch_and_ends() {
    let world = World::new().await;
    let replica = world.replica();
    let mut stream = stream(&world, &replica, &Shutdown::new()).await;
    let (games, game) = (&replica.games, world.game);
    games.command(game, player("black"), "enough", Command::Resign, "").await.unwrap();
    assert!(matches!(told(&mut stream).await[..], [Said::Finished(_)]));
    let (_, next_game) = games.rematch(game, player("white"), "again", "").await.unwrap();
    assert_eq!(next_game, None);
    assert!(matches!(told(&mut stream).await[..], [Said::RematchRequested(_)]));
    let elsewhere = world.replica();
    let hear = async {
        let said = told(&mut stream).await;
        let Some(Said::RematchAgreed(agreed)) = said.last() else { panic!("{said:?}") };
        let next = agreed.game_id.parse().unwrap();
        assert!(
            elsewhere.games.get(next).await.is_ok(),
            "whoever hears of the next game can enter it at once"
        );
        next
    };
    let (heard, asked) = tokio::join!(hear, games.rematch(game, player("black"), "yes", ""));
    assert_eq!(asked.unwrap().1, Some(heard));
    assert!(matches!(next(&mut stream).await, Some(Wire::Ended(_))));
    assert!(next(&mut stream).await.is_none());
}

/// Where nobody wants another game, the stream of a finished game says so after its time, and one that is opened later says so at once.
#[tokio::test]
async fn a_stream_of_a_finished_game_ends_in_time() {
    let world = World::new().await;
    let replica = world.replica();
    let mut first = stream(&world, &replica, &Shutdown::new()).await;
    replica.games.command(world.game, player("black"), "enough", Command::Resign, "").await.unwrap();
    assert!(matches!(told(&mut first).await[..], [Said::Finished(_)]));
    tokio::time::pause();
    world.clock.advance(secs(599));
    assert!(matches!(next(&mut first).await, Some(Wire::Heartbeat(_))));
    world.clock.advance(secs(1));
    assert!(matches!(next(&mut first).await, Some(Wire::Ended(_))));
    assert!(next(&mut first).await.is_none());
    let mut late = stream(&world, &replica, &Shutdown::new()).await;
    assert!(matches!(next(&mut late).await, Some(Wire::Ended(_))));
    assert!(next(&mut late).await.is_none());
}

/// A move of which no hint came is found by a look at the log, long before the time for the answer to it has run out.
#[tokio::test]
async fn a_move_of_which_no_hint_came_is_found_in_time() {
    let world = World::with(Control::PerMove { time: secs(30) }).await;
    // Neither of them listens to what the other writes.
    let (replica, other) = (world.replica(), world.replica());
    other.games.get(world.game).await.unwrap();
    let mut stream = stream(&world, &replica, &Shutdown::new()).await;
    let play = Command::Play { ply: 2, point: "A1".parse().unwrap() };
    other.games.command(world.game, player("black"), "unheard", play, "").await.unwrap();
    tokio::time::pause();
    let began = Instant::now();
    assert!(matches!(told(&mut stream).await[..], [Said::MovePlayed(_)]));
    assert!(began.elapsed() < MANNER.heartbeat + secs(1));
}

/// A stream of a replica that goes away says so, in its turn, and ends.
#[tokio::test]
async fn a_stream_says_that_its_replica_drains() {
    let world = World::new().await;
    let (replica, shutdown) = (world.replica(), Shutdown::new());
    let mut stream = stream(&world, &replica, &shutdown).await;
    shutdown.drain_over(secs(5));
    assert!(matches!(next(&mut stream).await, Some(Wire::Draining(_))));
    assert!(next(&mut stream).await.is_none());
}

/// A reader who takes nothing while a game goes on gets the position as it is and not what was missed, however much that was, and then what comes after it.
#[tokio::test]
async fn a_slow_reader_gets_the_position_as_it_is() {
    let world = World::new().await;
    let replica = world.replica();
    let mut stream = stream(&world, &replica, &Shutdown::new()).await;
    let mut ply = 2;
    for row in [1, 2, 3] {
        for column in ["A", "B", "C", "F", "G", "H"] {
            for (name, row) in [("black", row), ("white", row + 6)] {
                let play = Command::Play { ply, point: format!("{column}{row}").parse().unwrap() };
                replica.games.command(world.game, player(name), &format!("{ply}"), play, "").await.unwrap();
                ply += 1;
            }
        }
    }
    let Some(Wire::Snapshot(snapshot)) = next(&mut stream).await else { panic!("no snapshot") };
    assert_eq!(snapshot.sequence, 39, "the creation and 38 moves");
    let play = Command::Play { ply, point: "J9".parse().unwrap() };
    replica.games.command(world.game, player("black"), "last", play, "").await.unwrap();
    let Some(Wire::Update(update)) = next(&mut stream).await else { panic!("no update") };
    assert_eq!(update.sequence, 40);
}

/// A player for whom a stream is open while the game says that they are away is marked as back; one who has said that they leave is not.
#[tokio::test]
async fn an_open_stream_is_a_return_unless_the_player_has_left() {
    let world = World::new().await;
    let replica = world.replica();
    let mut stream = stream(&world, &replica, &Shutdown::new()).await;
    let away = Command::MarkAway { color: goban::Color::White };
    replica.games.mark(world.game, away).await.unwrap();
    assert!(matches!(told(&mut stream).await[..], [Said::PlayerAway(_)]));
    // The stream looks at the game before it waits for more.
    assert!(futures::poll!(stream.next()).is_pending());
    replica.presence.tick().await;
    assert!(matches!(told(&mut stream).await[..], [Said::PlayerBack(_)]));
    replica.games.command(world.game, player("white"), "bye", Command::Leave, "").await.unwrap();
    assert!(matches!(told(&mut stream).await[..], [Said::PlayerAway(_)]));
    assert!(futures::poll!(stream.next()).is_pending());
    replica.presence.tick().await;
    assert!(futures::poll!(stream.next()).is_pending());
}

/// Who looks on is counted for as long as their stream lives; players are not.
#[tokio::test]
async fn who_looks_on_is_counted() {
    let world = World::new().await;
    let replica = world.replica();
    let live = replica.games.get(world.game).await.unwrap();
    let _player = stream(&world, &replica, &Shutdown::new()).await;
    assert_eq!(live.spectators(), 0);
    let mut other = watch(replica.games.clone(), live.clone(), None, None, None, MANNER, &Shutdown::new());
    assert!(matches!(next(&mut other).await, Some(Wire::Snapshot(_))));
    assert_eq!(live.spectators(), 1);
    drop(other);
    assert_eq!(live.spectators(), 0);
}

/// However many look on at a replica, an entry is encoded once for all of them, and the ledger is asked nothing for them: they share the one subscription of the replica.
#[tokio::test]
async fn a_thousand_watchers_cost_one_encoding() {
    let world = World::new().await;
    let (replica, other) = (world.replica(), world.replica());
    let games = replica.games.clone();
    let following = tokio::spawn(async move { games.follow().await });
    let live = replica.games.get(world.game).await.unwrap();
    other.games.get(world.game).await.unwrap();
    let shutdown = Shutdown::new();
    // From here on the replica hears what the other one writes.
    tokio::task::yield_now().await;
    let asked = world.ledger.asked();
    let mut streams = Vec::new();
    for _ in 0..1_000 {
        let games = replica.games.clone();
        let mut stream = watch(games, live.clone(), None, None, None, MANNER, &shutdown);
        assert!(matches!(next(&mut stream).await, Some(Wire::Snapshot(_))));
        streams.push(stream);
    }
    let play = Command::Play { ply: 2, point: "A1".parse().unwrap() };
    other.games.command(world.game, player("black"), "move", play, "").await.unwrap();
    for stream in &mut streams {
        assert!(matches!(told(stream).await[..], [Said::MovePlayed(_)]));
    }
    assert_eq!(world.ledger.asked() - asked, 1, "the move itself");
    let [one, two] = [(); 2].map(|()| match live.missed(3) {
        Missed::Updates(updates) => updates,
        _ => panic!("the last entry is not kept"),
    });
    assert!(one.len() == 1 && two.len() == 1 && one[0].is_one_with(&two[0]));
    following.abort();
}

/// Whoever comes to a game, by whichever replica, sees who is gone and until when the game waits for them, and what is proposed and under which number.
#[tokio::test]
async fn a_snapshot_has_both_presences_and_what_is_proposed() {
    let world = World::new().await;
    let (replica, other) = (world.replica(), world.replica());
    let (games, game, now) = (&replica.games, world.game, world.clock.now());
    games.command(game, player("black"), "draw", Command::OfferDraw { ply: 2 }, "").await.unwrap();
    games.mark(game, Command::MarkAway { color: goban::Color::White }).await.unwrap();
    games.command(game, player("black"), "bye", Command::Leave, "").await.unwrap();
    let live = other.games.get(game).await.unwrap();
    let state = live.snapshot(now).unwrap().state.unwrap();
    let gone: Vec<_> = state.absences.iter().map(|gone| (gone.color(), gone.left, gone.deadline)).collect();
    let until = |grace| Some(to_proto_time(now + secs(grace)));
    assert_eq!(gone, [(pb::Color::Black, true, until(10)), (pb::Color::White, false, until(60))]);
    let [proposal] = &state.proposals[..] else { panic!("{:?}", state.proposals) };
    assert_eq!((proposal.color(), proposal.proposal_id, proposal.version), (pb::Color::Black, 1, 2));
    assert_eq!(proposal.kind(), pb::ProposalKind::Draw);
}

/// A game in which nothing happens lets go of what its watchers have been told. Who has it all gets the next move as a move; who did not read meanwhile gets the position as it is, and who comes
/// back with what was seen last gets what came since, from the log.
#[tokio::test]
async fn a_game_at_rest_keeps_little_and_nobody_misses_anything() {
    let world = World::new().await;
    let replica = world.replica();
    let (games, game) = (&replica.games, world.game);
    let (mut reader, mut sleeper) =
        (stream(&world, &replica, &Shutdown::new()).await, stream(&world, &replica, &Shutdown::new()).await);
    let play = async |ply: u32, point: &str| {
        let (name, point) = (["black", "white"][ply as usize % 2], point.parse().unwrap());
        games.command(game, player(name), point_id(ply), Command::Play { ply, point }, "").await.unwrap();
    };
    for (ply, point) in [(2, "A1"), (3, "A2"), (4, "A3"), (5, "A4")] {
        play(ply, point).await;
        assert!(matches!(told(&mut reader).await[..], [Said::MovePlayed(_)]));
    }
    let live = games.get(game).await.unwrap();
    let missed = |live: &LiveGame| match live.missed(3) {
        Missed::Updates(updates) => updates.len(),
        _ => 0,
    };
    games.rest(secs(10));
    assert_eq!(missed(&live), 4, "something has just happened");
    tokio::time::pause();
    tokio::time::advance(secs(11)).await;
    tokio::time::resume();
    games.rest(secs(10));
    assert_eq!(missed(&live), 0, "all but the last two are gone");
    play(6, "A5").await;
    assert!(matches!(told(&mut reader).await[..], [Said::MovePlayed(_)]));
    let Some(Wire::Snapshot(snapshot)) = next(&mut sleeper).await else { panic!("no snapshot") };
    assert_eq!(snapshot.sequence, 8);
    let resumed = resume(games, &live, 3).await.unwrap().unwrap();
    assert_eq!(resumed.iter().map(|update| update.sequence).collect::<Vec<_>>(), [4, 5, 6, 7, 8]);
}

fn point_id(ply: u32) -> &'static str {
    ["0", "1", "2", "3", "4", "5", "6"][ply as usize]
}
