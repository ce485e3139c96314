use std::time::Duration;

use nigiri_proto::session::v1::{
    FinishDeviceSignInRequest, SignInSubject, StartDeviceSignInRequest,
    session_service_client::SessionServiceClient,
};

use crate::{
    Client, Error, Service, Session, client::random_uuid, error::reason, retry::until_answered,
    session::Renewal,
};

/// Between two questions whether the person has agreed, when the server names no pause.
const PAUSE: Duration = Duration::from_secs(5);

/// A sign-in by an identity that has begun in a terminal: the person types [`DeviceSignIn::user_code`] at [`DeviceSignIn::url`], on any device.
#[derive(Debug)]
pub struct DeviceSignIn {
    client: Client,
    id: String,
    pause: Duration,
    /// The code to type.
    pub user_code: String,
    /// The page to type it at.
    pub url: String,
}

/// Who signs in, besides the identity.
#[derive(Clone, Debug, Default)]
pub struct Joining {
    /// The refresh token of a guest who becomes the member, or part of one; empty for none. It is used up.
    pub guest_refresh_token: String,
    /// The name that a new member wishes for; empty for a neutral one.
    pub nickname: String,
}

impl Client {
    /// Begins a sign-in by the identity provider of the server.
    ///
    /// # Errors
    /// [`Error::Refused`] (`SIGN_IN_OFF`); else as [`Session::call`].
    pub async fn start_device_sign_in(&self) -> Result<DeviceSignIn, Error> {
        let call = until_answered(self.options(), self.route(Service::Session), |way| {
            let request = self.timed(StartDeviceSignInRequest {});
            async move { SessionServiceClient::new(way.channel).start_device_sign_in(request).await }
        });
        let begun = call.await.result?;
        let pause = begun.interval.and_then(|interval| Duration::try_from(interval).ok());
        Ok(DeviceSignIn {
            client: self.clone(),
            id: begun.sign_in_id,
            pause: pause.unwrap_or(PAUSE),
            user_code: begun.user_code,
            url: begun.verification_url,
        })
    }
}

impl DeviceSignIn {
    /// Waits until the person has agreed, or the code has expired.
    ///
    /// # Errors
    /// [`Error::Refused`] (`SIGN_IN_DENIED`, `SIGN_IN_UNKNOWN` when it took too long, `PLAYED_EACH_OTHER`); else as [`Session::call`].
    pub async fn finish(self, joining: &Joining) -> Result<Session, Error> {
        let subject = SignInSubject {
            guest_refresh_token: joining.guest_refresh_token.clone(),
            nickname: joining.nickname.clone(),
            request_id: random_uuid(),
        };
        let request = FinishDeviceSignInRequest { sign_in_id: self.id, subject: Some(subject) };
        let mut pause = self.pause;
        loop {
            tokio::time::sleep(pause).await;
            let client = &self.client;
            let call = until_answered(client.options(), client.route(Service::Session), |way| {
                let request = client.timed(request.clone());
                async move { SessionServiceClient::new(way.channel).finish_device_sign_in(request).await }
            });
            match call.await.result {
                Ok(answer) => return client.session(answer.player, answer.tokens, Renewal::Refresh),
                Err(Error::Refused(refusal)) if refusal.reason == reason::SIGN_IN_PENDING => {
                    pause = refusal.retry_after.unwrap_or(pause).max(Duration::from_millis(100));
                }
                Err(error) => return Err(error),
            }
        }
    }
}
