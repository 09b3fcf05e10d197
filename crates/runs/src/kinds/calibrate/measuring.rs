//! Measures players on positions: their moves on the graded suite, and the problems of the bundled suite that they solve.

use plysmith_core::games::GameInfo;
use plysmith_core::suite::graded::{GradedSuite, Judge};
use plysmith_engine::driver::{Candidate, Policy};
use plysmith_engine::player::BuiltInPlayer;
use plysmith_engine::uci::client::UciTimeouts;

use crate::choice::Chooser;
use crate::error::RunError;
use crate::examiner::{Examination, Examiner, Judging};
use crate::experiment::{EngineChoice, Experiment};
use crate::services::Services;
use crate::solution_policy::SolutionPolicy;
use crate::suites::bundled_suite;

/// The moves of one player.
pub struct Moves {
    /// What each costs.
    pub regrets: Vec<f64>,
    /// How many are the best known ones.
    pub best: usize,
    /// Nodes of all searches.
    pub nodes: u64,
}

/// How a player does on problems.
pub struct Problems {
    /// Problems tried.
    pub problems: usize,
    /// Problems solved.
    pub solved: u32,
    /// Problems solved with ten times the nodes.
    pub solved_with_more: u32,
    /// Nodes to the solution; the limit where there is none.
    pub solution_nodes: u64,
}

/// What players are measured on.
#[derive(Copy, Clone)]
pub struct Measuring<'a> {
    /// The game.
    pub game: &'static GameInfo,
    /// The positions.
    pub suite: &'a GradedSuite,
    /// Who values moves.
    pub judge: &'a Judge,
    /// Node limit of the players.
    pub nodes: u64,
    /// Random seed.
    pub seed: u64,
}

/// Positions that are searched at once.
const BLOCK: usize = 200;
/// The larger node limit of problems, as a multiple of that of moves.
const MORE: u64 = 10;

impl Moves {
    /// The mean regret.
    pub fn regret(&self) -> f64 {
        self.regrets.iter().sum::<f64>() / self.regrets.len().max(1) as f64
    }
}

impl Measuring<'_> {
    /// The moves of all of these players. The last of the choosers is the judge.
    pub fn moves(&self, choosers: &[Chooser], services: &Services) -> Result<Vec<Moves>, RunError> {
        let Measuring { game, suite, judge, nodes, seed } = *self;
        let seeds = vec![seed; choosers.len() - 1];
        let examination = Examination { game, suite, judge, nodes, seeds: &seeds };
        let mut examiner = Examiner::new(examination, choosers, UciTimeouts::default(), services)?;
        let count = suite.positions.len();
        let progress = services.begin_progress(count as u64);
        progress.message("choices of all variants");
        let mut all: Vec<Moves> =
            choosers[1..].iter().map(|_| Moves { regrets: Vec::new(), best: 0, nodes: 0 }).collect();
        for first in (0..count).step_by(BLOCK) {
            let block = first..(first + BLOCK).min(count);
            for row in examiner.examine(block.clone(), Judging::All, services)? {
                for (player, answer) in all.iter_mut().zip(row) {
                    let answer = answer.ok_or_else(|| RunError::failed("a built-in player did not choose a move"))?;
                    let regret = answer.regret.unwrap_or_default();
                    player.regrets.push(regret);
                    player.best += usize::from(regret <= 0.0);
                    player.nodes += answer.nodes;
                }
            }
            progress.set_part_done(block.end as u64);
        }
        Ok(all)
    }

    /// How a player does on the problems of the bundled suite; none if the game has none.
    pub fn problems(&self, player: &BuiltInPlayer, services: &Services) -> Result<Option<Problems>, RunError> {
        let Ok(suite) = bundled_suite(self.game) else { return Ok(None) };
        let mut experiment = Experiment {
            game: self.game.name.to_string(),
            suite,
            engine: EngineChoice::BuiltIn(player.settings),
            policy: Some(SolutionPolicy::Watched(Policy::Stable)),
            nodes: self.nodes,
            seed: self.seed,
        };
        let candidate = Candidate::Scheme(player.scheme.clone());
        let progress = services.begin_progress(2 * experiment.suite.problems.len() as u64);
        progress.message(format!("problems of {}", self.game.print_settings(&player.settings)));
        let few = experiment.session(services)?.measure(&candidate, None, &progress, services)?;
        progress.finish_part(experiment.suite.problems.len() as u64);
        experiment.nodes = self.nodes.saturating_mul(MORE);
        let more = experiment.session(services)?.measure(&candidate, None, &progress, services)?;
        Ok(Some(Problems {
            problems: few.problems,
            solved: few.solved(),
            solved_with_more: more.solved(),
            solution_nodes: few.cost(self.nodes),
        }))
    }
}
