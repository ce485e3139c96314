use std::{sync::atomic::Ordering, time::Duration};

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use nigiri_proto::session::v1::{
    CreateBotRequest, DeleteAccountRequest, FinishDeviceSignInRequest, FinishSignInRequest,
    GetSignInOptionsRequest, ListBotsRequest, Player, PlayerKind, SignInBotRequest, SignInSubject,
    SignInWithGoogleRequest, StartDeviceSignInRequest, StartSignInRequest, Tokens,
};
use serde_json::{Value, json};
use tonic::Status;

use crate::{
    issuer::{CLIENT, DEVICE_CLIENT, FIRST, FOREIGN, Issuer, Published, REDIRECT, SECOND},
    world::{Home, START, World, bearer, by, reason},
};

const NONCE: &str = "a nonce of the client's";

/// What the provider says of a person who signs in when the tests begin.
fn claims(subject: &str, nonce: &str) -> Value {
    let seconds = START.as_millis() / 1000;
    json!({
        "iss": "https://accounts.google.com", "aud": CLIENT, "azp": CLIENT, "sub": subject,
        "iat": seconds, "exp": seconds + 3600, "nonce": nonce, "email": "honinbo@example.com",
    })
}

fn with(mut claims: Value, field: &str, value: impl Into<Value>) -> Value {
    claims[field] = value.into();
    claims
}

async fn world(home: &Home) -> (World, Issuer) {
    let issuer = Issuer::start().await;
    (World::with(home.open().await, issuer.args()).await, issuer)
}

fn guest(tokens: &Tokens) -> SignInSubject {
    SignInSubject { guest_refresh_token: tokens.refresh_token.clone(), ..SignInSubject::default() }
}

async fn show(
    world: &World,
    token: String,
    nonce: &str,
    subject: SignInSubject,
) -> Result<(Player, Tokens), Status> {
    let request =
        SignInWithGoogleRequest { id_token: token, nonce: nonce.to_owned(), subject: Some(subject) };
    let answer = world.session.clone().sign_in_with_google(request).await?.into_inner();
    Ok((answer.player.unwrap(), answer.tokens.unwrap()))
}

/// Signs this person in with a fresh nonce.
async fn sign_in(world: &World, subject: &str, joining: SignInSubject) -> Result<(Player, Tokens), Status> {
    let nonce = uuid::Uuid::new_v4().to_string();
    show(world, FIRST.sign(&claims(subject, &nonce)), &nonce, joining).await
}

/// A guest who signs in stays the same player; a second device of theirs joins; a second guest of theirs becomes part of them, unless
/// the two have played each other, and its session says so; somebody else is somebody else. What the provider knows of them besides is not kept.
#[tokio::test]
async fn one_person_is_one_player_on_all_devices() {
    for home in Home::both().await {
        let (world, _issuer) = world(&home).await;
        let (before, tokens) = world.guest("Honinbo").await.unwrap();
        let (member, first) = sign_in(&world, "1", guest(&tokens)).await.unwrap();
        assert_eq!(
            (&member.id, member.name.as_str(), member.kind()),
            (&before.id, "Honinbo", PlayerKind::Member)
        );
        assert_eq!(reason(world.refresh(&tokens.refresh_token).await), "SESSION_ENDED");

        let (same, _) = sign_in(&world, "1", SignInSubject::default()).await.unwrap();
        assert_eq!(same, member);
        let (other, second) = world.guest("Shusaku").await.unwrap();
        world.met.store(true, Ordering::Release);
        assert_eq!(reason(sign_in(&world, "1", guest(&second)).await), "PLAYED_EACH_OTHER");
        world.met.store(false, Ordering::Release);
        let (merged, _) = sign_in(&world, "1", guest(&second)).await.unwrap();
        assert_eq!(merged, member);
        assert_eq!(reason(world.refresh(&second.refresh_token).await), "SESSION_ENDED");
        assert_eq!(world.player(&other.id, Some(&bearer(&first))).await.unwrap(), member, "who goes on");
        assert_eq!(world.guest("Shusaku").await.unwrap().0.name, "Shusaku", "the name is free again");

        let joining = SignInSubject { nickname: "Honinbo".to_owned(), ..SignInSubject::default() };
        let (somebody, _) = sign_in(&world, "2", joining).await.unwrap();
        assert!(somebody.id != member.id && somebody.name.starts_with("Honinbo-"), "{}", somebody.name);
        // A member's token makes nobody part of another.
        assert_eq!(reason(sign_in(&world, "2", guest(&first)).await), "REFRESH_TOKEN_INVALID");
        let bad = SignInSubject { guest_refresh_token: "A".repeat(64), ..SignInSubject::default() };
        assert_eq!(reason(sign_in(&world, "3", bad).await), "REFRESH_TOKEN_INVALID");
        world.stop().await;
    }
}

