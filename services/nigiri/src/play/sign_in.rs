//! Signing in with an identity, from a terminal that has no browser.

use nigiri_client::{Client, Joining, Session, reason};

use super::{Screen, words::plain};

/// Says what to type where, and waits until it is done.
///
/// # Errors
/// When signing in is off here, the person says no, or it takes too long.
pub async fn sign_in(client: &Client, joining: &Joining, screen: &mut Screen) -> anyhow::Result<Session> {
    let begun = match client.start_device_sign_in().await {
        Err(error) if error.is(reason::SIGN_IN_OFF) => {
            anyhow::bail!("this server has no sign-in: play as a guest, without --sign-in")
        }
        begun => begun?,
    };
    screen.say(&format!("Open {} and type {}", plain(&begun.url), plain(&begun.user_code)))?;
    match begun.finish(joining).await {
        Err(error) if error.is(reason::PLAYED_EACH_OTHER) => anyhow::bail!(
            "the guest of this terminal and your account have played each other, so they stay two: \
             sign in with another --session-file"
        ),
        session => Ok(session?),
    }
}
