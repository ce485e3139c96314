//! A game's record, played again by the rules alone.

use goban::{Color, Dead, Komi, Move, Outcome, Point, Position, Preset, Size, judge};
use nigiri_proto::game::v1::{
    self as pb, EndReason, GameCreated, GameFinished, GameRecord, MovePlayed, RecordEntry, ScoreParts,
    game_event::Event,
};

/// What a record says, after it was played again.
#[derive(Debug, Default)]
pub struct Replayed {
    /// The number of the entry by which a player resigned.
    pub resigned: Option<u64>,
    /// What ended it.
    pub reason: EndReason,
    /// Who won; unspecified for nobody.
    pub winner: pb::Color,
    /// Whether it is rated.
    pub rated: bool,
    /// The size of the board.
    pub board_size: u32,
    /// Both players' ids, Black first.
    pub players: Vec<String>,
}

/// Plays a record again.
///
/// # Errors
/// What in it does not follow from the rules, in words.
pub fn replay(record: &GameRecord) -> Result<Replayed, String> {
    let mut game: Option<Game> = None;
    for entry in &record.entries {
        for event in &entry.events {
            match (&event.event, &mut game) {
                (Some(Event::Created(created)), None) => game = Some(Game::new(created)?),
                (Some(event), Some(game)) => game.event(entry, event)?,
                _ => return Err(format!("entry {}: an event out of place", entry.sequence)),
            }
        }
    }
    let game = game.ok_or("an empty record")?;
    if game.finished { Ok(game.replayed) } else { Err("no end".to_owned()) }
}

struct Game {
    position: Position,
    komi: Komi,
    move_limit: u32,
    finished: bool,
    replayed: Replayed,
}

impl Game {
    fn new(created: &GameCreated) -> Result<Self, String> {
        let settings = created.settings.as_ref().ok_or("a game without settings")?;
        let preset: Preset = settings.preset.parse().map_err(|error| format!("{error}"))?;
        let side = u8::try_from(settings.board_size).map_err(|_| "a board of no size")?;
        let size = Size::square(side).map_err(|error| error.to_string())?;
        #[expect(clippy::cast_possible_truncation, reason = "a multiple of 0.5 below 1,000")]
        let halves = (settings.komi * 2.0).round() as i16;
        Ok(Self {
            position: Position::new(size, preset.rules()),
            komi: Komi::from_half_points(halves).map_err(|error| error.to_string())?,
            move_limit: settings.move_limit,
            finished: false,
            replayed: Replayed {
                rated: settings.rated,
                board_size: settings.board_size,
                players: created.seats.iter().map(|seat| seat.player_id.clone()).collect(),
                ..Replayed::default()
            },
        })
    }

    fn event(&mut self, entry: &RecordEntry, event: &Event) -> Result<(), String> {
        let sequence = entry.sequence;
        if self.finished {
            return Err(format!("entry {sequence}: an event after the end"));
        }
        match event {
            Event::MovePlayed(played) => self.play(sequence, played),
            Event::Passed(passed) => self.turn(sequence, passed.color(), Move::Pass).map(|_| ()),
            Event::Finished(finished) => {
                self.finished = true;
                self.finish(entry, finished).map_err(|why| format!("entry {sequence}: {why}"))
            }
            Event::TimeCredited(_)
            | Event::TimeGiven(_)
            | Event::PlayerAway(_)
            | Event::PlayerBack(_)
            | Event::Adjudicated(_) => Ok(()),
            Event::DrawOffered(_) | Event::ProposalAnswered(_) => Ok(()),
            Event::TakebackRequested(_)
            | Event::TakenBack(_)
            | Event::ScoreProposed(_)
            | Event::ChainMarked(_)
            | Event::ScoreAccepted(_)
            | Event::ScoreDisputed(_)
            | Event::RematchRequested(_)
            | Event::RematchAgreed(_) => Err(format!("entry {sequence}: not an event of the swarm's games")),
            Event::Created(_) => Err(format!("entry {sequence}: created twice")),
        }
    }

    fn play(&mut self, sequence: u64, played: &MovePlayed) -> Result<(), String> {
        let point: Point = played.point.parse().map_err(|error| format!("entry {sequence}: {error}"))?;
        let mut taken = self.turn(sequence, played.color(), Move::Play(point))?;
        let mut said = Vec::new();
        for point in &played.captured {
            said.push(point.parse::<Point>().map_err(|error| format!("entry {sequence}: {error}"))?);
        }
        taken.sort_unstable();
        said.sort_unstable();
        if taken == said { Ok(()) } else { Err(format!("entry {sequence}: took {taken:?}, not {said:?}")) }
    }

