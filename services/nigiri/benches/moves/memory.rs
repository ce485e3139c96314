//! Memory of a live game: players who meet, follow and play as everybody does.

use futures::StreamExt;
use kernel::GameId;
use nigiri_client::{Client, Color, Finding, Options, Session};
use nigiri_proto::matchmaking::v1::{FindMatchRequest, MatchSettings};

use crate::{cluster, crowd::endpoints, resident};

/// What a live game with both players watching costs the game service in resident memory.
pub async fn measure() {
    let cluster = cluster().await;
    const GAMES: usize = 1000;
    const CONNECTIONS: usize = 20;
    const PLIES: u32 = 40;
    let endpoints = endpoints(&cluster);
    let clients: Vec<_> =
        (0..CONNECTIONS).map(|_| Client::with_endpoints(&endpoints, Options::default()).unwrap()).collect();
    let game_process = crate::crowd::game_process(&cluster);
    let sessions: Vec<Session> = futures::stream::iter(0..2 * GAMES)
        .map(|number| {
            let client = clients[number % CONNECTIONS].clone();
            async move { client.sign_in_as_guest(&format!("Sitter{number}")).await.unwrap() }
        })
        .buffered(64)
        .collect()
        .await;
    let before = resident(game_process);
    let seats: Vec<(Session, GameId, Color)> =
        futures::future::join_all(sessions.into_iter().map(|session| async move {
            let accepts = vec![MatchSettings { preset: "quick".into(), ..MatchSettings::default() }];
            let mut search = session.find_match(FindMatchRequest { accepts, ..FindMatchRequest::default() });
            while let Some(finding) = search.next().await {
                if let Finding::Matched(matched) = finding.unwrap() {
                    return (session.clone(), matched.game_id.parse().unwrap(), matched.color());
                }
            }
            panic!("the search ended without a game");
        }))
        .await;
    let mut watches = Vec::new();
    for (session, id, _) in &seats {
        let mut watch = session.game(*id).watch(None);
        watch.next().await.unwrap().unwrap();
        watches.push(watch);
    }
    let watches: Vec<_> =
        watches.into_iter().map(|watch| tokio::spawn(watch.for_each(|_| async {}))).collect();
    let fresh = resident(game_process);
    for ply in 0..PLIES {
        let color = if ply % 2 == 0 { Color::Black } else { Color::White };
        let row = ply / 9 + if ply % 2 == 0 { 1 } else { 5 };
        let column = "ABCDEFGHJ".chars().nth(ply as usize % 9).unwrap();
        let point = format!("{column}{row}");
        let movers = seats.iter().filter(|(_, _, seat)| *seat == color);
        futures::stream::iter(movers)
            .for_each_concurrent(64, |(session, id, _)| {
                let (game, point) = (session.game(*id), point.clone());
                async move {
                    game.play(ply, &point).await.unwrap();
                }
            })
            .await;
    }
    let grown = resident(game_process);
    let per_game = |now: u64| (now.saturating_sub(before)) as f64 / GAMES as f64;
    println!(
        "\nmemory of the game service: {GAMES} live games, 2 streams each over {CONNECTIONS} connections: {:.1} KiB a game at ply 0, {:.1} KiB at ply {PLIES}",
        per_game(fresh),
        per_game(grown)
    );
    watches.iter().for_each(tokio::task::JoinHandle::abort);
}