/// A guest who becomes part of an account brings their bots: the account owns them, and they go with it when it is deleted.
#[tokio::test]
async fn a_guests_bots_are_the_accounts() {
    for home in Home::both().await {
        let issuer = Issuer::start().await;
        let args = session::Args { guest_bots: true, ..issuer.args() };
        let world = World::with(home.open().await, args).await;
        let mut session = world.session.clone();
        let (member, _) = sign_in(&world, "1", SignInSubject::default()).await.unwrap();
        let (_, before) = world.guest("Honinbo").await.unwrap();
        let create = CreateBotRequest { name: "Robot".to_owned() };
        let made = session.create_bot(by(&before, create)).await.unwrap().into_inner();
        let (_, tokens) = sign_in(&world, "1", guest(&before)).await.unwrap();
        let owned = session.list_bots(by(&tokens, ListBotsRequest {})).await.unwrap().into_inner().bots;
        assert_eq!(owned.iter().map(|bot| &bot.owner_id).collect::<Vec<_>>(), [&member.id]);
        let request = SignInBotRequest { name: "Robot".to_owned(), secret: made.secret };
        session.sign_in_bot(request.clone()).await.unwrap();
        session.delete_account(by(&tokens, DeleteAccountRequest {})).await.unwrap();
        assert_eq!(reason(session.sign_in_bot(request).await), "SECRET_WRONG");
        world.stop().await;
    }
}

/// Any provider that speaks OpenID Connect works in the same way, under its own issuer and no other's.
#[tokio::test]
async fn another_provider_works_likewise() {
    let issuer = Issuer::start().await;
    let mut args = issuer.args();
    args.provider.oidc_issuer = "https://login.example/realms/go".to_owned();
    let home = Home::sqlite().await;
    let world = World::with(home.open().await, args).await;
    let options = world.session.clone().get_sign_in_options(GetSignInOptionsRequest {}).await.unwrap();
    assert_eq!(options.into_inner().issuer, "https://login.example/realms/go");
    let from = |issuer: &str| FIRST.sign(&with(claims("1", NONCE), "iss", issuer));
    for foreign in
        ["https://accounts.google.com", "https://login.example", "https://login.example/realms/go/"]
    {
        let refused = show(&world, from(foreign), NONCE, SignInSubject::default()).await;
        assert_eq!(reason(refused), "ID_TOKEN_INVALID", "{foreign}");
    }
    let own = from("https://login.example/realms/go");
    let (member, _) = show(&world, own, NONCE, SignInSubject::default()).await.unwrap();
    assert_eq!(member.kind(), PlayerKind::Member);
    world.stop().await;
}

/// Twenty devices sign in as one new person at the same time: one player is made.
#[tokio::test(flavor = "multi_thread")]
async fn devices_that_come_first_together_are_one_player() {
    for home in Home::both().await {
        let (world, _issuer) = world(&home).await;
        let mut devices = tokio::task::JoinSet::new();
        for number in 0..20 {
            let mut session = world.session.clone();
            let nonce = format!("a nonce of device {number}");
            let id_token = FIRST.sign(&claims("1", &nonce));
            devices.spawn(async move {
                let request = SignInWithGoogleRequest { id_token, nonce, subject: None };
                session.sign_in_with_google(request).await.unwrap().into_inner().player.unwrap().id
            });
        }
        let mut ids = devices.join_all().await;
        ids.dedup();
        assert_eq!(ids.len(), 1, "{ids:?}");
        world.stop().await;
    }
}

/// An account that was deleted is forgotten: its tokens are out, its name is free, its id stays under a neutral name, and the same person is
/// somebody new.
#[tokio::test]
async fn a_deleted_account_is_forgotten() {
    for home in Home::both().await {
        let (world, _issuer) = world(&home).await;
        let joining = SignInSubject { nickname: "Honinbo".to_owned(), ..SignInSubject::default() };
        let (member, tokens) = sign_in(&world, "1", joining.clone()).await.unwrap();
        let (_, other) = world.guest("Shusaku").await.unwrap();
        world.session.clone().delete_account(by(&tokens, DeleteAccountRequest {})).await.unwrap();
        assert_eq!(reason(world.refresh(&tokens.refresh_token).await), "SESSION_ENDED");
        let gone = world.player(&member.id, Some(&bearer(&other))).await.unwrap();
        assert_eq!((gone.name.as_str(), gone.deleted), ("deleted", true));
        let (again, _) = sign_in(&world, "1", joining).await.unwrap();
        assert!(again.id != member.id && again.name == "Honinbo");
        world.stop().await;
    }
}

