use std::time::Duration;

use goban::{Color, Move, Point, Verdict};
use kernel::Timestamp;

use super::{End, Game, Rematch, make, start_position};
use crate::{Agreement, Event, Proposal, ProposalKind, presence::Absence};

/// Why an event does not fit the game that it is applied to.
type Misfit = &'static str;

type Fit = Result<(), Misfit>;

impl Game {
    /// What an event makes of the game; `stamp` is the stamp of its entry, by the store's clock. It never judges and never fails: an event
    /// that does not fit marks the game as corrupt, and then nothing changes it any more. A stamp before the last one counts as the last
    /// one.
    pub fn apply(&mut self, event: &Event, stamp: Timestamp) {
        if self.corrupt.is_some() {
            return;
        }
        let stamp = stamp.max(self.last_stamp);
        match self.try_apply(event, stamp) {
            Ok(()) => self.last_stamp = stamp,
            Err(misfit) => self.corrupt = Some(misfit),
        }
    }

    fn try_apply(&mut self, event: &Event, at: Timestamp) -> Fit {
        if let Some(end) = &mut self.end {
            return end.rematch.apply(event);
        }
        match event {
            Event::Created { .. } => Err("the game was made twice"),
            Event::MovePlayed { color, point, captured } => self.play(*color, *point, captured, at),
            Event::Passed { color } => self.advance(*color, Move::Pass, at).map(drop),
            Event::TakenBack { moves, .. } => self.take_back(*moves, at),
            Event::TimeCredited { credit, grace, settled_until, .. } => {
                let possible = self.credit(*credit, *grace, *settled_until);
                if possible { Ok(()) } else { Err("a credit of more time than was lost") }
            }
            Event::TimeGiven { time, .. } => {
                if self.give(*time) {
                    Ok(())
                } else {
                    Err("time for a clock that does not run")
                }
            }
            Event::PlayerAway { color, left, grace } => self.away(*color, *left, *grace, at),
            Event::PlayerBack { color } => {
                self.absences[color.index()].take().map(drop).ok_or("the return of a player who was there")
            }
            Event::DrawOffered { color, id, version } => {
                self.propose(*color, Proposal { id: *id, version: *version, kind: ProposalKind::Draw })
            }
            Event::TakebackRequested { color, id, version, moves } => {
                if !(1..=self.made()).contains(moves) || !self.may_take_back() {
                    return Err("moves asked back that cannot be");
                }
                let kind = ProposalKind::Takeback { moves: *moves };
                self.propose(*color, Proposal { id: *id, version: *version, kind })
            }
            Event::ProposalAnswered { color, id, accepted } => self.answer(*color, *id, *accepted),
            Event::ScoreProposed { version, verdict, accepted, time } => {
                self.open_agreement(*version, verdict, *accepted, *time, at)
            }
            Event::ChainMarked { version, verdict, accepted, extension, .. } => {
                self.mark(*version, verdict, *accepted, *extension)
            }
            Event::ScoreAccepted { color, version } => {
                self.scored(*version)?.accepted[color.index()] = true;
                Ok(())
            }
            Event::ScoreDisputed { version, turn, .. } => self.dispute(*version, *turn, at),
            Event::Adjudicated { .. } => Ok(()),
            Event::Finished { outcome, verdict } => {
                let (outcome, verdict) = (*outcome, verdict.clone());
                self.end = Some(Box::new(End { outcome, verdict, rematch: Rematch::default() }));
                self.clock.stop();
                (self.agreement, self.desk, self.absences) = (None, None, [None, None]);
                Ok(())
            }
            Event::RematchRequested { .. } | Event::RematchAgreed { .. } => Err("a rematch before the end"),
        }
    }

    fn play(&mut self, color: Color, point: Point, taken: &[Point], at: Timestamp) -> Fit {
        let mut told = taken.to_vec();
        told.sort_unstable();
        let found = self.advance(color, Move::Play(point), at)?;
        if found == told { Ok(()) } else { Err("a move that takes other stones than it says") }
    }

    /// Makes a move and presses the clock. The answer is the stones that left the board.
    fn advance(&mut self, color: Color, chosen: Move, at: Timestamp) -> Result<Vec<Point>, Misfit> {
        if self.agreement.is_some() {
            return Err("a move while a score is proposed");
        }
        if color != self.to_move() {
            return Err("a move out of turn");
        }
        let ply = self.ply();
        let taken = make(&mut self.position, color, chosen).map_err(|_| "an illegal move")?;
        self.moves.push(chosen);
        let used = self.clock.press(color, at);
        if self.keeps_turns() {
            self.turns.push(u32::try_from(used.as_millis()).unwrap_or(u32::MAX));
        }
        if let Some(desk) = &mut self.desk {
            desk.moved(color, ply);
        }
        Ok(taken)
    }

