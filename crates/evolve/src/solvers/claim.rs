//! Verification of mates that solvers claim.

use plysmith_core::game::Game;
use plysmith_core::games::chess::Move;

use super::dfpn::DfPn;
use super::solver::{MateAnswer, MateQuery, Solver};
use crate::proof::{Attack, Proof};

/// The verdict on a claimed mate.
#[derive(Clone, Debug)]
pub enum ClaimVerdict {
    /// No mate was claimed.
    NoClaim,
    /// The mate is proved, and the proof is verified.
    Verified(Proof),
    /// There is no such mate, or the proof is invalid.
    Rejected,
    /// The search for a proof was interrupted, or exceeded its node budget.
    Unsettled,
}

/// The node budget to prove a claim that comes without a proof.
const PROOF_BUDGET: u64 = 50_000_000;

/// Verifies the claim of an answer. If it has no proof, df-pn searches for one.
pub fn verify_claim(query: &MateQuery<'_>, answer: &MateAnswer) -> ClaimVerdict {
    let (Some(m), Some(moves)) = (answer.best, answer.mate) else { return ClaimVerdict::NoClaim };
    let (proof, is_cut) = match &answer.proof {
        Some(proof) => (Some(proof.clone()), false),
        None => prove(query, m, moves),
    };
    let fits =
        |proof: &Proof| proof.position == *query.position && proof.moves <= u32::from(moves) && proof.attack.m == m;
    match proof.filter(fits) {
        Some(proof) if proof.verify().is_ok() => ClaimVerdict::Verified(proof),
        None if is_cut => ClaimVerdict::Unsettled,
        _ => ClaimVerdict::Rejected,
    }
}

/// Searches for a proof that this move mates within `moves` moves, and returns whether the search was cut short.
fn prove(query: &MateQuery<'_>, m: Move, moves: u8) -> (Option<Proof>, bool) {
    let position = query.position;
    if moves == 0 || !position.legal_moves().contains(&m) {
        return (None, false);
    }
    let after = position.play(m);
    let mut is_cut = false;
    let mut answer_to = |reply: Move| {
        let next = after.play(reply);
        let query = MateQuery { position: &next, moves: moves - 1, budget: PROOF_BUDGET, interrupt: query.interrupt };
        let answer = DfPn.solve(&query);
        is_cut |= answer.is_cut;
        answer.proof.map(|proof| (reply, proof.attack))
    };
    let replies = after.legal_moves();
    let is_mate = !replies.is_empty() || after.in_check();
    let replies = replies.into_iter().map(&mut answer_to).collect::<Option<Vec<_>>>().filter(|_| is_mate);
    let proof =
        replies.map(|replies| Proof { position: position.clone(), moves: moves.into(), attack: Attack { m, replies } });
    (proof, is_cut)
}
