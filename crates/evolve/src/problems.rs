//! Mate problems from self-play: mates in exactly N moves.
//!
//! Engines with different heuristics play each other. If df-pn finds a mate in N near the end of a game, the problem is
//! checked: there must be no mate in N − 1, and no other first move may mate in N. A position is rejected if the first
//! cannot be shown within the budget, or if there is another key move. If the second is undecided, as for most mates in
//! five, the problem has no key move, and every mate in time is correct.

use plysmith_core::game::Game;
use plysmith_core::games::chess::{Move, Position};
use plysmith_core::generate::self_play;
use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::random::Random;
use plysmith_core::search::Interrupt;
use plysmith_core::search::proof::Interrupted;

use crate::composition::changed;
use crate::interpreter::NodeCounter;
use crate::knowledge::is_capture;
use crate::solvers::{Decision, DfPnSearch};

/// The kind of problems to generate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MatePlan {
    /// The exact length of the mate, in moves.
    pub moves: u8,
    /// The least number of pieces on the board, pawns and kings included: with fewer, mates are endgame technique.
    pub men: u32,
    /// The random seed.
    pub seed: u64,
    /// Nodes per move in self-play.
    pub nodes: u64,
}

/// Further conditions on problems, and how hard is searched for them.
pub struct MateFilter<'a> {
    /// Node budget to find a mate. Mates that take more are not found, so a small budget gives easy problems.
    pub find: u64,
    /// Whether a problem of exact length is taken.
    pub accept: &'a mut dyn FnMut(&Position, &Problem) -> Result<bool, Interrupted>,
}

impl MateFilter<'_> {
    /// The node budget to find a mate, if nothing else is said.
    pub const FIND: u64 = 100_000;
    /// The node budget to find mates that must be hard.
    pub const FIND_HARD: u64 = 1_000_000;
}

/// Whether the only key of a problem is quiet, as in composed problems: it neither checks nor captures nor promotes.
pub fn has_quiet_key(position: &Position, problem: &Problem) -> bool {
    let [key] = &problem.best[..] else { return false };
    position.parse_move(key).is_ok_and(|key| {
        let gives_check = position.play(key).in_check();
        !gives_check && key.promotion.is_none() && !is_capture(position.board(), key.for_cozy())
    })
}

/// The longest mate to generate: for longer ones it takes too long to exclude a shorter mate.
pub const MOST_MOVES: u8 = 8;

/// How many of the winner's positions before the last N are examined.
const REACH: usize = 15;
/// The search backwards ends after this many positions without a mate.
const MOST_MISSES: u32 = 3;
/// The largest half-move clock, so that the fifty-move rule does not matter.
const FRESH: u8 = 60;
/// Changed positions of a game that are examined.
const CHANGES: usize = 200;
/// Node budget to exclude a shorter mate or another key move.
pub const EXCLUDE: u64 = 3_000_000;

/// Plays game number `game` and returns the first problem near its end, with an empty id.
pub fn problem_from_game(
    start: &Position,
    plan: &MatePlan,
    game: u64,
    filter: &mut MateFilter<'_>,
    interrupt: &Interrupt<'_>,
) -> Result<Option<Problem>, Interrupted> {
    let game = won_game(start, plan, game, filter.find, interrupt)?;
    let Some(last) = game.last() else { return Ok(None) };
    // Goes backwards from where the winner had N moves to go: mates get longer until none is found.
    let winner = last.white_to_move();
    let before_end = 2 * usize::from(plan.moves) - 2;
    let earlier = game.iter().rev().skip(before_end).filter(|position| position.white_to_move() == winner).take(REACH);
    let mut misses = 0;
    for position in earlier {
        if decide(position, plan.moves, filter.find, interrupt)? != Decision::Mate {
            misses += 1;
            if misses == MOST_MISSES {
                break;
            }
            continue;
        }
        if let Some(problem) = exact_problem(position, plan, filter, interrupt)? {
            return Ok(Some(problem));
        }
    }
    Ok(None)
}

