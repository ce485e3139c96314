//! Games with somebody whom one knows: a challenge is made or accepted.

use anyhow::bail;
use nigiri_client::{Color, Error, GameId, Session, reason};
use nigiri_proto::{
    game::v1::{GameSettings, time_control::Control},
    matchmaking::v1::{Challenge, ChallengeState, CreateChallengeRequest},
};

use super::{
    input::Lines,
    screen::Screen,
    words::{explain, plain},
};

/// Proposes a game and waits for the answer. None when there is no game: one has said `quit`, or the other has declined.
///
/// # Errors
/// When the server refuses or cannot be reached, or the terminal cannot be written to.
pub async fn propose(
    session: &Session,
    request: CreateChallengeRequest,
    screen: &mut Screen,
    lines: &mut Lines,
) -> anyhow::Result<Option<GameId>> {
    let challenge = match session.create_challenge(request).await {
        Ok(challenge) => challenge,
        Err(error) => bail!(explain(&error)),
    };
    let whom = match &challenge.opponent {
        Some(opponent) => format!("{} can play it with", plain(&opponent.name)),
        None => "Whoever has the code can play it with".to_owned(),
    };
    screen.say(&format!("{whom}: nigiri play join {}", plain(&challenge.code)))?;
    let mut answer = std::pin::pin!(session.challenge_answered(&challenge.code));
    let answered = loop {
        tokio::select! {
            answered = &mut answer => break answered,
            line = lines.next(), if lines.terminal() => match line.as_deref().map(str::trim) {
                None | Some("quit") => match session.cancel_challenge(&challenge.code).await {
                    // Somebody was faster: the answer comes.
                    Err(error) if error.is(reason::CHALLENGE_CLOSED) => {}
                    Err(error) => bail!(explain(&error)),
                    Ok(()) => return Ok(None),
                },
                Some(_) => screen.say("Still waiting for an answer; `quit` withdraws the challenge.")?,
            },
        }
    };
    let answered = answered.map_err(|error| anyhow::anyhow!(explain(&error)))?;
    match answered.state() {
        ChallengeState::Accepted => {
            let opponent = answered.opponent.unwrap_or_default();
            screen.say(&format!("{} has accepted.", plain(&opponent.name)))?;
            Ok(Some(answered.game_id.parse()?))
        }
        state => {
            screen.say(ended(state))?;
            Ok(None)
        }
    }
}

/// Accepts the challenge with this code, or behind this link.
///
/// # Errors
/// When it cannot be accepted, or the terminal cannot be written to.
pub async fn join(session: &Session, link: &str, screen: &mut Screen) -> anyhow::Result<GameId> {
    let code = link.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let accepting = async {
        let challenge = session.challenge(code).await?;
        // A screen that cannot be written to is noticed at the next line.
        let _unsaid = screen.say(&described(&challenge));
        session.accept_challenge(code).await
    };
    match accepting.await {
        Ok(accepted) => Ok(accepted.game_id.parse()?),
        Err(error) => bail!(closed(&error)),
    }
}

fn described(challenge: &Challenge) -> String {
    let challenger = challenge.challenger.clone().unwrap_or_default();
    let settings = challenge.settings.clone().unwrap_or_default();
    let color = match challenge.challenger_color() {
        Color::Black => ", and has Black",
        Color::White => ", and has White",
        Color::Unspecified => "",
    };
    let (preset, side) = (plain(&settings.preset), settings.board_size);
    let rated = if settings.rated { "a rated" } else { "an unrated" };
    let clock = clock(&settings);
    format!("{} proposes {rated} {preset} on {side}x{side}, {clock}{color}.", plain(&challenger.name))
}

fn clock(settings: &GameSettings) -> String {
    match settings.time_control.as_ref().and_then(|time| time.control.as_ref()) {
        Some(Control::PerMove(per_move)) => {
            let time = per_move.time.map_or(0, |time| time.seconds);
            format!("{time} s a move")
        }
        Some(Control::None(_)) => "without a clock".to_owned(),
        Some(_) => "with a clock".to_owned(),
        None => "by the preset's clock".to_owned(),
    }
}

fn closed(error: &Error) -> String {
    let state = error.refusal().and_then(|refusal| refusal.metadata.get("state"));
    let state = state.and_then(|name| ChallengeState::from_str_name(name));
    match state {
        Some(state) if error.is(reason::CHALLENGE_CLOSED) => ended(state).to_owned(),
        _ => explain(error),
    }
}

const fn ended(state: ChallengeState) -> &'static str {
    match state {
        ChallengeState::Accepted => "The challenge has been taken by somebody else.",
        ChallengeState::Declined => "The challenge was declined.",
        ChallengeState::Cancelled => "The challenge was withdrawn.",
        ChallengeState::Expired => "The challenge's time is up.",
        ChallengeState::Open | ChallengeState::Unspecified => "The challenge cannot be played.",
    }
}
