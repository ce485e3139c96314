//! From requests to the words of this service: everything that is wrong with one is found at once.

use nigiri_proto::{
    game::v1::Color,
    matchmaking::v1::{AiLevel, FindMatchRequest, StartAiGameRequest},
};
use pairing::Colors;
use platform::{
    auth::{Identity, Role},
    status::{Failure, Reason, Violation},
};

use crate::{
    ai_game::Wanted,
    challenge::Party,
    error::Error,
    kinds,
    replica::Seen,
    ticket::{Player, Wish},
    wire,
};

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

/// Whoever may answer challenges: a person, or a bot.
///
/// # Errors
/// When a service calls.
pub fn party(identity: &Identity) -> Result<Party, Error> {
    match identity.role {
        Role::Bot => Ok(Party { player: bot(identity)?, bot: true }),
        _ => Ok(Party { player: person(identity)?, bot: false }),
    }
}

/// What a player would accept, and what their client knows.
///
/// # Errors
/// [`Error::Invalid`].
pub fn wish(request: &FindMatchRequest) -> Result<(Wish, Seen), Error> {
    let (places, mut violations) = kinds::read(&request.accepts);
    let wish = Wish {
        kinds: kinds::kinds(places, request.rated, !request.rated || request.unrated_too),
        colors: wire::colors(color(request.color, &mut violations)),
        weaker_by: request.weaker_by.unwrap_or(u32::MAX),
        stronger_by: request.stronger_by.unwrap_or(u32::MAX),
        allow_ai: request.allow_ai,
        keep_looking: request.keep_looking,
    };
    let has_choice = kinds::list(wish.kinds).all(|(kind, rated)| kind.has_choice_of_color() && !rated);
    if wish.colors != Colors::Any && !has_choice {
        let words = "colours are dealt, except in unrated games of weiqi and igo";
        violations.push(Violation::new("color", words));
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
    if violations.is_empty() { Ok((wish, seen)) } else { Err(Error::Invalid(violations)) }
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
    let color = color(request.color, &mut violations);
    request_id(&request.request_id, &mut violations);
    if violations.is_empty() {
        let color = (color != Color::Unspecified).then_some(color);
        let StartAiGameRequest { settings, request_id, bot_name, .. } = request;
        let bot = Some(bot_name).filter(|name| !name.is_empty());
        Ok(Wanted { player, level, bot, color, settings, request_id })
    } else {
        Err(Error::Invalid(violations))
    }
}

/// An id of the client's making.
pub(crate) fn request_id(id: &str, violations: &mut Vec<Violation>) {
    if !(1..=64).contains(&id.chars().count()) || id.chars().any(char::is_control) {
        let words = "an id of your making, 1 to 64 characters, none of them a control character";
        violations.push(Violation::new("request_id", words));
    }
}

/// A colour, or none.
pub(crate) fn color(color: i32, violations: &mut Vec<Violation>) -> Color {
    Color::try_from(color).unwrap_or_else(|_| {
        let words = format!("{color} is not a colour; 1 is Black, 2 is White, 0 is random");
        violations.push(Violation::new("color", words));
        Color::Unspecified
    })
}

/// What the levels are called.
const LEVELS: &str = "1 is easy, 2 normal, 3 hard";

/// The level that a bot plays at.
pub(crate) fn level(level: i32, violations: &mut Vec<Violation>) -> AiLevel {
    let level = AiLevel::try_from(level).unwrap_or_default();
    if level == AiLevel::Unspecified {
        violations.push(Violation::new("level", format!("a level is needed: {LEVELS}")));
    }
    level
}
