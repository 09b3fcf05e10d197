//! Who can solve mate problems: the reference solvers and evolved programs, all behind one trait.
//!
//! A solver claims; [`settle`] has every claim proved as a tree and verified, whoever made it. What a solver proved
//! itself is verified as it is; for the others df-pn finds the tree, and its nodes are not counted as theirs.
//!
//! | file | what |
//! | --- | --- |
//! | `exhaustive` | the mate paper's Figure 1 |
//! | `alphabeta` | core's modern search |
//! | `dfpn` | depth-first proof-number search with a table |
//! | `evolved` | a program in its frame |

pub mod alphabeta;
pub mod dfpn;
pub mod evolved;
pub mod exhaustive;

use plysmith_core::game::Game;
use plysmith_core::games::chess::{Move, Position};

use crate::proof::{Attack, Proof};
use dfpn::DfPn;

/// Is there a mate?
#[derive(Clone)]
pub struct Question<'a> {
    /// Where the player is to move.
    pub position: &'a Position,
    /// Within how many of his moves.
    pub moves: u8,
    /// Nodes that may be spent.
    pub budget: u64,
    /// Asked now and then whether to stop.
    pub interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// What a solver says.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The move it would play.
    pub best: Option<Move>,
    /// Within how many moves it mates, if it claims so.
    pub mate: Option<u8>,
    /// Nodes spent.
    pub nodes: u64,
    /// Whether it gave up: the budget is spent, or somebody interrupted.
    pub is_cut: bool,
    /// How, if the solver knows.
    pub proof: Option<Proof>,
}

/// Solves mate problems. Equal questions have equal answers.
pub trait Solver: Send {
    /// What to call it in tables.
    fn name(&self) -> String;

    /// Answers a question.
    fn solve(&mut self, question: &Question<'_>) -> Answer;
}

/// The shortest mate within the question's moves that a solver finds: it is asked for one move, two, and so on.
pub fn shortest(solver: &mut dyn Solver, question: &Question<'_>) -> Answer {
    let mut nodes = 0;
    for moves in 1..=question.moves {
        let budget = question.budget.saturating_sub(nodes);
        let answer = solver.solve(&Question { moves, budget, ..question.clone() });
        nodes += answer.nodes;
        if answer.mate.is_some() || answer.is_cut || moves == question.moves {
            return Answer { nodes, ..answer };
        }
    }
    Answer::default()
}

/// What became of a claim.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// There is none.
    NoClaim,
    /// It is proved, and the proof is verified.
    Verified(Proof),
    /// There is no such mate, or its proof is wrong.
    Rejected,
    /// Finding the proof was interrupted, or took too long.
    Unsettled,
}

/// Proofs of others' claims may take so many nodes.
const PROOF_BUDGET: u64 = 50_000_000;

/// Has the claim of an answer proved and verified.
pub fn settle(question: &Question<'_>, answer: &Answer) -> Verdict {
    let (Some(m), Some(moves)) = (answer.best, answer.mate) else { return Verdict::NoClaim };
    let (proof, is_cut) = match &answer.proof {
        Some(proof) => (Some(proof.clone()), false),
        None => prove(question, m, moves),
    };
    let fits =
        |proof: &Proof| proof.position == *question.position && proof.moves <= u32::from(moves) && proof.attack.m == m;
    match proof.filter(fits) {
        Some(proof) if proof.verify().is_ok() => Verdict::Verified(proof),
        None if is_cut => Verdict::Unsettled,
        _ => Verdict::Rejected,
    }
}

/// Proves that this move mates within so many, and says whether it had to give up.
fn prove(question: &Question<'_>, m: Move, moves: u8) -> (Option<Proof>, bool) {
    let position = question.position;
    if moves == 0 || !position.legal_moves().contains(&m) {
        return (None, false);
    }
    let after = position.play(m);
    let mut is_cut = false;
    let mut answer_to = |reply: Move| {
        let next = after.play(reply);
        let question =
            Question { position: &next, moves: moves - 1, budget: PROOF_BUDGET, interrupt: question.interrupt };
        let answer = DfPn.solve(&question);
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
