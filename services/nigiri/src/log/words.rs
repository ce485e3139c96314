//! What an event is called.

use nigiri_proto::game::v1::{
    Color, EndReason, GameCreated, GameEvent, GameFinished, PlayerAway, Verdict, game_event::Event,
};
use prost_types::Duration;
use serde::Serialize;

use crate::play::plain;

/// An event, as it is printed.
#[derive(Serialize)]
pub struct Told {
    /// Its name in the schema.
    pub kind: &'static str,
    /// What it says, for people.
    pub text: String,
}

/// Says what happened.
pub fn tell(event: &GameEvent) -> Told {
    let Some(event) = &event.event else {
        return Told { kind: "unknown", text: "(an event of a newer server)".to_owned() };
    };
    let (kind, text) = match event {
        Event::Created(created) => ("created", begun(created)),
        Event::MovePlayed(m) => {
            let taken = list(", takes ", &m.captured);
            ("move_played", format!("{} {}{taken}", word(m.color()), m.point))
        }
        Event::Passed(e) => ("passed", format!("{} passes", word(e.color()))),
        Event::Finished(end) => ("finished", finished(end)),
        Event::TimeCredited(e) => ("time_credited", {
            let graces = [("Black", &e.black_grace), ("White", &e.white_grace)];
            let grace = graces.iter().filter_map(|(who, time)| {
                time.as_ref().map(|time| format!(", {} to {who}'s grace", span(Some(time))))
            });
            format!("{} given back: {}{}", span(e.credit.as_ref()), e.reason, grace.collect::<String>())
        }),
        Event::TimeGiven(e) => {
            ("time_given", format!("an operator gives {}: {}", span(e.time.as_ref()), e.reason))
        }
        Event::PlayerAway(e) => ("player_away", away(e)),
        Event::PlayerBack(e) => ("player_back", format!("{} is back", word(e.color()))),
        Event::DrawOffered(e) => {
            ("draw_offered", format!("{} offers a draw (proposal {})", word(e.color()), e.proposal_id))
        }
        Event::TakebackRequested(e) => ("takeback_requested", {
            format!("{} asks to take back {} (proposal {})", word(e.color()), moves(e.moves), e.proposal_id)
        }),
        Event::ProposalAnswered(e) => ("proposal_answered", {
            let answer = if e.accepted { "accepts" } else { "declines" };
            format!("{} {answer} proposal {}", word(e.color()), e.proposal_id)
        }),
        Event::TakenBack(e) => ("taken_back", format!("{} takes back {}", word(e.color()), moves(e.moves))),
        Event::ScoreProposed(e) => ("score_proposed", {
            format!("score {} is proposed: {}", e.version, e.verdict.as_ref().map_or_else(String::new, score))
        }),
        Event::ChainMarked(e) => ("chain_marked", {
            let how = if e.dead { "dead" } else { "alive" };
            let verdict = e.verdict.as_ref().map_or_else(String::new, score);
            format!("{} calls {} {how}: score {}: {verdict}", word(e.color()), e.point, e.version)
        }),
        Event::ScoreAccepted(e) => {
            ("score_accepted", format!("{} accepts score {}", word(e.color()), e.version))
        }
        Event::ScoreDisputed(e) => ("score_disputed", {
            format!("{} disputes score {}: {} plays on", word(e.color()), e.version, word(e.turn()))
        }),
        Event::Adjudicated(e) => ("adjudicated", format!("decided: {}", e.reason)),
        Event::RematchRequested(e) => {
            ("rematch_requested", format!("{} asks for another game", word(e.color())))
        }
        Event::RematchAgreed(e) => ("rematch_agreed", format!("the next game is {}", e.game_id)),
    };
    // Names and reasons are what somebody else wrote.
    Told { kind, text: plain(&text) }
}

fn begun(created: &GameCreated) -> String {
    let settings = created.settings.clone().unwrap_or_default();
    let players: Vec<_> = created
        .seats
        .iter()
        .map(|seat| {
            let ai = if seat.bot { " [AI]" } else { "" };
            format!("{} {}{ai}", word(seat.color()), seat.name)
        })
        .collect();
    let handicap = settings.options.as_ref().map_or(0, |options| options.handicap);
    let handicap = if handicap > 0 { format!(", handicap {handicap}") } else { String::new() };
    let rated = if settings.rated { ", rated" } else { "" };
    let private = if settings.watch_key.is_empty() { "" } else { ", private" };
    let (preset, side, komi) = (settings.preset, settings.board_size, settings.komi);
    format!("{preset} {side}x{side}, komi {komi}{handicap}{rated}{private}: {}", players.join(", "))
}

fn finished(end: &GameFinished) -> String {
    let result = end.result.clone().unwrap_or_default();
    let reason = EndReason::try_from(result.reason).unwrap_or_default().as_str_name();
    let reason = reason.trim_start_matches("END_REASON_").to_lowercase().replace('_', " ");
    let counted = end.verdict.as_ref().map_or_else(String::new, |verdict| format!(": {}", score(verdict)));
    format!("{} ({reason}){counted}", result.text)
}

fn away(event: &PlayerAway) -> String {
    let how = if event.left { "leaves" } else { "is gone" };
    format!("{} {how}; the game waits {}", word(event.color()), span(event.grace.as_ref()))
}

fn score(verdict: &Verdict) -> String {
    let total = |parts: Option<f64>| parts.unwrap_or_default();
    let black = total(verdict.black.as_ref().map(|parts| parts.total));
    let white = total(verdict.white.as_ref().map(|parts| parts.total));
    format!("Black {black}, White {white}{}", list(", dead ", &verdict.dead))
}

fn list(before: &str, points: &[String]) -> String {
    if points.is_empty() { String::new() } else { format!("{before}{}", points.join(" ")) }
}

fn moves(count: u32) -> String {
    if count == 1 { "a move".to_owned() } else { format!("{count} moves") }
}

fn span(time: Option<&Duration>) -> String {
    let (seconds, nanos) = time.map_or((0, 0), |time| (time.seconds, time.nanos));
    let millis = nanos / 1_000_000;
    if millis == 0 { format!("{seconds} s") } else { format!("{seconds}.{millis:03} s") }
}

fn word(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
        Color::Unspecified => "nobody",
    }
}
