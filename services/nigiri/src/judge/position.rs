//! The position that a request is about: its start, and its moves played one by one.

use goban::{Board, Color, Move, Point, Position, Size, handicap_points};
use serde_json::Value;

use super::{
    refusal::Refusal,
    request::{Request, color},
};

/// Plays a request's moves.
///
/// # Errors
/// What is wrong with the start, or the first move that cannot be played.
pub fn of(request: &Request) -> Result<Position, Refusal> {
    let [black, white] = start(request)?;
    let board = Board::with_stones(request.size, &black, &white)?;
    let first = request.to_move.unwrap_or_else(|| first_to_move(request));
    let mut position = Position::from_board(board, request.rules, first);
    for (index, value) in request.moves.iter().chain(&request.plays).enumerate() {
        let play = |position: &mut Position| {
            let (color, chosen) = if index < request.moves.len() {
                (position.turn(), read_move(value, value.as_str(), position.size())?)
            } else {
                read_play(value, position.size())?
            };
            position.play_as(color, chosen).map_err(Refusal::from)
        };
        play(&mut position).map_err(|refusal| refusal.at(index))?;
    }
    Ok(position)
}

/// In a handicap game White moves first.
const fn first_to_move(request: &Request) -> Color {
    if request.handicap < 2 { Color::Black } else { Color::White }
}

/// Stones of a handicap that nothing else places stand on the fixed points.
fn start(request: &Request) -> Result<[Vec<Point>; 2], Refusal> {
    if let Some(stones) = &request.stones {
        return Ok(stones.clone());
    }
    let first = match (request.moves.first(), request.plays.first()) {
        (None, Some(value)) => read_play(value, request.size).ok().map(|(color, _)| color),
        _ => request.to_move,
    };
    if request.handicap < 2 || first == Some(Color::Black) {
        return Ok([Vec::new(), Vec::new()]);
    }
    let fixed = handicap_points(request.size, request.handicap).ok_or_else(|| {
        let (stones, size) = (request.handicap, request.size);
        Refusal::new(
            "bad_value",
            format!("there are no fixed points for {stones} stones on {size}: name them in \"setup_black\""),
        )
    })?;
    Ok([fixed, Vec::new()])
}

fn read_move(value: &Value, text: Option<&str>, size: Size) -> Result<Move, Refusal> {
    let text = text.ok_or_else(|| Refusal::value("moves", "a list such as [\"D4\", \"pass\"]", value))?;
    match text.parse()? {
        Move::Play(_) => Ok(Move::Play(size.parse_point(text)?)),
        Move::Pass => Ok(Move::Pass),
    }
}

fn read_play(value: &Value, size: Size) -> Result<(Color, Move), Refusal> {
    let wrong = || Refusal::value("plays", "a list such as [\"B D4\", \"W pass\"]", value);
    let (first, rest) = value.as_str().and_then(|text| text.trim().split_once(' ')).ok_or_else(wrong)?;
    Ok((color(first).ok_or_else(wrong)?, read_move(value, Some(rest.trim()), size)?))
}
