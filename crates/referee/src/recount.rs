//! Checking a recorded result against the record itself.

use std::fmt;

use goban::{JUDGE_VERSION, Verdict};

use crate::{
    DeadStones, EndReason, Event, Game, Outcome,
    count::{count_due, counted, counted_with},
};

/// Something in a record that does not come out again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: the record has {recorded}, computed is {computed}")]
pub struct Mismatch {
    /// What.
    pub what: &'static str,
    /// As it stands in the record.
    pub recorded: String,
    /// As it comes out.
    pub computed: String,
}

impl Mismatch {
    fn new(what: &'static str, recorded: impl fmt::Display, computed: impl fmt::Display) -> Self {
        Self { what, recorded: recorded.to_string(), computed: computed.to_string() }
    }
}

/// Computes anew what an event says was computed: a score, the dead stones, the result. The game is as it was just before the event. What one player or an operator
/// has decided is taken as it is. Dead stones that another version of the judge found are taken as they are, too, and only counted anew.
///
/// # Errors
/// What does not come out.
pub fn recount(game: &Game, event: &Event) -> Result<(), Mismatch> {
    match event {
        Event::ScoreProposed { verdict, .. } => {
            same(verdict, &again(game, verdict, DeadStones::Agreement), "the proposed score")
        }
        Event::ChainMarked { point, dead, verdict, .. } => marked(game, *point, *dead, verdict),
        Event::Finished { outcome, verdict } => finished(game, *outcome, verdict.as_deref()),
        _ => Ok(()),
    }
}

/// The verdict on the game's position with its dead stones found in that way, or with those of the record where another judge found them.
fn again(game: &Game, recorded: &Verdict, found: DeadStones) -> Verdict {
    if recorded.version == JUDGE_VERSION {
        counted(game.settings(), &game.position, found, None)
    } else {
        counted_with(game.settings(), &game.position, &recorded.dead)
    }
}

fn marked(game: &Game, point: goban::Point, dead: bool, verdict: &Verdict) -> Result<(), Mismatch> {
    let chain: Vec<_> = game.position.board().chain(point).collect();
    let stones = game.agreement().and_then(|agreement| agreement.marked(&chain, dead));
    let stones = stones.ok_or_else(|| Mismatch::new("a mark", point, "nothing to mark"))?;
    same(verdict, &counted_with(game.settings(), &game.position, &stones), "the marked score")
}

fn finished(game: &Game, outcome: Outcome, verdict: Option<&Verdict>) -> Result<(), Mismatch> {
    let Some(verdict) = verdict else { return uncounted(game, outcome) };
    let expected = match game.agreement() {
        Some(agreement) if same(verdict, &agreement.own, "").is_ok() => agreement.own.clone(),
        Some(agreement) => agreement.verdict().clone(),
        None => match count_due(game, &game.position) {
            Some((_, method)) => again(game, verdict, method),
            None => return Err(Mismatch::new("the end", outcome, "a game that goes on")),
        },
    };
    same(verdict, &expected, "the final score")?;
    let computed = Outcome::of_verdict(outcome.reason, &expected);
    if computed == outcome { Ok(()) } else { Err(Mismatch::new("the result", outcome, computed)) }
}

/// An end without a count: whether it can have come about so.
fn uncounted(game: &Game, outcome: Outcome) -> Result<(), Mismatch> {
    let fault = |computed: &str| Err(Mismatch::new("the result", outcome, computed));
    let begun = game.move_number() >= game.settings().opening();
    match outcome.reason {
        EndReason::Score | EndReason::MoveLimit => fault("a count that is missing"),
        EndReason::Time if outcome.winner != Some(game.to_move().opposite()) => {
            fault("a win of the player whose clock did not run")
        }
        EndReason::Resignation | EndReason::Time | EndReason::Abandonment if !begun => {
            fault("an abort, since not both had moved")
        }
        EndReason::Resignation | EndReason::Abandonment if outcome.winner.is_none() => fault("a winner"),
        EndReason::Abort if begun => fault("a result, since both had moved"),
        EndReason::Repetition if !game.position.repetition() => fault("no repetition"),
        EndReason::DrawAgreed if !game.settings().draw_offers => fault("a game without draw offers"),
        _ => Ok(()),
    }
}

/// Whether two verdicts say the same, but for the version of the judge and for what it was unsure of.
fn same(recorded: &Verdict, computed: &Verdict, what: &'static str) -> Result<(), Mismatch> {
    let list = |verdict: &Verdict| {
        let names: Vec<_> = verdict.dead.iter().map(ToString::to_string).collect();
        if names.is_empty() { "no dead stones".to_owned() } else { format!("dead {}", names.join(" ")) }
    };
    let equal = (&recorded.dead, &recorded.owner, recorded.black, recorded.white, recorded.result)
        == (&computed.dead, &computed.owner, computed.black, computed.white, computed.result);
    if equal {
        return Ok(());
    }
    let text = |verdict: &Verdict| {
        let (black, white) = (verdict.black.half_points(), verdict.white.half_points());
        format!("{} with {} ({black}:{white} half points)", verdict.result, list(verdict))
    };
    Err(Mismatch::new(what, text(recorded), text(computed)))
}
