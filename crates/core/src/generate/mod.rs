//! Problems from self-play, of two kinds. One problem a game at most, so that problems are not each other's neighbours.
//!
//! *Forced wins*: positions with a proven win in exactly so many plies and one move that does it. As in thesis section
//! 4.1.1, programs with different heuristics play each other, and what is kept comes from near the end of their games,
//! where the best move is certain.
//!
//! *Tactics*: positions in which one move wins much and no other does, as far as a search many times longer than those of
//! the game can tell. See `tactics.rs`.

use crate::problem::{Criterion, Problem};
mod tactics;

use crate::feature::Scheme;
use crate::game::Game;
use crate::random::Random;
use crate::search::deepening::{End, Interrupt, Limit, Root, Task, Workspace, search};
use crate::search::proof::{Interrupted, Prover};
use crate::settings::Heuristic;
use tactics::TacticSearch;

/// What to generate, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What kind of problem.
    pub goal: Goal,
    /// What every game is drawn from.
    pub seed: u64,
    /// Nodes a move in self-play.
    pub nodes: u64,
}

/// A kind of problem.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// A win forced in exactly so many plies; odd, because the winner moves first and last.
    ForcedWin {
        /// How many.
        plies: u32,
    },
    /// One move that is better than all others by so much.
    Tactic {
        /// In units of the evaluation.
        margin: i32,
        /// Nodes to make sure of it.
        nodes: u64,
    },
}

/// A game that goes on for longer will hardly end in a win.
const LONGEST: usize = 300;

/// How far before the end of a game problems are looked for, beyond their own length.
const REACH: usize = 8;

/// Plays game number `game` from this position and returns the first problem towards its end, its id left empty.
pub fn problem_from_game<G: Game>(
    start: &G,
    plan: &Plan,
    game: u64,
    interrupt: &Interrupt<'_>,
) -> Result<Option<Problem>, Interrupted> {
    let mut random = Random::for_purpose(plan.seed, &format!("suite game {game}"));
    let plies = match plan.goal {
        Goal::ForcedWin { plies } => plies,
        Goal::Tactic { margin, nodes } => {
            return TacticSearch { plan, margin, nodes, interrupt }.problem_from_game(start, &mut random);
        }
    };
    let game = self_play(start, plan.nodes, &mut random, interrupt)?;
    let mut prover = Prover::interruptible(interrupt);
    let end = &game[game.len().saturating_sub(plies as usize + REACH)..];
    let problem = end.iter().find_map(|position| {
        let win = prover.shortest_win(position, plies)?;
        let unique = win.plies == plies && win.moves.len() == 1;
        unique.then(|| Problem {
            position: position.to_string(),
            best: win.moves.iter().map(|&m| position.print_move(m)).collect(),
            avoid: Vec::new(),
            id: String::new(),
            criterion: Criterion::Proven,
            distance: Some(win.plies),
        })
    });
    prover.finish(problem)
}

/// Lets two programs with heuristics drawn by lot play each other, so many nodes a move: the positions of their game,
/// each with a move still to come.
pub fn self_play<G: Game>(
    start: &G,
    nodes: u64,
    random: &mut Random,
    interrupt: &Interrupt<'_>,
) -> Result<Vec<G>, Interrupted> {
    let players = [(); 2].map(|()| Heuristic(random.below(G::PRESETS.heuristics.len()) as u8));
    let mut workspace = Workspace::default();
    let scheme = Scheme::neutral();
    let mut game = Vec::new();
    let mut position = start.clone();
    while position.terminal_result().is_none() && !position.is_drawn() && game.len() < LONGEST {
        let task = Task {
            settings: G::PRESETS.classic(players[game.len() % 2]),
            scheme: &scheme,
            limit: Limit::nodes(nodes),
            seed: random.next_seed(),
            interrupt,
            root: Root::default(),
        };
        let report = search(&position, &task, &mut workspace);
        if report.end == End::Interrupted {
            return Err(Interrupted);
        }
        let Some(&m) = report.line.first() else { break };
        game.push(position.clone());
        position = position.play(m);
    }
    Ok(game)
}
