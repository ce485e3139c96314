//! What the programs that play have in common: a random legal move, from what the server says of the board.

use nigiri_client::{
    Error, Session,
    proto::game::v1::{Color, GameSnapshot, IllegalPoint},
    reason,
};

const COLUMNS: &str = "ABCDEFGHJKLMNOPQRST";

/// Answers a turn: with a random move, or with a pass when the opponent has passed, for then the board is counted. What was played.
///
/// # Errors
/// When the server cannot be reached for long, or refuses for another reason than that the game has moved on.
pub async fn answer(session: &Session, now: &GameSnapshot) -> anyhow::Result<String> {
    let game = session.game(now.game_id.parse()?);
    let state = now.state.clone().unwrap_or_default();
    let passed = now.moves.last().is_some_and(|last| last == "pass");
    let chosen = choose(now).filter(|_| !passed);
    let sent = match &chosen {
        Some(point) => game.play(state.ply, point).await,
        None => game.pass(state.ply).await,
    };
    match sent {
        Err(error) if !has_moved_on(&error) => Err(error.into()),
        _ => Ok(chosen.unwrap_or_else(|| "pass".to_owned())),
    }
}

/// Whether the game has gone on since the state that was answered: the next one is on its way.
fn has_moved_on(error: &Error) -> bool {
    [reason::STALE_PLY, reason::NOT_YOUR_TURN, reason::GAME_OVER].iter().any(|name| error.is(name))
}

/// A random legal move of the player to move that fills no eye of their own; none if there is no such move.
fn choose(now: &GameSnapshot) -> Option<String> {
    let state = now.state.as_ref()?;
    let own = if state.turn() == Color::Black { b'X' } else { b'O' };
    let rows: Vec<&[u8]> = now.board.iter().map(String::as_bytes).collect();
    let stone = |row: usize, column: usize| rows.get(row).and_then(|row| row.get(column)).copied();
    let is_eye = |row: usize, column: usize| {
        let around = [
            stone(row.wrapping_sub(1), column),
            stone(row + 1, column),
            stone(row, column.wrapping_sub(1)),
            stone(row, column + 1),
        ];
        around.iter().flatten().all(|&stone| stone == own)
    };
    let illegal = |name: &str| state.illegal_points.iter().any(|IllegalPoint { point, .. }| point == name);
    let mut sensible = Vec::new();
    for row in 0..rows.len() {
        for (column, letter) in COLUMNS.chars().take(rows.len()).enumerate() {
            let name = format!("{letter}{}", rows.len() - row);
            if stone(row, column) == Some(b'.') && !is_eye(row, column) && !illegal(&name) {
                sensible.push(name);
            }
        }
    }
    (!sensible.is_empty()).then(|| sensible.swap_remove(rand::random_range(0..sensible.len())))
}