/// Every ID token that is not the provider's, for us, of now, with our nonce, is refused for its reason.
#[tokio::test]
async fn every_bad_id_token_is_refused() {
    let home = Home::sqlite().await;
    let (world, _issuer) = world(&home).await;
    let good = claims("1", NONCE);
    let seconds = START.as_millis() / 1000;
    let parts = FIRST.sign(&good);
    let parts: Vec<_> = parts.split('.').collect();
    let hmac = {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some("first".to_owned());
        let public = serde_json::to_vec(&FIRST.jwk()).unwrap();
        jsonwebtoken::encode(&header, &good, &EncodingKey::from_secret(&public).unwrap()).unwrap()
    };
    let text = |value: &Value| {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
        URL_SAFE_NO_PAD.encode(value.to_string())
    };
    // A key of the attacker's that the token itself recommends.
    let brought = {
        let mut header = Header::new(Algorithm::RS256);
        header.kid = Some("first".to_owned());
        header.jku = Some("https://evil.example/keys".to_owned());
        header.jwk = Some(serde_json::from_value(FOREIGN.jwk()).unwrap());
        FOREIGN.sign_by(&header, &good)
    };
    let none = format!("{}.{}.", text(&json!({ "alg": "none", "kid": "first" })), parts[1]);
    let cases: Vec<(&str, String, &str)> = vec![
        ("alg none", none, "ID_TOKEN_INVALID"),
        ("HS256 with the public key", hmac, "ID_TOKEN_INVALID"),
        ("another key", FOREIGN.sign(&good), "ID_TOKEN_INVALID"),
        ("a key that it brings", brought, "ID_TOKEN_INVALID"),
        ("no kid", FIRST.sign_as(None, &good), "ID_TOKEN_INVALID"),
        ("kid of a path", FIRST.sign_as(Some("../../../../dev/null"), &good), "ID_TOKEN_INVALID"),
        ("kid of an address", FIRST.sign_as(Some("http://evil.example/k"), &good), "ID_TOKEN_INVALID"),
        ("kid of SQL", FIRST.sign_as(Some("' OR 1=1 --"), &good), "ID_TOKEN_INVALID"),
        ("audience", FIRST.sign(&with(good.clone(), "aud", "somebody else")), "ID_TOKEN_INVALID"),
        ("audiences", FIRST.sign(&with(good.clone(), "aud", json!([]))), "ID_TOKEN_INVALID"),
        ("authorized party", FIRST.sign(&with(good.clone(), "azp", "somebody else")), "ID_TOKEN_INVALID"),
        ("issuer", FIRST.sign(&with(good.clone(), "iss", "https://evil.example")), "ID_TOKEN_INVALID"),
        ("no subject", FIRST.sign(&with(good.clone(), "sub", "")), "ID_TOKEN_INVALID"),
        ("nonce", FIRST.sign(&with(good.clone(), "nonce", "another nonce of ours")), "ID_TOKEN_INVALID"),
        ("no nonce", FIRST.sign(&with(good.clone(), "nonce", Value::Null)), "ID_TOKEN_INVALID"),
        ("expired", FIRST.sign(&with(good.clone(), "exp", seconds - 31)), "ID_TOKEN_EXPIRED"),
        ("issued later", FIRST.sign(&with(good.clone(), "iat", seconds + 60)), "ID_TOKEN_EXPIRED"),
        ("not yet valid", FIRST.sign(&with(good.clone(), "nbf", seconds + 60)), "ID_TOKEN_EXPIRED"),
        ("issued long ago", FIRST.sign(&with(good.clone(), "iat", seconds - 4000)), "ID_TOKEN_EXPIRED"),
        ("cut short", parts[..2].join("."), "ID_TOKEN_INVALID"),
        ("changed", format!("{}.{}.{}", parts[0], text(&claims("2", NONCE)), parts[2]), "ID_TOKEN_INVALID"),
        ("none at all", String::new(), "ID_TOKEN_INVALID"),
        ("long", "x".repeat(9000), "ID_TOKEN_INVALID"),
    ];
    for (what, token, expected) in cases {
        assert_eq!(reason(show(&world, token, NONCE, SignInSubject::default()).await), expected, "{what}");
    }
    for nonce in ["", "short", &"x".repeat(201)] {
        assert_eq!(
            reason(show(&world, FIRST.sign(&good), nonce, SignInSubject::default()).await),
            "ID_TOKEN_NONCE"
        );
    }
    // Both spellings of the issuer, and clocks that differ a little.
    for (number, fine) in [
        with(good.clone(), "iss", "accounts.google.com"),
        with(good.clone(), "iat", seconds + 20),
        good.clone(),
    ]
    .into_iter()
    .enumerate()
    {
        let nonce = format!("{NONCE} {number}");
        let token = FIRST.sign(&with(fine, "nonce", nonce.as_str()));
        show(&world, token, &nonce, SignInSubject::default()).await.unwrap();
    }
}

