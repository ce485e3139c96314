use goban::Color;

/// After a draw offer was declined, its player may not offer one again for so many moves.
pub(crate) const DRAW_PAUSE: u32 = 10;

/// What a player has proposed to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Its number in the game, from 1. An answer quotes it.
    pub id: u32,
    /// The ply at which it was made. An answer quotes it.
    pub version: u32,
    /// What is proposed.
    pub kind: ProposalKind,
}

/// What can be proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalKind {
    /// A draw. It stands until it is answered or the opponent moves, which declines it.
    Draw,
    /// To take back moves. It stands until it is answered or anybody moves.
    Takeback {
        /// How many: 1 or 2.
        moves: u32,
    },
}

/// How a player may take back moves now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takeback {
    /// At once.
    Immediate {
        /// How many moves it takes back: 1 or 2.
        moves: u32,
    },
    /// If the opponent agrees.
    ByConsent {
        /// How many moves it takes back: 1 or 2.
        moves: u32,
    },
}

/// Both players' proposals.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Desk {
    /// Proposals made so far.
    pub made: u32,
    pub pending: [Option<Proposal>; 2],
    /// The ply from which each may offer a draw again.
    pub draw_from: [u32; 2],
    /// The ply at which each one's request to take back was declined.
    pub declined_at: [Option<u32>; 2],
}

impl Desk {
    /// Notes that a proposal of that player was declined at a ply.
    pub fn decline(&mut self, by: Color, ply: u32) {
        match self.pending[by.index()].take().map(|proposal| proposal.kind) {
            Some(ProposalKind::Draw) => self.draw_from[by.index()] = ply.saturating_add(DRAW_PAUSE),
            Some(ProposalKind::Takeback { .. }) => self.declined_at[by.index()] = Some(ply),
            None => {}
        }
    }

    /// What a move of that player does to the proposals; `ply` is the ply before it.
    pub fn moved(&mut self, mover: Color, ply: u32) {
        let is_draw = |proposal: &Proposal| proposal.kind == ProposalKind::Draw;
        if self.pending[mover.opposite().index()].as_ref().is_some_and(is_draw) {
            self.decline(mover.opposite(), ply);
        }
        for pending in &mut self.pending {
            *pending = pending.take().filter(is_draw);
        }
    }
}
