use goban::Color;
use search::{Budget, Level};

use crate::arena::{Player, play};

/// The share of games that the first of two players wins, with alternating colours; a draw counts half.
fn share(first: &Player, second: &Player, games: u64, seed: u64) -> f64 {
    let points: f64 = (0..games)
        .map(|game| {
            let (players, own) =
                if game % 2 == 0 { ([first, second], Color::Black) } else { ([second, first], Color::White) };
            let played = play(players, seed + game);
            println!("{} after {} moves", played.result, played.position.ply());
            match played.winner {
                Some(winner) if winner == own => 1.0,
                Some(_) => 0.0,
                None => 0.5,
            }
        })
        .sum();
    points / games as f64
}

/// Easy play is far better than random play.
#[test]
fn easy_beats_random_play() {
    let won = share(&Player::level(Level::Easy), &Player::Random, 40, 1);
    assert!(won >= 0.95, "{won}");
}

/// Normal clearly beats easy, and by no sleight: both have what they usually have.
#[test]
fn normal_beats_easy() {
    let won = share(&Player::level(Level::Normal), &Player::level(Level::Easy), 12, 100);
    assert!(won >= 0.75, "{won}");
}

/// Thinking helps: what hard has more than normal, at a tenth of the scale so that it takes seconds. The whole scale is
/// played by the example `tournament`.
#[test]
fn hard_beats_normal() {
    let scaled = |level| Player::Level(level, Budget::of(level).playouts / 10 + 60);
    let won = share(&scaled(Level::Hard), &scaled(Level::Normal), 12, 200);
    assert!(won >= 0.65, "{won}");
}
