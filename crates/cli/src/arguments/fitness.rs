//! Arguments that say what candidates are rated by.

use std::path::PathBuf;

use clap::Args;
use plysmith_core::games;
use plysmith_engine::driver::Policy;
use plysmith_runs::experiment::{Experiment, USUAL_POLICY};
use plysmith_runs::fitness::{FitnessChoice, GradedFitness, SuiteKind};

use super::experiment::ExperimentArguments;
use crate::failure::Failure;

/// What candidates are rated by, and on which graded suite.
#[derive(Clone, Debug, Args)]
pub struct FitnessArguments {
    /// What to rate by: 'solved', 'nodes' (to the solution), 'agreement' (with the best known move) or 'regret' (what moves
    /// cost in ordinary positions), or one of these with a cost for moves that have a feature, like
    /// 'regret+frequency=0.02'. Regret and agreement are measured on a graded suite, agreement on problems if --suite names
    /// them; the others on problems
    #[arg(long, value_name = "FITNESS")]
    pub fitness: Option<FitnessChoice>,

    /// Graded suite for --fitness regret or agreement [default: the game's bundled graded suite]
    #[arg(long, value_name = "FILE")]
    graded: Option<PathBuf>,
}

/// A fitness that was chosen, and the arguments as if it had been named.
pub struct ChosenFitness {
    /// The fitness.
    pub choice: FitnessChoice,
    /// The arguments.
    pub arguments: FitnessArguments,
}

/// Nodes per position of a graded suite: those of quick games.
const GRADED_NODES: u64 = 10_000;
/// The policy for nodes to the solution.
const SOLUTION_POLICY: Policy = Policy::Stable;

impl FitnessArguments {
    /// The fitness, or regret if none is named.
    pub fn or_regret(&self) -> ChosenFitness {
        let choice = self.fitness.clone().unwrap_or_else(FitnessChoice::regret);
        ChosenFitness { arguments: FitnessArguments { fitness: Some(choice.clone()), ..self.clone() }, choice }
    }

    /// The policy of experiments that do not ask for another one.
    pub fn usual_policy(&self) -> Policy {
        match &self.fitness {
            Some(fitness) if fitness.needs_solution_nodes() => SOLUTION_POLICY,
            _ => USUAL_POLICY,
        }
    }

    /// The policy of experiments in which nodes are to be saved: problems have nodes to the solution, graded positions have
    /// not.
    pub fn policy_for_nodes(&self) -> Policy {
        match &self.fitness {
            None => SOLUTION_POLICY,
            Some(fitness) if fitness.is_solved() => SOLUTION_POLICY,
            Some(_) => self.usual_policy(),
        }
    }

    /// The graded suite and its judge, if candidates are rated on one. The experiment then has the node limit of games,
    /// unless another one is named.
    pub fn graded(
        &self,
        arguments: &ExperimentArguments,
        experiment: &mut Experiment,
    ) -> Result<Option<GradedFitness>, Failure> {
        let needs = "--graded needs --fitness regret or --fitness agreement";
        let is_graded = match self.fitness.as_ref().map(|fitness| fitness.suite()) {
            None if self.graded.is_some() => return Err(Failure::input(needs)),
            Some(SuiteKind::Problems) if self.graded.is_some() => {
                return Err(Failure::input(format!("{needs}; the others are measured on problems (--suite FILE)")));
            }
            None | Some(SuiteKind::Problems) => false,
            Some(SuiteKind::Graded) => true,
            Some(SuiteKind::Either) => self.graded.is_some() || arguments.suite.is_none(),
        };
        if !is_graded {
            return Ok(None);
        }
        if experiment.external().is_some() {
            return Err(Failure::input(
                "moves in graded positions are rated for built-in engines only; `plysmith screen` compares UCI engines, and \
                 --fitness nodes rates external engines on problems",
            ));
        }
        if arguments.nodes.is_none() {
            experiment.nodes = GRADED_NODES;
        }
        let suite = arguments.graded_suite(games::find(&experiment.game)?, self.graded.as_deref())?;
        Ok(Some(GradedFitness::new(&suite, experiment.nodes)))
    }
}
