//! Mate problems from self-play: mates in exactly N moves.
//!
//! Programs with different heuristics play each other. Where df-pn finds a mate in N towards the end of a game, it is
//! checked backwards as well: there is no mate in N − 1, and no other first move mates in N. A position is left out if the
//! first cannot be shown within the budget, or if there is another key; if the second cannot be shown either way, as with
//! most mates in five, the problem names no key, and any mate in time is right.

use plysmith_core::game::Game;
use plysmith_core::games::chess::{Move, Position};
use plysmith_core::generate::self_play;
use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::random::Random;
use plysmith_core::search::Interrupt;
use plysmith_core::search::proof::Interrupted;

use crate::run::Meter;
use crate::solvers::dfpn::{Decider, Decision};

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

/// How many of the winner's positions are looked at before the last N.
const REACH: usize = 15;
/// After so many positions without a mate to be found there will be none before them.
const MOST_MISSES: u32 = 3;
/// The half-move clock may say so much: the fifty-move rule must not matter to anybody.
const FRESH: u8 = 60;
/// Nodes to find a mate.
const FIND: u64 = 100_000;
/// Nodes to show that there is no other.
const EXCLUDE: u64 = 3_000_000;

/// Plays game number `game` and returns the first problem towards its end, its id left empty.
pub fn problem_from_game(
    start: &Position,
    plan: &MatePlan,
    game: u64,
    interrupt: &Interrupt<'_>,
) -> Result<Option<Problem>, Interrupted> {
    let mut random = Random::for_purpose(plan.seed, &format!("mate in {} game {game}", plan.moves));
    let game = self_play(start, plan.nodes, &mut random, interrupt)?;
    let Some(last) = game.last() else { return Ok(None) };
    if decide(last, 1, FIND, interrupt)? != Decision::Mate {
        return Ok(None);
    }
    // Backwards from where the winner had N moves to go: mates get longer, until there are none to be found any more.
    let winner = last.white_to_move();
    let before_end = 2 * usize::from(plan.moves) - 2;
    let earlier = game.iter().rev().skip(before_end).filter(|position| position.white_to_move() == winner).take(REACH);
    let mut misses = 0;
    for position in earlier {
        if decide(position, plan.moves, FIND, interrupt)? != Decision::Mate {
            misses += 1;
            if misses == MOST_MISSES {
                break;
            }
            continue;
        }
        let board = position.board();
        if board.occupied().len() < plan.men || board.halfmove_clock() > FRESH {
            continue;
        }
        if let Some(keys) = exact_mate(position, plan.moves, interrupt)? {
            return Ok(Some(Problem {
                position: position.to_string(),
                best: keys.iter().map(ToString::to_string).collect(),
                avoid: Vec::new(),
                id: String::new(),
                criterion: Criterion::Proven,
                distance: Some(2 * u32::from(plan.moves) - 1),
            }));
        }
    }
    Ok(None)
}

/// Whether the side to move mates within so many moves.
fn decide(position: &Position, moves: u8, budget: u64, interrupt: &Interrupt<'_>) -> Result<Decision, Interrupted> {
    let meter = Meter::new(budget, &interrupt);
    let board = position.board();
    let decision = Decider::new(board.side_to_move(), &meter).decide(board, moves);
    if decision == Decision::Open && interrupt() { Err(Interrupted) } else { Ok(decision) }
}

/// Whether a mate in so many moves is not a shorter one: then its key, or nothing if it could not be settled whether there
/// are more. Positions with several keys are no problems.
fn exact_mate(position: &Position, moves: u8, interrupt: &Interrupt<'_>) -> Result<Option<Option<Move>>, Interrupted> {
    if decide(position, moves - 1, EXCLUDE, interrupt)? != Decision::NoMate {
        return Ok(None);
    }
    let meter = Meter::new(EXCLUDE, &interrupt);
    let mut decider = Decider::new(position.board().side_to_move(), &meter);
    let mut keys = Vec::new();
    let mut is_settled = true;
    for m in position.legal_moves() {
        match decider.decide(position.play(m).board(), moves - 1) {
            Decision::NoMate => {}
            Decision::Mate => keys.push(m),
            Decision::Open if interrupt() => return Err(Interrupted),
            Decision::Open => is_settled = false,
        }
    }
    Ok(match keys[..] {
        [key] if is_settled => Some(Some(key)),
        _ if keys.len() < 2 && !is_settled => Some(None),
        _ => None,
    })
}