    fn take_back(&mut self, moves: u32, at: Timestamp) -> Fit {
        let kept = self.made().checked_sub(moves).filter(|_| moves > 0 && self.may_take_back());
        let kept = kept.ok_or("moves taken back that cannot be")?;
        let mut position = start_position(&self.settings);
        for (number, &chosen) in (0..kept).zip(&self.moves) {
            make(&mut position, self.settings.mover(number), chosen).map_err(|_| "an illegal move")?;
        }
        self.position = position;
        self.moves.truncate(kept as usize);
        self.turns.truncate(kept as usize);
        self.retracted = self.retracted.saturating_add(moves).saturating_add(1);
        self.retracted_at = self.ply();
        self.passes_from = self.passes_from.min(kept).max(self.settings.placements());
        let turns = (0..kept).zip(&self.turns);
        let of =
            |(number, &used): (u32, &u32)| (self.settings.mover(number), Duration::from_millis(used.into()));
        self.clock.restore(turns.map(of), at);
        if let Some(desk) = &mut self.desk {
            desk.pending = [None, None];
        }
        if self.agreement.take().is_some() {
            self.thaw(at);
        }
        Ok(())
    }

    fn away(&mut self, color: Color, left: bool, grace: Duration, at: Timestamp) -> Fit {
        let absence = &mut self.absences[color.index()];
        let since = match absence {
            Some(known) if known.left || !left => return Err("a player gone who was gone"),
            Some(known) => known.since,
            None => at,
        };
        *absence = Some(Box::new(Absence { since, left, from: at, grace }));
        Ok(())
    }

    /// Grace runs on from that moment.
    fn thaw(&mut self, at: Timestamp) {
        self.absences.iter_mut().flatten().for_each(|absence| absence.from = at);
    }

    fn propose(&mut self, color: Color, proposal: Proposal) -> Fit {
        let desk = self.desk();
        let pending = &mut desk.pending[color.index()];
        if pending.is_some() || desk.made.checked_add(1) != Some(proposal.id) {
            return Err("a proposal that cannot be");
        }
        *pending = Some(proposal);
        desk.made = proposal.id;
        Ok(())
    }

    fn answer(&mut self, color: Color, id: u32, accepted: bool) -> Fit {
        let (by, ply) = (color.opposite(), self.ply());
        if self.pending(by).map(|proposal| proposal.id) != Some(id) {
            return Err("an answer to no proposal");
        }
        if accepted {
            self.desk().pending[by.index()] = None;
        } else {
            self.desk().decline(by, ply);
        }
        Ok(())
    }

    fn open_agreement(
        &mut self,
        version: u32,
        own: &Verdict,
        accepted: [bool; 2],
        time: Duration,
        at: Timestamp,
    ) -> Fit {
        if self.agreement.is_some() || self.disputed {
            return Err("a score proposed twice");
        }
        self.agreement = Some(Box::new(Agreement {
            version,
            own: own.clone(),
            marked: None,
            accepted,
            started: at,
            time,
            extensions: 0,
        }));
        self.clock.stop();
        self.absences.iter_mut().flatten().for_each(|absence| absence.freeze(at));
        if let Some(desk) = &mut self.desk {
            desk.pending = [None, None];
        }
        Ok(())
    }

    /// The agreement, if that version of the score is proposed.
    fn scored(&mut self, version: u32) -> Result<&mut Agreement, Misfit> {
        let agreement = self.agreement.as_mut().filter(|agreement| agreement.version == version);
        agreement.map(|agreement| &mut **agreement).ok_or("an answer to no score")
    }

    fn mark(&mut self, version: u32, verdict: &Verdict, accepted: [bool; 2], extension: Duration) -> Fit {
        let agreement = self.scored(version.saturating_sub(1))?;
        agreement.version = version;
        agreement.marked = (*verdict != agreement.own).then(|| verdict.clone());
        agreement.accepted = accepted;
        agreement.time = agreement.time.saturating_add(extension);
        agreement.extensions += u8::from(extension > Duration::ZERO && agreement.extensions < u8::MAX);
        Ok(())
    }

    fn dispute(&mut self, version: u32, turn: Color, at: Timestamp) -> Fit {
        self.scored(version)?;
        if turn != self.to_move() {
            return Err("play goes on with the wrong player");
        }
        self.agreement = None;
        self.disputed = true;
        self.passes_from = self.made();
        self.clock.begin_turn(at);
        self.thaw(at);
        Ok(())
    }
}

impl Rematch {
    fn apply(&mut self, event: &Event) -> Fit {
        match event {
            Event::RematchRequested { color } if !self.requested[color.index()] && self.game.is_none() => {
                self.requested[color.index()] = true;
                Ok(())
            }
            Event::RematchAgreed { game } if self.game.is_none() => {
                self.game = Some(*game);
                Ok(())
            }
            _ => Err("an event after the end"),
        }
    }
}
