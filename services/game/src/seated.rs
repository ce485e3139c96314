//! Who sits in a game that nobody should play anything else beside, and which games are over: asked by matchmaking for many at once.

use std::collections::HashMap;

use kernel::{GameId, PlayerId};
use nigiri_proto::game::v1::{
    FindSeatedRequest, FindSeatedResponse, GameCreated, SeatedPlayer, time_control::Control,
};
use platform::status::Violation;

use crate::{error::Error, games::Games};

/// Players, or games, of one request.
const MOST: usize = 1_000;

/// Answers [`FindSeatedRequest`].
///
/// # Errors
/// [`Error::Request`] with everything that is wrong; when ledger or store are away.
pub async fn find(games: &Games, asked: &FindSeatedRequest) -> Result<FindSeatedResponse, Error> {
    let mut violations = Vec::new();
    let players: Vec<PlayerId> = ids("player_ids", &asked.player_ids, &mut violations);
    let wanted: Vec<GameId> = ids("game_ids", &asked.game_ids, &mut violations);
    if !violations.is_empty() {
        return Err(Error::Request(violations));
    }
    let mut over_game_ids = Vec::new();
    for game in wanted {
        if games.is_over(game).await? {
            over_game_ids.push(game.to_string());
        }
    }
    Ok(FindSeatedResponse { seated: seated(games, &players).await?, over_game_ids })
}

async fn seated(games: &Games, players: &[PlayerId]) -> Result<Vec<SeatedPlayer>, Error> {
    let mut seats: HashMap<PlayerId, GameId> = HashMap::new();
    for listed in games.store().seats_of(players).await? {
        // A game is in the list until a moment after its end.
        if is_occupying(&listed.created) && !games.is_over(listed.id).await? {
            seats.extend(listed.players.map(|player| (player, listed.id)));
        }
    }
    let seated = |player: &PlayerId| {
        let game_id = seats.get(player)?.to_string();
        Some(SeatedPlayer { player_id: player.to_string(), game_id })
    };
    Ok(players.iter().filter_map(seated).collect())
}

fn ids<T: std::str::FromStr<Err: std::fmt::Display>>(
    field: &str,
    texts: &[String],
    violations: &mut Vec<Violation>,
) -> Vec<T> {
    if texts.len() > MOST {
        violations.push(Violation::new(field, format!("{} of them: at most {MOST}", texts.len())));
        return Vec::new();
    }
    let mut ids = Vec::with_capacity(texts.len());
    for (n, text) in texts.iter().enumerate() {
        match text.parse() {
            Ok(id) => ids.push(id),
            Err(error) => violations.push(Violation::new(format!("{field}[{n}]"), error)),
        }
    }
    ids
}

/// Whether nobody should play anything else beside it: both are people, and a clock runs.
fn is_occupying(game: &GameCreated) -> bool {
    let control =
        game.settings.as_ref().and_then(|settings| settings.time_control.as_ref()?.control.as_ref());
    !matches!(control, Some(Control::None(_))) && game.seats.iter().all(|seat| !seat.bot)
}