    /// Makes a move. Gives the stones that it took.
    fn turn(&mut self, sequence: u64, color: pb::Color, chosen: Move) -> Result<Vec<Point>, String> {
        if wire(self.position.turn()) != color {
            return Err(format!("entry {sequence}: {color:?} moves out of turn"));
        }
        let played = self.position.play(chosen).map_err(|error| format!("entry {sequence}: {error}"))?;
        Ok(played.captured)
    }

    fn finish(&mut self, entry: &RecordEntry, finished: &GameFinished) -> Result<(), String> {
        let result = finished.result.as_ref().ok_or("an end without a result")?;
        let by_player = !entry.command_id.is_empty();
        (self.replayed.reason, self.replayed.winner) = (result.reason(), result.winner());
        let letter = if result.winner() == pb::Color::White { 'W' } else { 'B' };
        match result.reason() {
            EndReason::Score | EndReason::MoveLimit => return self.count(finished),
            EndReason::Resignation => {
                self.replayed.resigned = Some(entry.sequence);
                ensure(by_player, "a resignation that nobody sent")?;
                ensure(result.text == format!("{letter}+R"), "a resignation is not written so")?;
                ensure(result.winner() != pb::Color::Unspecified, "a resignation that nobody won")?;
            }
            EndReason::Time => {
                let winner = wire(self.position.turn().opposite());
                ensure(result.winner() == winner, "the player to move lost no time")?;
                ensure(result.text == format!("{letter}+T"), "a loss on time is not written so")?;
            }
            EndReason::Abort | EndReason::Repetition => {
                self.replayed.resigned = by_player.then_some(entry.sequence);
                ensure(result.winner() == pb::Color::Unspecified, "a void game that somebody won")?;
                ensure(
                    result.reason() != EndReason::Abort || self.position.ply() < 2,
                    "an abort after the second move",
                )?;
            }
            EndReason::Abandonment => {
                ensure(result.text == format!("{letter}+F"), "an abandonment is not written so")?;
                ensure(result.winner() != pb::Color::Unspecified, "an abandonment that nobody won")?;
            }
            EndReason::DrawAgreed => {
                ensure(result.text == "Draw", "a draw is not written so")?;
                ensure(result.winner() == pb::Color::Unspecified, "a draw that somebody won")?;
            }
            EndReason::Adjudication | EndReason::UnratedAdjudication | EndReason::Void => {
                ensure(!by_player, "a player's command that decides a game like an operator")?;
            }
            EndReason::Unspecified => return Err("an end without a reason".to_owned()),
        }
        ensure(finished.verdict.is_none(), "a count without counting")
    }

    /// Counts the board and compares.
    fn count(&self, finished: &GameFinished) -> Result<(), String> {
        let result = finished.result.as_ref().ok_or("an end without a result")?;
        let said = finished.verdict.as_ref().ok_or("a count without a verdict")?;
        match result.reason() {
            EndReason::Score => ensure(self.position.passes() >= 2, "counted without two passes")?,
            _ => ensure(self.position.ply() >= self.move_limit, "counted before the move limit")?,
        }
        let verdict = judge(&self.position, self.komi, 0, Dead::Clear);
        let winner = verdict.result.winner().map_or(pb::Color::Unspecified, wire);
        ensure(result.winner() == winner, &format!("{winner:?} has won"))?;
        ensure(
            result.text == verdict.result.to_string() && verdict.result != Outcome::Void,
            &format!("the result is {}, not {}", verdict.result, result.text),
        )?;
        let dead: Vec<String> = verdict.dead.iter().map(ToString::to_string).collect();
        ensure(same(&dead, &said.dead), "other stones are dead")?;
        for (own, said) in [(&verdict.black, &said.black), (&verdict.white, &said.white)] {
            let total = f64::from(own.half_points()) / 2.0;
            let said = said.as_ref().map_or(f64::NAN, |parts: &ScoreParts| parts.total);
            ensure((total - said).abs() < f64::EPSILON, &format!("a count is {total}, not {said}"))?;
        }
        Ok(())
    }
}

fn ensure(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}