/// Plays game number `game`, changes positions near its end at random, and returns the first problem among them, with an
/// empty id.
pub fn problem_from_changes(
    start: &Position,
    plan: &MatePlan,
    game: u64,
    filter: &mut MateFilter<'_>,
    interrupt: &Interrupt<'_>,
) -> Result<Option<Problem>, Interrupted> {
    let mut random = Random::for_purpose(plan.seed, &format!("changes of game {game} for a mate in {}", plan.moves));
    let game = won_game(start, plan, game, filter.find, interrupt)?;
    let Some(last) = game.last() else { return Ok(None) };
    let winner = last.white_to_move();
    let sources: Vec<&Position> =
        game.iter().rev().filter(|position| position.white_to_move() == winner).take(REACH).collect();
    for _ in 0..CHANGES {
        let source = sources[random.below(sources.len())];
        let Some(position) = changed(source, &mut random) else { continue };
        if decide(&position, plan.moves, filter.find, interrupt)? == Decision::Mate
            && let Some(problem) = exact_problem(&position, plan, filter, interrupt)?
        {
            return Ok(Some(problem));
        }
    }
    Ok(None)
}

/// The positions of a game that ends with a mate in one; none if it does not.
fn won_game(
    start: &Position,
    plan: &MatePlan,
    game: u64,
    find: u64,
    interrupt: &Interrupt<'_>,
) -> Result<Vec<Position>, Interrupted> {
    let mut random = Random::for_purpose(plan.seed, &format!("mate in {} game {game}", plan.moves));
    let game = self_play(start, plan.nodes, &mut random, interrupt)?;
    match game.last() {
        Some(last) if decide(last, 1, find, interrupt)? == Decision::Mate => Ok(game),
        _ => Ok(Vec::new()),
    }
}

/// A position with a mate in time as a problem, if the mate has the exact length and meets the conditions.
fn exact_problem(
    position: &Position,
    plan: &MatePlan,
    filter: &mut MateFilter<'_>,
    interrupt: &Interrupt<'_>,
) -> Result<Option<Problem>, Interrupted> {
    let board = position.board();
    if board.occupied().len() < plan.men || board.halfmove_clock() > FRESH {
        return Ok(None);
    }
    let Some(keys) = exact_mate(position, plan.moves, interrupt)? else { return Ok(None) };
    let problem = Problem {
        position: position.to_string(),
        best: keys.iter().map(ToString::to_string).collect(),
        avoid: Vec::new(),
        id: String::new(),
        criterion: Criterion::Proven,
        distance: Some(2 * u32::from(plan.moves) - 1),
    };
    Ok((filter.accept)(position, &problem)?.then_some(problem))
}

/// Whether the side to move mates within `moves` moves.
fn decide(position: &Position, moves: u8, budget: u64, interrupt: &Interrupt<'_>) -> Result<Decision, Interrupted> {
    let counter = NodeCounter::new(budget, &interrupt);
    let board = position.board();
    let decision = DfPnSearch::new(board.side_to_move(), &counter).decide(board, moves);
    if decision == Decision::Open && interrupt() { Err(Interrupted) } else { Ok(decision) }
}

/// The moves that mate within `moves` moves, as far as df-pn proves it with this budget for each.
pub fn mating_moves(
    position: &Position,
    moves: u8,
    budget: u64,
    interrupt: &Interrupt<'_>,
) -> Result<Vec<Move>, Interrupted> {
    let mut keys = Vec::new();
    for m in position.legal_moves() {
        let counter = NodeCounter::new(budget, &interrupt);
        let after = position.play(m);
        let mut search = DfPnSearch::new(position.board().side_to_move(), &counter);
        match search.decide(after.board(), moves.saturating_sub(1)) {
            Decision::Mate => keys.push(m),
            Decision::Open if interrupt() => return Err(Interrupted),
            _ => {}
        }
    }
    Ok(keys)
}

/// The key move of a mate in exactly `moves` moves. `None` if a shorter mate is not excluded or there are several keys;
/// `Some(None)` if further keys could not be excluded.
fn exact_mate(position: &Position, moves: u8, interrupt: &Interrupt<'_>) -> Result<Option<Option<Move>>, Interrupted> {
    if decide(position, moves - 1, EXCLUDE, interrupt)? != Decision::NoMate {
        return Ok(None);
    }
    let counter = NodeCounter::new(EXCLUDE, &interrupt);
    let mut decider = DfPnSearch::new(position.board().side_to_move(), &counter);
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
