//! A stand-in for the session service: it knows everybody, and its tokens last longer than any simulation. Its key is no secret.

use std::{collections::BTreeMap, sync::OnceLock, time::Duration};

use jsonwebtoken::{
    Algorithm, EncodingKey, Header,
    jwk::{Jwk, JwkSet},
};
use nigiri_proto::session::v1::{
    GetKeysRequest, GetKeysResponse, Player, SignInAsGuestRequest, SignInAsGuestResponse,
    SignInServiceRequest, SignInServiceResponse, Tokens, session_service_server::SessionService,
};
use parking_lot::Mutex;
use platform::{
    auth::{AUDIENCE, Claims, ISSUER, Role},
    convert::to_proto_time,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::world::START;

/// How long tokens last.
const LIFE: Duration = Duration::from_secs(30 * 86_400);

/// What stands before the 32 bytes of a seed in a PKCS #8 private key of Ed25519 (RFC 8410, section 7).
const PKCS8_HEAD: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// The stand-in.
pub struct KnowsEverybody;

fn key() -> EncodingKey {
    EncodingKey::from_ed_der(&[PKCS8_HEAD.as_slice(), &[7; 32]].concat())
}

/// The token of this subject; each is signed once in the process's life, since signing takes long in a debug build.
fn token(subject: &str, name: &str, role: Role) -> Result<String, Status> {
    static SIGNED: OnceLock<Mutex<BTreeMap<String, String>>> = OnceLock::new();
    let mut signed = SIGNED.get_or_init(Mutex::default).lock();
    if let Some(token) = signed.get(subject) {
        return Ok(token.clone());
    }
    let seconds = START.as_millis() / 1000;
    let claims = Claims {
        iss: ISSUER.to_owned(),
        aud: AUDIENCE.to_owned(),
        sub: subject.to_owned(),
        name: name.to_owned(),
        role,
        guest: role == Role::Player,
        sid: None,
        iat: seconds,
        nbf: seconds - 60,
        exp: seconds + LIFE.as_secs(),
    };
    let header = Header { kid: Some("simulation".to_owned()), ..Header::new(Algorithm::EdDSA) };
    let token = jsonwebtoken::encode(&header, &claims, &key()).map_err(internal)?;
    signed.insert(subject.to_owned(), token.clone());
    Ok(token)
}

fn internal(error: impl ToString) -> Status {
    Status::internal(error.to_string())
}

#[tonic::async_trait]
impl SessionService for KnowsEverybody {
    async fn sign_in_as_guest(
        &self,
        request: Request<SignInAsGuestRequest>,
    ) -> Result<Response<SignInAsGuestResponse>, Status> {
        let name = request.into_inner().nickname;
        let id = Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()).to_string();
        let access_token = token(&id, &name, Role::Player)?;
        let tokens = Tokens { access_token, access_expire_time: None, refresh_token: String::new() };
        let player = Player { id, name, ..Player::default() };
        Ok(Response::new(SignInAsGuestResponse { player: Some(player), tokens: Some(tokens) }))
    }

    async fn sign_in_service(
        &self,
        request: Request<SignInServiceRequest>,
    ) -> Result<Response<SignInServiceResponse>, Status> {
        let service = request.into_inner().service;
        let tokens = Tokens {
            access_token: token(&service, &service, Role::Service)?,
            access_expire_time: Some(to_proto_time(START + LIFE)),
            refresh_token: String::new(),
        };
        Ok(Response::new(SignInServiceResponse { tokens: Some(tokens) }))
    }

    async fn get_keys(&self, _: Request<GetKeysRequest>) -> Result<Response<GetKeysResponse>, Status> {
        let mut jwk = Jwk::from_encoding_key(&key(), Algorithm::EdDSA).map_err(internal)?;
        jwk.common.key_id = Some("simulation".to_owned());
        let jwks = serde_json::to_string(&JwkSet { keys: vec![jwk] }).map_err(internal)?;
        Ok(Response::new(GetKeysResponse { jwks }))
    }
}
