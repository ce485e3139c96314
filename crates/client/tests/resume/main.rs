//! What the client promises when the network, a replica or a token fails, against a server that fails on demand.

mod fake;
mod serve;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::{StreamExt, future::join_all};
use nigiri_client::{Client, Error, Finding, Joining, Session, Watched, reason};
use nigiri_proto::{
    game::v1::{Color, GameFinished, MovePlayed, game_event::Event},
    matchmaking::v1::FindMatchRequest,
};
use tonic::Code;

use fake::{Fake, Find, GAME, ME};

async fn signed_in() -> (Fake, Session) {
    let (fake, client) = Fake::start();
    let session = client.sign_in_as_guest("Honinbo").await.expect("signed in");
    (fake, session)
}

fn stone() -> Event {
    Event::MovePlayed(MovePlayed::default())
}

/// The numbers of all entries that a watcher hears of after `after`, to the end of the stream.
async fn sequences(session: &Session, after: Option<u64>) -> Result<Vec<u64>, Error> {
    let mut heard = Vec::new();
    let mut watch = session.game(GAME.parse().expect("an id")).watch(after);
    while let Some(watched) = watch.next().await.transpose()? {
        match watched {
            Watched::Snapshot(snapshot) => heard.push(snapshot.sequence),
            Watched::Update(update) => heard.push(update.sequence),
            _ => {}
        }
    }
    Ok(heard)
}

/// Whether connections are cut or replicas drain after every few entries, and whatever a watcher began with, each entry comes once and in
/// order, and the stream ends with the entry that finishes the game.
#[tokio::test(start_paused = true)]
async fn a_watcher_misses_nothing_over_broken_streams() {
    for (cut, drain, after) in [(Some(3), None, None), (None, Some(2), None), (Some(1), None, Some(4))] {
        let (fake, session) = signed_in().await;
        fake.state().cut_after = cut;
        fake.state().drain_after = drain;
        let watching = tokio::spawn(async move { sequences(&session, after).await.unwrap() });
        for _ in 0..28 {
            fake.append(stone(), "");
            tokio::task::yield_now().await;
        }
        fake.append(Event::Finished(GameFinished::default()), "");
        let heard = watching.await.unwrap();
        let first = heard[0];
        assert_eq!(heard, (first..=30).collect::<Vec<_>>(), "cut {cut:?}, drain {drain:?}");
        assert!(after.is_none_or(|after| first == after + 1));
        assert!(fake.state().watches > 2, "the stream never broke");
    }
}

/// A watcher that goes on after the entry that finished the game hears nothing and is done, instead of asking for ever.
#[tokio::test(start_paused = true)]
async fn a_watch_after_the_end_ends() {
    let (fake, session) = signed_in().await;
    fake.append(Event::Finished(GameFinished::default()), "");
    assert_eq!(sequences(&session, Some(2)).await.unwrap(), [] as [u64; 0]);
    assert_eq!(sequences(&session, None).await.unwrap(), [2]);
}

/// A server that leaves an entry out is caught.
#[tokio::test(start_paused = true)]
async fn a_skipped_entry_is_an_error() {
    let (fake, session) = signed_in().await;
    fake.state().skip = Some(4);
    (0..4).for_each(|_| _ = fake.append(stone(), ""));
    let error = sequences(&session, Some(1)).await.unwrap_err();
    assert!(matches!(error, Error::OutOfOrder { expected: 4, got: 5 }), "{error}");
}

/// A move whose answer is lost after the commit is sent again under its id and made once; also when the server cannot tell any more and
/// calls it stale; and UNAVAILABLE in between changes nothing.
#[tokio::test(start_paused = true)]
async fn a_move_whose_answer_was_lost_is_made_once() {
    for forgetful in [false, true] {
        let (fake, session) = signed_in().await;
        let game = session.game(GAME.parse().unwrap());
        {
            let mut state = fake.state();
            (state.lose_answers, state.away, state.forgetful) = (1, 2, forgetful);
        }
        assert_eq!(game.play(0, "D5").await.unwrap(), 2);
        assert_eq!(game.play(1, "E5").await.unwrap(), 3);
        let state = fake.state();
        assert_eq!(state.log.len(), 3, "forgetful: {forgetful}");
        assert_eq!(state.plays, 3, "one attempt must have been lost");
    }
}

/// A refusal that follows no doubtful attempt is handed on as it is, with its reason and facts.
#[tokio::test(start_paused = true)]
async fn a_refusal_is_typed() {
    let (fake, session) = signed_in().await;
    fake.state().finds = vec![Find::Refused(Code::AlreadyExists, reason::TICKET_EXISTS)];
    let mut finding = session.find_match(FindMatchRequest::default());
    let error = finding.next().await.unwrap().unwrap_err();
    assert!(error.is(reason::TICKET_EXISTS));
    let refusal = error.refusal().unwrap();
    assert_eq!((refusal.code, refusal.metadata["game_id"].as_str()), (Code::AlreadyExists, GAME));
    assert!(finding.next().await.is_none(), "an error ends the stream");
}

