//! Traces: what a move costs, seen in its trace; and one trace from the click to the rating.
#![allow(missing_docs, reason = "a test")]

#[path = "trace/collector.rs"]
mod collector;
#[path = "trace/journey.rs"]
mod journey;

use std::sync::{Arc, Mutex};

use nigiri_client::Color;
use testkit::World;
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id},
};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt, registry::LookupSpan};

/// Writes down each call and each round trip to the ledger with the call that it serves.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<(String, String)>>>);

struct What(String);

impl Visit for What {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if ["method", "operation"].contains(&field.name()) {
            self.0 = format!("{value:?}").trim_matches('"').to_owned();
        }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut what = What(String::new());
        attributes.record(&mut what);
        let span = context.span(id).expect("a new span is there");
        span.extensions_mut().insert(what.0.clone());
        if attributes.metadata().name() == "ledger" {
            let cause =
                span.scope().skip(1).last().and_then(|root| root.extensions().get::<String>().cloned());
            self.0.lock().expect("a lock").push((cause.unwrap_or_default(), what.0));
        } else if attributes.metadata().name() == "rpc" {
            self.0.lock().expect("a lock").push((what.0, "rpc".into()));
        }
    }
}

/// A move in a running game is one gRPC call and one round trip to the ledger, and nothing else: no question to another service, no
/// reading of the log.
#[tokio::test(flavor = "multi_thread")]
async fn a_move_is_one_call_and_one_round_trip() {
    let spans = Spans::default();
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(spans.clone()))
        .expect("the first subscriber");
    let world = World::with(&["--bot-delay", "5s"]).await;
    let person = world.guest("Counter").await;
    let begun = testkit::eventually("a bot", std::time::Duration::from_secs(20), || async {
        person.start_ai_game(nigiri_client::AiLevel::Easy, Color::Black).await.ok()
    })
    .await;
    let game = person.game(begun.game_id.parse().expect("an id"));
    // The first command of a replica loads the game; what is counted is a move in a game that is known.
    assert!(game.play(7, "E5").await.is_err_and(|error| error.is("STALE_PLY")));
    spans.0.lock().expect("a lock").clear();
    game.play(0, "E5").await.expect("a legal move");
    let path = "/nigiri.game.v1.GameService/PlayMove";
    let seen: Vec<_> =
        spans.0.lock().expect("a lock").iter().filter(|(cause, _)| cause == path).cloned().collect();
    let what: Vec<&str> = seen.iter().map(|(_, what)| what.as_str()).collect();
    assert_eq!(what, ["rpc", "append"]);
    world.stop().await;
}
