//! Problems from self-play, of two kinds. At most one problem per game, so that problems are not neighbours of each other.
//!
//! *Forced wins*: positions with a proven win in a given number of plies and one move that does it. As in thesis section
//! 4.1.1, programs with different heuristics play each other, and what is kept comes from near the end of their games,
//! where the best move is certain.
//!
//! *Tactics*: positions in which one move wins much and no other does, according to a search many times longer than
//! those of the game. See `tactics.rs`.

use crate::problem::{Criterion, Problem};
mod tactics;

use crate::game::Game;
use crate::random::Random;
use crate::search::proof::{Interrupted, Prover};
use crate::search::{Interrupt, Workspace};
use crate::self_play::SelfPlayer;
use tactics::TacticSearch;

/// What to generate, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What kind of problem.
    pub goal: Goal,
    /// The random seed.
    pub seed: u64,
    /// Nodes per move in self-play.
    pub nodes: u64,
}

/// A kind of problem.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// A forced win of this length; odd, because the winner moves first and last.
    ForcedWin {
        /// The length in plies.
        plies: u32,
    },
    /// One move that is better than all others by a margin.
    Tactic {
        /// In units of the evaluation.
        margin: i32,
        /// Nodes of the search that verifies it.
        nodes: u64,
    },
}

/// Longest game in plies; longer ones hardly ever end in a win.
const LONGEST: usize = 300;

/// Plies before the end of a game, besides the problem's own length, in which problems are searched for.
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

/// Plays a game between two programs with random heuristics, with this number of nodes per move. Returns its positions
/// that have a move to play.
pub fn self_play<G: Game>(
    start: &G,
    nodes: u64,
    random: &mut Random,
    interrupt: &Interrupt<'_>,
) -> Result<Vec<G>, Interrupted> {
    let players: Vec<_> = G::PRESETS.suite_players().collect();
    let players = [(); 2].map(|()| players[random.below(players.len())]);
    let mut player = SelfPlayer { nodes, workspace: &mut Workspace::default(), interrupt };
    let mut game = Vec::new();
    let mut position = start.clone();
    while position.terminal_result().is_none() && !position.is_drawn() && game.len() < LONGEST {
        let settings = G::PRESETS.classic().with_heuristic(players[game.len() % 2]);
        let report = player.search(&position, settings, &[], random)?;
        let Some(&m) = report.line.first() else { break };
        game.push(position.clone());
        position = position.play(m);
    }
    Ok(game)
}