/// When the token has expired, however many calls meet it, it is renewed once, kept before it is used, and every call succeeds.
#[tokio::test(start_paused = true)]
async fn an_expired_token_is_renewed_once_for_all_calls() {
    let (fake, session) = signed_in().await;
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&kept);
    session.keep_tokens(move |_, tokens| keep.lock().unwrap().push(tokens.refresh_token.clone()));
    fake.state().valid_token = 1;
    let game = session.game(GAME.parse().unwrap());
    let calls = join_all((0..20).map(|_| game.record())).await;
    assert!(calls.iter().all(Result::is_ok));
    assert_eq!(fake.state().refreshes, 1);
    assert_eq!(*kept.lock().unwrap(), ["refresh-0", "refresh-1"]);
    // A stream renews it likewise.
    fake.state().valid_token = 2;
    fake.append(Event::Finished(GameFinished::default()), "");
    assert_eq!(sequences(&session, None).await.unwrap(), [2]);
    assert_eq!(fake.state().refreshes, 2);
}

/// A terminal shows what to type, asks as seldom as it is told, and is signed in when the person has agreed; the guest's token goes with it.
#[tokio::test(start_paused = true)]
async fn a_terminal_waits_until_the_person_has_agreed() {
    let (fake, client) = Fake::start();
    fake.state().pending = 2;
    let begun = client.start_device_sign_in().await.unwrap();
    assert_eq!((begun.user_code.as_str(), begun.url.as_str()), ("GQVQ-JKEC", "https://example.com/device"));
    let joining = Joining { guest_refresh_token: "a guest's".to_owned(), ..Joining::default() };
    let session = begun.finish(&joining).await.unwrap();
    assert_eq!(session.player().id, ME);
    let asked = fake.state().asked.clone();
    assert!(asked.len() == 3 && asked.iter().all(|(_, guest)| guest == "a guest's"), "{asked:?}");
    assert!(asked.windows(2).all(|two| two[1].0 - two[0].0 >= Duration::from_secs(7)), "{asked:?}");
}

/// A session whose refresh token was used by somebody else says that it is over.
#[tokio::test(start_paused = true)]
async fn a_session_that_ended_says_so() {
    let (fake, session) = signed_in().await;
    fake.state().valid_token = 1;
    fake.state().refreshes = 7;
    let error = session.game(GAME.parse().unwrap()).record().await.unwrap_err();
    assert!(matches!(error, Error::SignedOut(_)), "{error}");
}

/// A ticket whose stream broke is taken up again: while the server still thinks that the old stream lives, it waits; a match
/// that was made in the meantime is found.
#[tokio::test(start_paused = true)]
async fn a_match_made_while_nobody_listened_is_found() {
    let (fake, session) = signed_in().await;
    fake.state().finds = vec![
        Find::QueuedThenCut,
        Find::Refused(Code::AlreadyExists, reason::TICKET_EXISTS),
        Find::Refused(Code::AlreadyExists, reason::TICKET_EXISTS),
        Find::Refused(Code::FailedPrecondition, reason::ALREADY_PLAYING),
    ];
    let mut found = Vec::new();
    let mut finding = session.find_match(FindMatchRequest::default());
    while let Some(item) = finding.next().await {
        found.push(item.unwrap());
    }
    assert!(matches!(found[0], Finding::Queued(_)));
    let Some(Finding::Matched(matched)) = found.last() else { panic!("no match: {found:?}") };
    assert_eq!((matched.game_id.as_str(), matched.color(), matched.rated), (GAME, Color::White, true));
    assert_eq!(matched.opponent.as_ref().unwrap().player_id, "somebody else");
}

/// With a dead address first, the next one is used; with only dead ones, the error says for how long was tried.
#[tokio::test]
async fn a_dead_address_is_passed_over() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dead = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let alive = format!("http://{}", listener.local_addr().unwrap());
    let (fake, _) = Fake::start();
    let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
    let service = nigiri_proto::session::v1::session_service_server::SessionServiceServer::new(fake);
    tokio::spawn(tonic::transport::Server::builder().add_service(service).serve_with_incoming(incoming));
    // The first address is chosen at random: several clients cover both.
    for _ in 0..8 {
        let client = Client::connect_any([&dead, &alive]).unwrap();
        client.sign_in_as_guest("Honinbo").await.unwrap();
    }
    let options = nigiri_client::Options {
        retry_for: std::time::Duration::from_millis(300),
        ..nigiri_client::Options::default()
    };
    let client = Client::with_endpoints(&nigiri_client::Endpoints::everywhere([&dead]), options).unwrap();
    let error = client.sign_in_as_guest("Honinbo").await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
}
