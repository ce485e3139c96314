use goban::{Color, Illegal};
use kernel::{GameId, Timestamp};
use ledger::Sequence;
use nigiri_proto::game::v1 as pb;
use platform::convert::to_proto_time;
use referee::Game;

use super::{color_to_proto, result_to_proto, seats_to_proto, settings_to_proto, table, verdict_to_proto};
use crate::games::preview::Preview;

/// Whose turn it is and what may be played.
pub fn turn_state(game: &Game) -> pb::TurnState {
    let position = game.position();
    let mut state = pb::TurnState {
        turn: color_to_proto(game.turn()).into(),
        ply: game.ply(),
        illegal_points: game
            .illegal_points()
            .into_iter()
            .map(|(point, why)| pb::IllegalPoint { point: point.to_string(), reason: reason(why).into() })
            .collect(),
        deadline: game.deadline().map(to_proto_time),
        captured_by_black: position.captures(Color::Black),
        captured_by_white: position.captures(Color::White),
        ..pb::TurnState::default()
    };
    table::lay(&mut state, game);
    state
}

fn reason(why: Illegal) -> pb::IllegalReason {
    match why {
        Illegal::Occupied => pb::IllegalReason::Occupied,
        Illegal::Suicide => pb::IllegalReason::Suicide,
        Illegal::Ko => pb::IllegalReason::Ko,
        Illegal::Superko => pb::IllegalReason::Superko,
        Illegal::OffBoard => pb::IllegalReason::Unspecified,
    }
}

/// A new entry as watchers get it; `server_time` is filled in when it is sent.
pub fn update(
    game: &Game,
    sequence: Sequence,
    stamp: Timestamp,
    events: Vec<pb::GameEvent>,
) -> pb::GameUpdate {
    pb::GameUpdate {
        sequence,
        event_time: Some(to_proto_time(stamp)),
        events,
        state: Some(turn_state(game)),
        server_time: None,
    }
}

/// What a game would count to now.
pub fn preview_to_proto(preview: &Preview) -> pb::PreviewScoreResponse {
    pb::PreviewScoreResponse {
        sequence: preview.sequence,
        ply: preview.ply,
        verdict: Some(verdict_to_proto(&preview.verdict, preview.size)),
        result: preview.verdict.result.to_string(),
    }
}

/// The game as it stands after entry `sequence`.
pub fn snapshot(id: GameId, game: &Game, sequence: Sequence, now: Timestamp) -> pb::GameSnapshot {
    pb::GameSnapshot {
        game_id: id.to_string(),
        sequence,
        settings: Some(settings_to_proto(game.settings())),
        seats: seats_to_proto(game.seats()),
        board: game.position().board().to_rows(),
        moves: game.moves().map(|chosen| chosen.to_string()).collect(),
        state: Some(turn_state(game)),
        result: game.outcome().as_ref().map(result_to_proto),
        verdict: game.verdict().map(|verdict| verdict_to_proto(verdict, game.settings().size)),
        server_time: Some(to_proto_time(now)),
        create_time: Some(to_proto_time(game.created_at())),
    }
}
