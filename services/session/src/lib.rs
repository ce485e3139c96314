//! The session service: who somebody is.
//!
//! **Owns** the tables `players`, `signing_keys` and `sessions`; nobody else writes them.
//!
//! **Promises**
//! - Two players never have names that look alike, whoever signs in where at the same time ([`nickname`]).
//! - An access token is a JWT signed with Ed25519; any service verifies it offline by the published keys. The keys are in the store,
//!   so tokens outlive restarts, and every replica signs and publishes alike ([`keys`]).
//! - A refresh token is good for one use, and for a short grace it gives the same successor again, so that a lost answer ends nothing.
//!   After that a second use ends the session, so that a stolen token ends with its theft being noticed ([`accounts`]).
//! - Whoever signs in with an identity is one player on all devices; a guest who does so loses nothing ([`oidc`]).
//! - Whoever is banned or whose session was ended is out everywhere within seconds, open streams included ([`platform::auth::Bans`]).
//! - Of a secret the store has only a hash, apart from the signing keys; logs have neither tokens nor secrets.
//!
//! **RPCs in**: `nigiri.session.v1.SessionService`, and `nigiri.session.v1.AccountsService` for operators; plain HTTP: `/.well-known/jwks.json`. **Out**: `GameService.HaveMet`, before a merge. **Events**: none in; out: the log and topic `accounts`
//! (banned, renamed, merged, deleted, ...), written with what they tell of in one transaction and taken to the ledger at least once ([`relay`]).
//!
//! **On a crash** nothing is lost that was answered: an answer comes after the commit, and so does an event. A client that never saw the
//! answer to a refresh or to a guest's sign-in sends the same again.

pub mod accounts;
mod config;
mod error;
mod games;
pub mod keys;
mod metrics;
pub mod nickname;
pub mod oidc;
mod oversight;
mod player;
pub mod relay;
mod service;
mod store;
pub mod token;

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use axum::{Router, http::header::CONTENT_TYPE, routing::get};
use nigiri_proto::session::v1::{
    accounts_service_server::AccountsServiceServer, session_service_server::SessionServiceServer,
};
use platform::{Context, network::Peer, server::ServerBuilder};
use tokio::sync::Notify;

pub use accounts::Accounts;
pub use config::{Args, ProviderArgs};
pub use error::Error;
pub use player::{Kind, Player};

use crate::{games::Games, keys::Keys, oversight::Oversight, relay::Relay, service::Service, store::Store};

/// The largest request: a name and a token take far less.
const LARGEST_REQUEST: usize = 16 * 1024;

/// How often expired sessions are swept out.
const SWEEP: Duration = Duration::from_secs(600);

/// The calls that need no token, since they are how one gets one.
const PUBLIC: [&str; 11] = [
    "SignInAsGuest",
    "RefreshSession",
    "GetSignInOptions",
    "SignInWithGoogle",
    "StartSignIn",
    "FinishSignIn",
    "StartDeviceSignIn",
    "FinishDeviceSignIn",
    "SignInBot",
    "SignInService",
    "GetKeys",
];

/// Puts the service on a server. Makes the first signing key when the store has none.
///
/// # Errors
/// When the store cannot be reached, or holds a key that is no key.
pub async fn bind(args: Args, context: &Context, server: &mut ServerBuilder) -> anyhow::Result<()> {
    metrics::describe();
    let store = Store::new(context.db.clone());
    let now = context.clock.now();
    let keys = Arc::new(Keys::load(&store, now).await.context("cannot load the signing keys")?);
    let told = Arc::new(Notify::new());
    let games = Games::new(context.channel("session", Peer::Game)?);
    let accounts = Accounts::new(
        store.clone(),
        games,
        Arc::clone(&keys),
        args.clone(),
        context.service_secret.clone(),
        context.clock.clone(),
        Arc::clone(&told),
    );
    for call in PUBLIC {
        server.public(&format!("/nigiri.session.v1.SessionService/{call}"));
    }
    let oversight = AccountsServiceServer::new(Oversight(accounts.clone()));
    server.add(oversight.max_decoding_message_size(LARGEST_REQUEST));
    let service = SessionServiceServer::new(Service::new(accounts));
    server.add(service.max_decoding_message_size(LARGEST_REQUEST));
    let published = Arc::clone(&keys);
    let jwks =
        move || async move { ([(CONTENT_TYPE, "application/jwk-set+json")], published.jwks().to_string()) };
    server.http(Router::new().route("/.well-known/jwks.json", get(jwks)));
    let relay = Relay::new(store.clone(), context.clone(), told, args.access_lifetime);
    context.shutdown.spawn(relay.run());
    context.shutdown.spawn(reload_keys(keys, store.clone(), context.clone(), args));
    context.shutdown.spawn(sweep_sessions(store, context.clone()));
    Ok(())
}

/// Keeps up with keys that were added elsewhere, and with their age.
async fn reload_keys(keys: Arc<Keys>, store: Store, context: Context, args: Args) {
    while waited(&context, keys::RELOAD).await {
        let aged = keys.age(&store, args.key_lifetime, args.access_lifetime, context.clock.now()).await;
        if let Err(error) = aged {
            tracing::warn!(%error, "cannot reload the signing keys: going on with those at hand");
        }
    }
}

/// Removes sessions that have expired.
async fn sweep_sessions(store: Store, context: Context) {
    while waited(&context, SWEEP).await {
        match store.sweep_sessions(context.clock.now()).await {
            Ok(count) => tracing::debug!(count, "swept out expired sessions"),
            Err(error) => tracing::warn!(%error, "cannot sweep out expired sessions: trying again later"),
        }
        for swept in
            [store.sweep_pending(context.clock.now()).await, store.sweep_nonces(context.clock.now()).await]
        {
            if let Err(error) = swept {
                tracing::warn!(%error, "cannot sweep out old sign-ins: trying again later");
            }
        }
    }
}

/// Waits this long; false when the process stops first.
async fn waited(context: &Context, time: Duration) -> bool {
    tokio::select! {
        () = context.shutdown.stopping().cancelled() => false,
        () = tokio::time::sleep(time) => true,
    }
}