/// An ID token works once; for the same request it works again, so that a lost answer ends nothing.
#[tokio::test]
async fn a_nonce_is_used_once() {
    for home in Home::both().await {
        let (world, _issuer) = world(&home).await;
        let token = FIRST.sign(&claims("1", NONCE));
        let request_id = uuid::Uuid::new_v4().to_string();
        let mine = SignInSubject { request_id, ..SignInSubject::default() };
        let (player, _) = show(&world, token.clone(), NONCE, mine.clone()).await.unwrap();
        assert_eq!(show(&world, token.clone(), NONCE, mine).await.unwrap().0, player);
        let other =
            SignInSubject { request_id: uuid::Uuid::new_v4().to_string(), ..SignInSubject::default() };
        for thief in [SignInSubject::default(), other] {
            assert_eq!(reason(show(&world, token.clone(), NONCE, thief).await), "ID_TOKEN_USED");
        }
        world.stop().await;
    }
}

/// Keys are cached; a new one is found at its first use, once a minute at most; and when the provider is down, malformed, huge or silent,
/// the keys at hand serve, while a new replica says that it is away.
#[tokio::test]
async fn keys_are_cached_rotated_and_survive_the_provider() {
    let home = Home::sqlite().await;
    let (world, issuer) = world(&home).await;
    for _ in 0..3 {
        sign_in(&world, "1", SignInSubject::default()).await.unwrap();
    }
    assert_eq!(issuer.asked(), 1);
    issuer.publish(Published::Keys(vec![SECOND.jwk(), FIRST.jwk()]));
    let rotated = || SECOND.sign(&claims("1", NONCE));
    // Not within a minute of the last fetch: made-up names must not make us a flood.
    assert_eq!(reason(show(&world, rotated(), NONCE, SignInSubject::default()).await), "ID_TOKEN_INVALID");
    assert_eq!(issuer.asked(), 1);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(61)).await;
    tokio::time::resume();
    show(&world, rotated(), NONCE, SignInSubject::default()).await.unwrap();
    assert_eq!(issuer.asked(), 2);

    // Neither when the provider is away: the keys at hand are fresh.
    issuer.publish(Published::Down);
    let unknown = || FIRST.sign_as(Some("third"), &claims("1", NONCE));
    for pause in [61, 30] {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(pause)).await;
        tokio::time::resume();
        let refused = show(&world, unknown(), NONCE, SignInSubject::default()).await;
        assert_eq!(reason(refused), "PROVIDER_UNAVAILABLE");
        assert_eq!(issuer.asked(), 3);
    }

    for fault in [
        Published::Down,
        Published::Text("<html>".to_owned()),
        Published::Text("{\"keys\":[]}".to_owned()),
        Published::Huge,
        Published::Never,
    ] {
        issuer.publish(fault);
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(3601)).await;
        tokio::time::resume();
        let before = issuer.asked();
        sign_in(&world, "1", SignInSubject::default()).await.unwrap();
        assert_eq!(issuer.asked(), before + 1, "it was tried");
        let home = Home::sqlite().await;
        let new = World::with(home.open().await, issuer.args()).await;
        assert_eq!(reason(sign_in(&new, "1", SignInSubject::default()).await), "PROVIDER_UNAVAILABLE");
    }
}

