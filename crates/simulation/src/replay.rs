//! A game's record, played again by the rules alone.

use std::collections::BTreeSet;

use goban::{Color, Dead, Komi, Move, Point, Position, Preset, Size, judge};
use nigiri_proto::game::v1::{
    self as pb, EndReason, GameCreated, GameFinished, GameRecord, MovePlayed, game_event::Event,
};

/// What a record says, after it was played again.
#[derive(Debug)]
pub struct Replayed {
    /// What ended it.
    pub reason: EndReason,
    /// The player to move at the end: who lost, if it was by time.
    pub turn: pb::Color,
    /// Whether it is to change ratings.
    pub counts: bool,
    /// Both players' ids.
    pub players: BTreeSet<String>,
}

struct Replay {
    position: Position,
    komi: Komi,
    rated: bool,
    players: BTreeSet<String>,
    end: Option<EndReason>,
}

/// Plays a record again.
///
/// # Errors
/// What in it does not follow from the rules, in words.
pub fn replay(record: &GameRecord) -> Result<Replayed, String> {
    let mut replay: Option<Replay> = None;
    for entry in &record.entries {
        for event in &entry.events {
            let done = match (&event.event, &mut replay) {
                (Some(Event::Created(created)), None) => {
                    replay = Some(Replay::new(created)?);
                    Ok(())
                }
                (Some(event), Some(replay)) => replay.event(event),
                _ => Err("is out of place".to_owned()),
            };
            done.map_err(|why| format!("entry {}: {why}", entry.sequence))?;
        }
    }
    let replay = replay.ok_or("an empty record")?;
    let reason = replay.end.ok_or("the record has no end")?;
    Ok(Replayed {
        reason,
        turn: wire(replay.position.turn()),
        counts: replay.rated && !matches!(reason, EndReason::Abort | EndReason::Repetition),
        players: replay.players,
    })
}

impl Replay {
    fn new(created: &GameCreated) -> Result<Self, String> {
        let settings = created.settings.as_ref().ok_or("no settings")?;
        let preset: Preset = settings.preset.parse().map_err(|error| format!("{error}"))?;
        let side = u8::try_from(settings.board_size).map_err(|_| "no board")?;
        let size = Size::square(side).map_err(|error| error.to_string())?;
        Ok(Self {
            position: Position::new(size, preset.rules()),
            komi: preset.komi(),
            rated: settings.rated,
            players: created.seats.iter().map(|seat| seat.player_id.clone()).collect(),
            end: None,
        })
    }

    fn event(&mut self, event: &Event) -> Result<(), String> {
        if self.end.is_some() {
            return Err("comes after the end".to_owned());
        }
        match event {
            Event::MovePlayed(MovePlayed { color, point, captured }) => {
                let at: Point = point.parse().map_err(|_| format!("{point} is no point"))?;
                let taken = self.turn(*color, Move::Play(at))?;
                let taken: BTreeSet<String> = taken.iter().map(ToString::to_string).collect();
                let said: BTreeSet<String> = captured.iter().cloned().collect();
                if taken == said { Ok(()) } else { Err(format!("takes {taken:?}, not {said:?}")) }
            }
            Event::Passed(passed) => self.turn(passed.color, Move::Pass).map(|_| ()),
            Event::Finished(finished) => self.finish(finished),
            Event::Created(_) => Err("creates the game again".to_owned()),
            _ => Ok(()),
        }
    }

    fn turn(&mut self, color: i32, chosen: Move) -> Result<Vec<Point>, String> {
        let turn = wire(self.position.turn());
        if color != i32::from(turn) {
            return Err(format!("it is {turn:?}'s turn"));
        }
        self.position.play(chosen).map(|played| played.captured).map_err(|error| error.to_string())
    }

    fn finish(&mut self, finished: &GameFinished) -> Result<(), String> {
        let result = finished.result.as_ref().ok_or("an end without a result")?;
        self.end = Some(result.reason());
        if !matches!(result.reason(), EndReason::Score | EndReason::MoveLimit) {
            return Ok(());
        }
        let verdict = judge(&self.position, self.komi, 0, Dead::Clear);
        let counted = verdict.result.to_string();
        if counted == result.text { Ok(()) } else { Err(format!("counts {counted}, not {}", result.text)) }
    }
}

/// A colour as the API has it.
fn wire(color: Color) -> pb::Color {
    match color {
        Color::Black => pb::Color::Black,
        Color::White => pb::Color::White,
    }
}
