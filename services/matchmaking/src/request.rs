//! From requests to the words of this service: everything that is wrong with one is found at once.

use goban::Preset;
use nigiri_proto::{
    game::v1::Color,
    matchmaking::v1::{AiLevel, FindMatchRequest, StartAiGameRequest},
};
use platform::{
    auth::{Identity, Role},
    status::{Failure, Reason, Violation},
};

use crate::{
    ai_game::Wanted,
    error::Error,
    replica::Seen,
    ticket::{Player, Presets, Wish},
    wave::OFFERED,
};

/// The longest list of accepted games that makes sense.
const LONGEST_LIST: usize = 16;

/// The person who calls.
///
/// # Errors
/// When a bot or a service calls.
pub fn person(identity: &Identity) -> Result<Player, Error> {
    match (identity.role, identity.player()) {
        (Role::Player | Role::Operator, Ok(id)) => {
            Ok(Player { id, name: identity.name.as_ref().into(), guest: identity.guest })
        }
        _ => {
            let words = "this call is for people: bots are offered with OfferBot";
            Err(Error::Caller(Failure::new(Reason::RoleRequired, words).with("role", Role::Player)))
        }
    }
}

/// The bot that calls.
///
/// # Errors
/// When anybody else calls.
pub fn bot(identity: &Identity) -> Result<Player, Error> {
    Ok(Player { id: identity.bot()?, name: identity.name.as_ref().into(), guest: false })
}

/// What a player would accept, and what their client knows.
///
/// # Errors
/// [`Error::Invalid`].
pub fn wish(request: &FindMatchRequest) -> Result<(Wish, Seen), Error> {
    let mut violations = Vec::new();
    let mut accepts = Presets::default();
    let names: Vec<_> = OFFERED.iter().map(|preset| preset.name()).collect();
    let offered = format!("there is {}", names.join(", "));
    if request.accepts.is_empty() || request.accepts.len() > LONGEST_LIST {
        let words = format!("one to {LONGEST_LIST} kinds of games; {offered}");
        violations.push(Violation::new("accepts", words));
    }
    for (place, settings) in request.accepts.iter().take(LONGEST_LIST).enumerate() {
        match settings.preset.parse::<Preset>() {
            Ok(preset) if OFFERED.contains(&preset) => accepts = accepts.with(preset),
            _ => {
                let given: String = settings.preset.chars().take(32).collect();
                let words = format!("{given:?} is not to be had here; {offered}");
                violations.push(Violation::new(format!("accepts[{place}].preset"), words));
            }
        }
    }
    let seen = match request.seen_game_id.as_deref() {
        None => Seen::Unsaid,
        Some("") => Seen::Last(None),
        Some(id) => id.parse().map_or_else(
            |error| {
                violations.push(Violation::new("seen_game_id", error));
                Seen::Unsaid
            },
            |game| Seen::Last(Some(game)),
        ),
    };
    if violations.is_empty() {
        Ok((Wish { accepts, rated: request.rated, allow_ai: request.allow_ai }, seen))
    } else {
        Err(Error::Invalid(violations))
    }
}

/// The game against an AI that a player asks for.
///
/// # Errors
/// [`Error::Invalid`].
pub fn wanted(player: Player, request: StartAiGameRequest) -> Result<Wanted, Error> {
    let mut violations = Vec::new();
    let level = AiLevel::try_from(request.level).unwrap_or_else(|_| {
        let words = format!("{} is not a level; {LEVELS}, or unspecified for any", request.level);
        violations.push(Violation::new("level", words));
        AiLevel::Unspecified
    });
    let color = Color::try_from(request.color).unwrap_or_else(|_| {
        let words = format!("{} is not a colour; 1 is Black, 2 is White, 0 is random", request.color);
        violations.push(Violation::new("color", words));
        Color::Unspecified
    });
    let (id, control) = (&request.request_id, char::is_control as fn(char) -> bool);
    if !(1..=64).contains(&id.chars().count()) || id.chars().any(control) {
        let words = "an id of your making, 1 to 64 characters, none of them a control character";
        violations.push(Violation::new("request_id", words));
    }
    if violations.is_empty() {
        let color = (color != Color::Unspecified).then_some(color);
        let (settings, request_id) = (request.settings, request.request_id);
        Ok(Wanted { player, level, color, settings, request_id })
    } else {
        Err(Error::Invalid(violations))
    }
}

/// What the levels are called.
const LEVELS: &str = "1 is easy, 2 normal, 3 hard";

/// The level that a bot plays at.
///
/// # Errors
/// [`Error::Invalid`].
pub fn level(level: i32) -> Result<AiLevel, Error> {
    match AiLevel::try_from(level) {
        Ok(level) if level != AiLevel::Unspecified => Ok(level),
        _ => Err(Error::Invalid(vec![Violation::new("level", format!("a level is needed: {LEVELS}"))])),
    }
}
