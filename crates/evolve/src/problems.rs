//! Mate problems from self-play: mates in exactly N moves with one key.
//!
//! Programs with different heuristics play each other. Where df-pn finds a mate in N towards the end of a game, it is
//! checked backwards as well: there is no mate in N − 1, and no other first move mates in N. What cannot be settled within
//! the budget is left out. As the paper did with its engine's counts (its Table 1), problems are kept that are neither
//! trivial nor monsters for the reference solver: alpha-beta needs at most twice the paper's average, and for N > 1
//! at least a sixteenth of it.

use plysmith_core::game::Game;
use plysmith_core::games::chess::{Move, Position};
use plysmith_core::random::Random;
use plysmith_core::search::deepening::Interrupt;
use plysmith_core::search::proof::Interrupted;
use plysmith_core::suite::generate::self_play;
use plysmith_core::suite::problem::{Criterion, Problem};

use crate::run::Meter;
use crate::solvers::alphabeta::AlphaBeta;
use crate::solvers::dfpn::{Decider, Decision};
use crate::solvers::{Question, Solver};

/// What problems are wanted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MatePlan {
    /// Mate in exactly so many moves.
    pub moves: u8,
    /// With at least so many men on the board: with fewer, mates are endgame technique.
    pub men: u32,
    /// What every game is drawn from.
    pub seed: u64,
    /// Nodes a move in self-play.
    pub nodes: u64,
}

/// Longer mates are not looked for: to show that there is no shorter one takes too long.
pub const MOST_MOVES: u8 = 8;

/// How many plies before the end of a game problems are looked for, beyond their own length.
const REACH: usize = 10;
/// What the paper's engine needed on the average for mates in one to five (Table 1); longer ones are not limited.
const TABLE_1: [u64; 5] = [600, 7_000, 50_000, 138_000, 1_600_000];
/// The half-move clock may say so much: the fifty-move rule must not matter to anybody.
const FRESH: u8 = 60;
/// Nodes to find a mate.
const FIND: u64 = 30_000;
/// Nodes to show that there is no other.
const EXCLUDE: u64 = 3_000_000;

/// Plays game number `game` and returns the first problem towards its end, its id left empty.
pub fn harvest(
    start: &Position,
    plan: &MatePlan,
    game: u64,
    interrupt: &Interrupt<'_>,
) -> Result<Option<Problem>, Interrupted> {
    let mut random = Random::for_purpose(plan.seed, &format!("mate in {} game {game}", plan.moves));
    let game = self_play(start, plan.nodes, &mut random, interrupt)?;
    let length = 2 * usize::from(plan.moves) - 1;
    let end = &game[game.len().saturating_sub(length + REACH)..];
    let is_fit = |position: &&Position| {
        let board = position.board();
        board.occupied().len() >= plan.men && board.halfmove_clock() <= FRESH
    };
    for position in end.iter().filter(is_fit) {
        if let Some(key) = only_key(position, plan.moves, interrupt)? {
            return Ok(Some(Problem {
                position: position.to_string(),
                best: vec![key.to_string()],
                avoid: Vec::new(),
                id: String::new(),
                criterion: Criterion::Proven,
                distance: Some(2 * u32::from(plan.moves) - 1),
            }));
        }
    }
    Ok(None)
}

/// The only move that mates within so many moves, if there is one and no mate is shorter.
pub fn only_key(position: &Position, moves: u8, interrupt: &Interrupt<'_>) -> Result<Option<Move>, Interrupted> {
    let board = position.board();
    let player = board.side_to_move();
    let decide = |board: &_, left: u8, budget: u64| {
        let meter = Meter::new(budget, &interrupt);
        let decision = Decider::new(player, &meter).decide(board, left);
        if decision == Decision::Open && interrupt() { Err(Interrupted) } else { Ok(decision) }
    };
    if decide(board, moves, FIND)? != Decision::Mate
        || !is_worth_it(position, moves, interrupt)
        || decide(board, moves - 1, EXCLUDE)? != Decision::NoMate
    {
        return Ok(None);
    }
    let meter = Meter::new(EXCLUDE, &interrupt);
    let mut decider = Decider::new(player, &meter);
    let mut key = None;
    for m in position.legal_moves() {
        match decider.decide(position.play(m).board(), moves - 1) {
            Decision::NoMate => {}
            Decision::Mate if key.is_none() => key = Some(m),
            Decision::Open if interrupt() => return Err(Interrupted),
            _ => return Ok(None),
        }
    }
    Ok(key)
}

/// Whether the reference solver needs about as many nodes as the paper's engine did.
fn is_worth_it(position: &Position, moves: u8, interrupt: &Interrupt<'_>) -> bool {
    let Some(&average) = TABLE_1.get(usize::from(moves) - 1) else { return true };
    let question = Question { position, moves, budget: 2 * average, interrupt: &interrupt };
    let answer = AlphaBeta::default().solve(&question);
    answer.mate.is_some() && (moves == 1 || answer.nodes >= average / 16)
}