fn same(a: &[String], b: &[String]) -> bool {
    let (mut a, mut b): (Vec<&String>, Vec<&String>) = (a.iter().collect(), b.iter().collect());
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

/// A colour as the API has it.
fn wire(color: Color) -> pb::Color {
    match color {
        Color::Black => pb::Color::Black,
        Color::White => pb::Color::White,
    }
}

#[cfg(test)]
mod tests {
    use nigiri_proto::game::v1::{GameEvent, GameResult, GameSettings, Passed, Seat, Verdict};

    use super::*;

    fn entry(sequence: u64, command_id: &str, events: Vec<Event>) -> RecordEntry {
        let events = events.into_iter().map(|event| GameEvent { event: Some(event) }).collect();
        RecordEntry { sequence, events, command_id: command_id.to_owned(), event_time: None }
    }

    fn end(reason: EndReason, winner: pb::Color, text: &str, totals: Option<(f64, f64)>) -> Event {
        let parts = |total| Some(ScoreParts { total, ..ScoreParts::default() });
        Event::Finished(GameFinished {
            result: Some(GameResult { winner: winner.into(), reason: reason.into(), text: text.to_owned() }),
            verdict: totals.map(|(black, white)| Verdict {
                black: parts(black),
                white: parts(white),
                ..Verdict::default()
            }),
        })
    }

    /// A game of these points (`-` for a pass) in turn from Black, with this end in the entry of the last move or in one of its own.
    fn record(points: &[&str], last: Event, own_entry: Option<&str>) -> GameRecord {
        let settings = GameSettings {
            preset: "quick".to_owned(),
            board_size: 9,
            komi: 7.0,
            rated: true,
            move_limit: 300,
            ..GameSettings::default()
        };
        let seats = vec![Seat::default(), Seat::default()];
        let created = Event::Created(GameCreated { settings: Some(settings), seats });
        let mut entries = vec![entry(1, "", vec![created])];
        for (ply, point) in points.iter().enumerate() {
            let color = if ply % 2 == 0 { pb::Color::Black } else { pb::Color::White }.into();
            let event = match *point {
                "-" => Event::Passed(Passed { color }),
                point => {
                    Event::MovePlayed(MovePlayed { color, point: point.to_owned(), captured: Vec::new() })
                }
            };
            entries.push(entry(ply as u64 + 2, "c", vec![event]));
        }
        match own_entry {
            Some(command) => entries.push(entry(points.len() as u64 + 2, command, vec![last])),
            None => entries.last_mut().unwrap().events.push(GameEvent { event: Some(last) }),
        }
        GameRecord { entries, ..GameRecord::default() }
    }

    /// Right records pass: counted, resigned, lost on time, aborted.
    #[test]
    fn right_records_are_right() {
        let black_has_all = end(EndReason::Score, pb::Color::Black, "B+74", Some((81.0, 7.0)));
        let counted = replay(&record(&["E5", "-", "-"], black_has_all, None)).unwrap();
        assert_eq!(
            (counted.reason, counted.winner, counted.rated),
            (EndReason::Score, pb::Color::Black, true)
        );
        let resigned = end(EndReason::Resignation, pb::Color::White, "W+R", None);
        assert_eq!(replay(&record(&["E5", "D5"], resigned, Some("r"))).unwrap().resigned, Some(4));
        let late = end(EndReason::Time, pb::Color::White, "W+T", None);
        assert!(replay(&record(&["E5", "D5"], late, Some(""))).is_ok());
        let aborted = end(EndReason::Abort, pb::Color::Unspecified, "Void", None);
        assert!(replay(&record(&["E5"], aborted, Some("r"))).is_ok());
    }

    /// Each kind of wrong record is found.
    #[test]
    fn wrong_records_are_found() {
        let count = |text: &str, black| end(EndReason::Score, pb::Color::Black, text, Some((black, 7.0)));
        let wrong = [
            record(&["E5", "-", "-"], count("B+73", 81.0), None),
            record(&["E5", "-", "-"], count("B+74", 80.0), None),
            record(&["E5", "-"], count("B+74", 81.0), None),
            record(&["E5", "E5"], end(EndReason::Time, pb::Color::White, "W+T", None), Some("")),
            record(&["E5", "D5"], end(EndReason::Time, pb::Color::Black, "B+T", None), Some("")),
            record(&["E5", "D5"], end(EndReason::Resignation, pb::Color::White, "W+R", None), Some("")),
            record(&["E5", "D5"], end(EndReason::Abort, pb::Color::Unspecified, "Void", None), Some("r")),
            // A stone is taken that the record leaves on the board.
            record(
                &["A1", "A2", "-", "B1"],
                end(EndReason::Resignation, pb::Color::White, "W+R", None),
                Some("r"),
            ),
            GameRecord::default(),
        ];
        for (number, record) in wrong.iter().enumerate() {
            assert!(replay(record).is_err(), "number {number}");
        }
    }
}
