//! A game's record as a file of the Smart Game Format.

use std::time::{Duration, SystemTime};

use goban::{
    Color, Move,
    sgf::{Player, Record, Step, TimeLeft, preset_to_name, rules_to_name},
};
use kernel::{GameId, Timestamp};
use ledger::Entry;
use referee::{Control, EndReason, Event, Game, Outcome, Settings};

use crate::{
    codec::{self, Unreadable},
    error::Error,
};

/// The file of a game, live or finished; none if the entries make no game. Moves that were taken back are not in it.
///
/// # Errors
/// When a newer version has written what this one does not understand.
pub fn export(id: GameId, entries: &[Entry]) -> Result<Option<String>, Error> {
    let mut game: Option<Game> = None;
    let mut steps = Vec::new();
    let mut said = Vec::new();
    for entry in entries {
        let decoded = match codec::read_entry(&entry.payload) {
            Ok(decoded) => decoded,
            Err(Unreadable::Newer) => return Err(Error::Newer(id)),
            Err(Unreadable::Damaged(_)) => return Ok(None),
        };
        for event in &decoded.events {
            let size = game.as_ref().map(|game| game.settings().size);
            let Some(event) = codec::event_from_proto(event, size) else { return Ok(None) };
            match &mut game {
                None => game = Game::begin(&event, entry.stamp),
                Some(game) => {
                    game.apply(&event, entry.stamp);
                    note(game, &event, &mut steps, &mut said);
                }
            }
        }
    }
    Ok(game.map(|game| record(id, &game, steps, &said).to_string()))
}

/// Notes what an event adds to the file.
fn note(game: &Game, event: &Event, steps: &mut Vec<Step>, said: &mut Vec<String>) {
    let mut play = |color: Color, chosen: Move| {
        let mut left = [None, None];
        left[color.index()] = time_left(game, color);
        steps.push(Step::Play { color, chosen, left, comment: String::new() });
    };
    match event {
        Event::MovePlayed { color, point, .. } => play(*color, Move::Play(*point)),
        Event::Passed { color } => play(*color, Move::Pass),
        Event::TakenBack { moves, .. } => {
            steps.truncate(steps.len().saturating_sub(usize::try_from(*moves).unwrap_or(usize::MAX)));
        }
        Event::ScoreDisputed { color, .. } => {
            if let Some(Step::Play { comment, .. }) = steps.last_mut() {
                *comment = format!("{color} disputes the score; play goes on.");
            }
        }
        Event::TimeCredited { reason, credit, .. } => {
            said.push(format!("{} s given back: {reason}.", credit.as_secs_f32()));
        }
        Event::TimeGiven { reason, time } => {
            said.push(format!("{} s given: {reason}.", time.as_secs_f32()));
        }
        Event::Adjudicated { reason } => said.push(format!("Decided: {reason}.")),
        _ => {}
    }
}

/// What a player has on the clock; none without one, and where each move has the same time.
fn time_left(game: &Game, color: Color) -> Option<TimeLeft> {
    let remaining = game.remaining(color)?;
    let overtime = match game.settings().control {
        Control::Byoyomi { .. } | Control::Canadian { .. } if remaining.main.is_zero() => {
            Some(remaining.count)
        }
        Control::PerMove { .. } | Control::None => return None,
        _ => None,
    };
    let time = if overtime.is_some() { remaining.period } else { remaining.main };
    Some(TimeLeft { time, overtime })
}

fn record(id: GameId, game: &Game, mut steps: Vec<Step>, said: &[String]) -> Record {
    let (settings, seats) = (game.settings(), game.seats());
    let mut record = Record::new(settings.size);
    let handicap = settings.handicap;
    if handicap.stones > 0 {
        let placed = usize::from(if handicap.free { handicap.stones } else { 0 });
        if placed <= steps.len() {
            // What Black has placed is set up, as other programs have it.
            let stones = steps.drain(..placed).filter_map(|step| match step {
                Step::Play { chosen, .. } => chosen.point(),
                Step::Setup(_) => None,
            });
            let fixed = goban::handicap_points(settings.size, handicap.stones).unwrap_or_default();
            record.start.black = if handicap.free {
                stones.collect()
            } else {
                drop(stones);
                fixed
            };
            record.start.black.sort_unstable();
            record.to_move = Color::White;
        }
        record.handicap = handicap.stones;
    }
    record.players = [Color::Black, Color::White].map(|color| {
        let seat = seats.get(color);
        Player { name: seat.name.to_string(), rank: String::new() }
    });
    record.rules = rules(settings);
    record.komi = Some(settings.komi);
    record.date = date(game.created_at());
    record.name = id.to_string();
    record.event = if settings.rated { "rated game" } else { "" }.to_owned();
    (record.main_time, record.overtime) = times(settings.control);
    record.result = game.outcome().and_then(|outcome| outcome.to_string().parse().ok());
    record.steps = steps;
    record.comment = comment(game, said);
    record
}

/// The name of the preset, where its rules are played; else the rules, spelled out.
fn rules(settings: &Settings) -> String {
    if settings.rules == settings.preset.rules() {
        preset_to_name(settings.preset).to_owned()
    } else {
        rules_to_name(settings.rules)
    }
}

/// The day, in UTC, as the format has it.
fn date(at: Timestamp) -> String {
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(at.as_millis());
    humantime::format_rfc3339_seconds(time).to_string().chars().take(10).collect()
}

/// Main time, and the overtime in words.
fn times(control: Control) -> (Option<Duration>, String) {
    match control {
        Control::None => (None, String::new()),
        Control::PerMove { time } => (None, format!("{} s a move", time.as_secs_f32())),
        Control::Absolute { time } => (Some(time), String::new()),
        Control::Fischer { time, increment, .. } => {
            (Some(time), format!("{} s a move added (Fischer)", increment.as_secs_f32()))
        }
        Control::Byoyomi { time, period, periods } => {
            (Some(time), format!("{periods}x{} byo-yomi", period.as_secs_f32()))
        }
        Control::Canadian { time, period, stones } => {
            (Some(time), format!("{stones}/{} Canadian", period.as_secs_f32()))
        }
    }
}

fn comment(game: &Game, said: &[String]) -> String {
    let mut lines = Vec::new();
    if let Some(Outcome { reason, .. }) = game.outcome() {
        let how = match reason {
            EndReason::Score => "counted after two passes",
            EndReason::Resignation => "by resignation",
            EndReason::Time => "on time",
            EndReason::MoveLimit => "counted at the move limit",
            EndReason::Abort => "ended before both had moved",
            EndReason::Repetition => "no result by repetition",
            EndReason::Abandonment => "by abandonment",
            EndReason::DrawAgreed => "a draw was agreed on",
            EndReason::Adjudication => "decided by an operator",
            EndReason::UnratedAdjudication => "decided by an operator, without effect on ratings",
            EndReason::Void => "ended by a fault of the server",
        };
        lines.push(format!("Ended: {how}."));
    }
    if let Some(verdict) = game.verdict().filter(|verdict| !verdict.dead.is_empty()) {
        let dead: Vec<_> = verdict.dead.iter().map(ToString::to_string).collect();
        lines.push(format!("Dead: {}.", dead.join(" ")));
    }
    lines.extend_from_slice(said);
    lines.join("\n")
}
