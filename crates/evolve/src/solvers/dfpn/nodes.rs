//! Nodes with their proof and disproof numbers, and how those of a node come from its children.

use cozy_chess::{Board, Move};

/// A node of the search.
#[derive(Copy, Clone)]
pub(super) struct SearchNode<'b> {
    pub board: &'b Board,
    pub is_players_turn: bool,
    /// The player's moves that are left.
    pub left: u8,
}

/// Proof and disproof number of a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct ProofNumbers {
    pub proof: u32,
    pub disproof: u32,
}

/// A move, the board after it, and its numbers.
pub(super) struct Child {
    pub m: Move,
    pub board: Board,
    pub numbers: ProofNumbers,
}

/// The children of a node that matter.
pub(super) struct Children {
    /// Whether the player is to move: he needs one child, the opponent all.
    pub is_players_turn: bool,
    /// Those whose boards were made.
    pub made: Vec<Child>,
    /// Moves of the player that wait: their boards are made when no other move is promising any more.
    pub waiting: Vec<Move>,
    /// The proof number of those.
    pub waiting_proof: u32,
}

/// The infinite proof number.
pub(super) const INFINITE: u32 = 1 << 30;

impl SearchNode<'_> {
    /// The node after one of its moves.
    pub fn after(self, child: &Child) -> SearchNode<'_> {
        let left = if self.is_players_turn { self.left - 1 } else { self.left };
        SearchNode { board: &child.board, is_players_turn: !self.is_players_turn, left }
    }
}

impl ProofNumbers {
    pub const PROVED: ProofNumbers = ProofNumbers { proof: 0, disproof: INFINITE };
    pub const DISPROVED: ProofNumbers = ProofNumbers { proof: INFINITE, disproof: 0 };
    /// Of a node that was not looked at.
    pub const UNKNOWN: ProofNumbers = ProofNumbers { proof: 1, disproof: 1 };
    /// Thresholds that only a decision reaches.
    pub const OPEN_END: ProofNumbers = ProofNumbers { proof: INFINITE, disproof: INFINITE };

    pub fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// Whether a search with these thresholds ends here.
    pub fn reaches(self, thresholds: ProofNumbers) -> bool {
        self.is_decided() || self.proof >= thresholds.proof || self.disproof >= thresholds.disproof
    }
}

impl Children {
    /// The numbers of the node.
    pub fn numbers(&self) -> ProofNumbers {
        if self.is_players_turn {
            let proof = self.least(|numbers| numbers.proof);
            let disproof = self.shared_total(|numbers| numbers.disproof);
            let waiting = if proof == 0 { 0 } else { self.waiting.len() as u32 };
            ProofNumbers { proof, disproof: INFINITE.min(disproof + waiting) }
        } else {
            ProofNumbers {
                proof: self.total(|numbers| numbers.proof),
                disproof: self.least(|numbers| numbers.disproof),
            }
        }
    }

    /// Whether it is the turn of the moves that wait.
    pub fn wants_waiting(&self) -> bool {
        !self.waiting.is_empty() && self.least(|numbers| numbers.proof) >= self.waiting_proof
    }

    fn least(&self, part: fn(&ProofNumbers) -> u32) -> u32 {
        self.made.iter().map(|child| part(&child.numbers)).min().unwrap_or(INFINITE)
    }

    fn total(&self, part: fn(&ProofNumbers) -> u32) -> u32 {
        self.made.iter().map(|child| part(&child.numbers)).fold(0, |sum: u32, part| INFINITE.min(sum + part))
    }

    /// The largest number, and one for each other open child: less than the sum, because the subtrees share nodes.
    fn shared_total(&self, part: fn(&ProofNumbers) -> u32) -> u32 {
        let parts = || self.made.iter().map(|child| part(&child.numbers));
        let open = parts().filter(|&part| part > 0).count() as u32;
        INFINITE.min(parts().max().unwrap_or(0) + open.saturating_sub(1))
    }

    /// The child to expand next, and its thresholds. `busy` is the number of other threads below a child, which makes it
    /// less attractive.
    pub fn select(
        &self,
        numbers: ProofNumbers,
        thresholds: ProofNumbers,
        busy: impl Fn(&Child) -> u32,
    ) -> (usize, ProofNumbers) {
        let part = |child: &Child| if self.is_players_turn { child.numbers.proof } else { child.numbers.disproof };
        let limit = match self.is_players_turn {
            true if self.waiting.is_empty() => thresholds.proof,
            true => thresholds.proof.min(beyond(self.waiting_proof)),
            false => thresholds.disproof,
        };
        // The best one is below the limit, or the search would have ended here.
        let avoided = |child: &Child| match part(child) {
            own if own >= limit => u64::MAX,
            own => u64::from(own) + u64::from(busy(child)) * u64::from(1 + own / 2),
        };
        let best = self.made.iter().enumerate().min_by_key(|(_, child)| avoided(child));
        let index = best.map_or(0, |(index, _)| index);
        let chosen = &self.made[index];
        let others = self.made.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, child)| part(child));
        let next = beyond(others.min().unwrap_or(INFINITE).max(part(chosen))).min(limit);
        let rest = |all: u32, now: u32, own: u32| INFINITE.min(all.saturating_sub(now).saturating_add(own));
        let thresholds = if self.is_players_turn {
            let disproof = rest(thresholds.disproof, numbers.disproof, chosen.numbers.disproof);
            ProofNumbers { proof: next, disproof }
        } else {
            ProofNumbers { proof: rest(thresholds.proof, numbers.proof, chosen.numbers.proof), disproof: next }
        };
        (index, thresholds)
    }
}

/// The 1 + ε trick, with an ε of a quarter: a child is searched until its number is this far beyond the second best.
fn beyond(second: u32) -> u32 {
    second.saturating_add(second / 4).saturating_add(1)
}