/// The code flow: the address has PKCE's challenge, state and nonce; it ends once, with the state that it began with; and nobody is
/// sent back to anywhere else.
#[tokio::test]
async fn the_code_flow_signs_in_once() {
    for home in Home::both().await {
        let (world, issuer) = world(&home).await;
        let begin = async |redirect: &str| {
            let request = StartSignInRequest { redirect_uri: redirect.to_owned() };
            world.session.clone().start_sign_in(request).await.map(tonic::Response::into_inner)
        };
        assert_eq!(reason(begin("https://evil.example/").await), "REDIRECT_NOT_ALLOWED");
        let begun = begin(REDIRECT).await.unwrap();
        let url: url::Url = begun.authorization_url.parse().unwrap();
        let query = |name: &str| url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        assert_eq!((query("code_challenge_method").as_str(), query("scope").as_str()), ("S256", "openid"));
        assert_eq!(query("state"), begun.state);
        assert!(!url.as_str().contains(&begun.sign_in_id), "the secret stays with the client");
        issuer.grant("a code", &query("code_challenge"), claims("1", &query("nonce")));
        let end = async |id: &str, state: &str, code: &str| {
            let (sign_in_id, state, code) = (id.to_owned(), state.to_owned(), code.to_owned());
            let request = FinishSignInRequest { sign_in_id, state, code, subject: None };
            world.session.clone().finish_sign_in(request).await.map(|it| it.into_inner().player.unwrap())
        };
        assert_eq!(reason(end(&begun.sign_in_id, "another state", "a code").await), "SIGN_IN_UNKNOWN");
        assert_eq!(reason(end("another", &begun.state, "a code").await), "SIGN_IN_UNKNOWN");
        assert_eq!(end(&begun.sign_in_id, &begun.state, "a code").await.unwrap().kind(), PlayerKind::Member);
        assert_eq!(reason(end(&begun.sign_in_id, &begun.state, "a code").await), "SIGN_IN_UNKNOWN");

        let begun = begin(REDIRECT).await.unwrap();
        assert_eq!(reason(end(&begun.sign_in_id, &begun.state, "no code").await), "SIGN_IN_DENIED");
        let begun = begin(REDIRECT).await.unwrap();
        world.advance(Duration::from_secs(600));
        assert_eq!(reason(end(&begun.sign_in_id, &begun.state, "a code").await), "SIGN_IN_UNKNOWN");
        world.stop().await;
    }
}

/// The device flow: the terminal is told what to show, waits as long as the provider says, and is signed in when the person has agreed.
#[tokio::test]
async fn a_terminal_signs_in_by_another_device() {
    for home in Home::both().await {
        let (world, issuer) = world(&home).await;
        issuer.may_be_asked_every(5);
        let mut session = world.session.clone();
        let begun = session.start_device_sign_in(StartDeviceSignInRequest {}).await.unwrap().into_inner();
        assert_eq!((begun.user_code.as_str(), begun.interval.unwrap().seconds), ("GQVQ-JKEC", 5));
        let agreed = FIRST.sign(&with(with(claims("1", ""), "aud", DEVICE_CLIENT), "azp", DEVICE_CLIENT));
        let answers = ["authorization_pending", "slow_down"].map(|error| json!({ "error": error }));
        issuer.device_answers(answers.into_iter().chain([json!({ "id_token": agreed })]));
        let ask = async || {
            let request = FinishDeviceSignInRequest { sign_in_id: begun.sign_in_id.clone(), subject: None };
            world
                .session
                .clone()
                .finish_device_sign_in(request)
                .await
                .map(|it| it.into_inner().player.unwrap())
        };
        for wait in [5, 0, 5, 10] {
            // Too soon (the first and the second time) the provider is not asked at all.
            assert_eq!(reason(ask().await), "SIGN_IN_PENDING");
            world.advance(Duration::from_secs(wait));
        }
        assert_eq!(ask().await.unwrap().kind(), PlayerKind::Member);
        assert_eq!(reason(ask().await), "SIGN_IN_UNKNOWN");
        world.stop().await;
    }
}

/// Without a client id sign-in is off, and says so.
#[tokio::test]
async fn without_a_client_id_sign_in_is_off() {
    let world = World::new().await;
    let options = world.session.clone().get_sign_in_options(GetSignInOptionsRequest {}).await.unwrap();
    assert_eq!(options.into_inner(), Default::default());
    assert_eq!(reason(sign_in(&world, "1", SignInSubject::default()).await), "SIGN_IN_OFF");
    let request = StartSignInRequest { redirect_uri: REDIRECT.to_owned() };
    assert_eq!(reason(world.session.clone().start_sign_in(request).await), "SIGN_IN_OFF");
    let begun = world.session.clone().start_device_sign_in(StartDeviceSignInRequest {}).await;
    assert_eq!(reason(begun), "SIGN_IN_OFF");
}
