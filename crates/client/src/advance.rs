//! A game as it stands after each update, for programs that need the board.

use nigiri_proto::game::v1::{Color, GameSnapshot, GameUpdate, game_event::Event};

use crate::{
    Watched,
    position::{PositionError, position_of},
};

/// Makes a snapshot the next one: what the server would send as a snapshot after this update. The board needs no rules, since the server tells what a
/// stone captured; only after moves were taken back are those that are left played again.
///
/// ```
/// use nigiri_client::{advance, proto::game::v1::{GameEvent, GameSnapshot, GameUpdate, MovePlayed, game_event::Event}};
///
/// let mut game = GameSnapshot { board: vec!["OX".into(), ".X".into()], ..Default::default() };
/// let stone = MovePlayed { color: 1, point: "A1".into(), captured: vec!["A2".into()] };
/// let events = vec![GameEvent { event: Some(Event::MovePlayed(stone)) }];
/// advance(&mut game, &GameUpdate { sequence: 7, events, ..Default::default() })?;
/// assert_eq!((game.board, game.moves, game.sequence), (vec![".X".into(), "XX".into()], vec!["A1".into()], 7));
/// # Ok::<(), nigiri_client::PositionError>(())
/// ```
///
/// # Errors
/// When moves were taken back and those that are left make no position: a game of a newer server, for example. A new [`crate::Game::watch`] begins with
/// the server's own snapshot.
pub fn advance(game: &mut GameSnapshot, update: &GameUpdate) -> Result<(), PositionError> {
    for event in update.events.iter().filter_map(|event| event.event.as_ref()) {
        match event {
            Event::Created(created) => {
                game.settings.clone_from(&created.settings);
                game.seats.clone_from(&created.seats);
                game.create_time = update.event_time;
                game.moves.clear();
                redraw(game)?;
            }
            Event::MovePlayed(played) => {
                put(&mut game.board, &played.point, mark(played.color()));
                played.captured.iter().for_each(|point| put(&mut game.board, point, '.'));
                game.moves.push(played.point.clone());
            }
            Event::Passed(_) => game.moves.push("pass".to_owned()),
            Event::TakenBack(taken) => {
                let left = game.moves.len().saturating_sub(taken.moves as usize);
                game.moves.truncate(left);
                redraw(game)?;
            }
            Event::Finished(finished) => {
                game.result.clone_from(&finished.result);
                game.verdict.clone_from(&finished.verdict);
            }
            // Nothing else changes more than the state.
            _ => {}
        }
    }
    game.sequence = update.sequence;
    game.state.clone_from(&update.state);
    game.server_time = update.server_time;
    Ok(())
}

/// Likewise, by whatever a watcher gets. Whether the game is another one now.
///
/// # Errors
/// As [`advance`].
pub fn follow(game: &mut GameSnapshot, watched: Watched) -> Result<bool, PositionError> {
    match watched {
        Watched::Snapshot(snapshot) => *game = *snapshot,
        Watched::Update(update) => advance(game, &update)?,
        Watched::Heartbeat(_) | Watched::Interrupted(_) => return Ok(false),
    }
    Ok(true)
}

fn redraw(game: &mut GameSnapshot) -> Result<(), PositionError> {
    let position = position_of(game)?;
    let board = position.board();
    let size = board.size();
    let row = |row: u8| {
        let stone = |column: u8| board.stone(goban::Point::new(column, row));
        (0..size.columns()).map(|column| stone(column).map_or('.', letter)).collect()
    };
    game.board = (0..size.rows()).rev().map(row).collect();
    Ok(())
}

fn put(board: &mut [String], point: &str, mark: char) {
    let Ok(point) = point.parse::<goban::Point>() else { return };
    let row = board.len().checked_sub(usize::from(point.row()) + 1);
    let Some(line) = row.and_then(|row| board.get_mut(row)) else { return };
    let at = usize::from(point.column());
    // A row has a letter of ASCII for each point.
    if line.is_char_boundary(at) && line.is_char_boundary(at + 1) && at < line.len() {
        line.replace_range(at..=at, mark.encode_utf8(&mut [0; 4]));
    }
}

fn letter(color: goban::Color) -> char {
    match color {
        goban::Color::Black => 'X',
        goban::Color::White => 'O',
    }
}

fn mark(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
        Color::Unspecified => '.',
    }
}
