//! How each method spends its evaluations. An evaluation measures all training positions once.
//!
//! Focus spends at most half of them on Gradual Focus, which measures each conjunction with the amount up and down, and at
//! most half of the rest on building a scheme of what was found, one conjunction at a time. All others go into tuning the
//! amounts of the scheme together. Measurements that one step takes over from another are counted once.

use plysmith_core::feature::{Amount, Cost, Scheme};
use plysmith_core::games::GameInfo;
use plysmith_core::settings::Settings;
use plysmith_engine::driver::SearchCandidate;
use plysmith_learn::pruning::Pruning;
use plysmith_learn::tune::OptimiserKind;

use super::parts::{Half, Parts, Player};
use super::{Config, LearnReductions, Method};
use crate::error::RunError;
use crate::experiment::{EngineChoice, Experiment};
use crate::fitness::GradedFitness;
use crate::kind::Context;
use crate::kinds::discover;
use crate::kinds::follow_up::{Effort, Goal, build_by_fitness};
use crate::kinds::tune::{
    self, LearningOptions, TunedParameters, feature_parameters, learn_within, tunable_parameters,
};

/// What a method came to.
pub(super) struct Outcome {
    pub player: Player,
    /// Measurements of all training positions.
    pub evaluations: usize,
    /// Conjunctions or constants that it tried.
    pub tried: usize,
}

/// The search constants of logarithmic reductions.
pub(super) const CONSTANTS: &str = "Lmr*";

/// Learns by a method.
pub(super) fn learn(
    method: Method,
    config: &Config,
    parts: &Parts,
    context: &mut Context<LearnReductions>,
) -> Result<Outcome, RunError> {
    let (game, training) = (config.game()?, &parts.training);
    match method {
        Method::Focus => focus(config, game, training, context),
        Method::Dense => {
            let amounts = |conjunction| format!("{}@+0", game.vocabulary.print(conjunction));
            let names: Vec<String> = config.conjunctions(game)?.into_iter().map(amounts).collect();
            let weights = feature_parameters(game, &names.join(","))?;
            let learner =
                Learner { config, training, settings: config.base_settings()?, optimiser: OptimiserKind::Spsa };
            learner.tune(TunedParameters { weights, tunables: Vec::new() }, config.evaluations as usize, context)
        }
        Method::Logarithmic => {
            // They are what is tuned, also where tables do without them.
            let mut settings = config.settings()?;
            settings.switches.reductions = true;
            let tunables = tunable_parameters(&settings, &[CONSTANTS.to_string()])?;
            let learner = Learner { config, training, settings, optimiser: config.optimiser };
            learner.tune(TunedParameters { weights: Vec::new(), tunables }, config.evaluations as usize, context)
        }
    }
}

fn focus(
    config: &Config,
    game: &'static GameInfo,
    training: &Half,
    context: &mut Context<LearnReductions>,
) -> Result<Outcome, RunError> {
    let all = config.evaluations as usize;
    let search = discovery(config, training.experiment.clone(), training.graded.clone());
    let discovery = discover::run_within(&search, &config.fitness, all / 2, context)?;
    let spent = 1 + discovery.evaluations.saturating_sub(1) * search.weights.len();
    let schemes = discovery.schemes();
    let effort = Effort { features: config.most, measurements: Some((all - spent.min(all)) / 2), is_corrected: true };
    let goal =
        Goal { experiment: &training.experiment, fitness: Some(&config.fitness), graded: training.graded.as_ref() };
    let additions = build_by_fitness(&goal, &config.fitness, &schemes, effort, context)?;
    let spent = spent + effort.spent(additions.len(), schemes.len());
    let settings = config.base_settings()?;
    let Some(built) = additions.last() else {
        let player = Player { settings, scheme: Scheme::neutral() };
        return Ok(Outcome { player, evaluations: spent, tried: schemes.len() });
    };
    context.services().note(format!("tuning {}", built.scheme));
    let learner = Learner { config, training, settings, optimiser: config.optimiser };
    let weights = feature_parameters(game, &built.scheme)?;
    let left = all - spent.min(all);
    let tuned = learner.tune(TunedParameters { weights, tunables: Vec::new() }, left, context)?;
    Ok(Outcome { evaluations: spent + tuned.evaluations, tried: discovery.evaluations.saturating_sub(1), ..tuned })
}

/// Gradual Focus over the conditions, with the amount up and down.
fn discovery(config: &Config, experiment: Experiment, graded: Option<GradedFitness>) -> discover::Config {
    let amount = |units: i32| Cost::Amount(Amount::of_units(units));
    discover::Config {
        experiment,
        weights: vec![amount(-config.amount), amount(config.amount)],
        epsilon: 1,
        error: None,
        seeds: 1,
        pruning: Pruning::Groups,
        delta: None,
        base: config.atoms.clone(),
        blacklist: config.blacklist.clone(),
        most_atoms: Some(config.most_atoms),
        exact: false,
        top: config.most,
        follow_up: None,
        graded,
        fitness: Some(config.fitness.clone()),
        charts: None,
        combining: discover::Combining::default(),
    }
}

/// Tunes parameters of an engine.
struct Learner<'a> {
    config: &'a Config,
    training: &'a Half,
    settings: Settings,
    optimiser: OptimiserKind,
}

impl Learner<'_> {
    fn tune(
        &self,
        parameters: TunedParameters,
        evaluations: usize,
        context: &mut Context<LearnReductions>,
    ) -> Result<Outcome, RunError> {
        let Learner { config, training, settings, optimiser } = self;
        let tried = parameters.weights.len() + parameters.tunables.len();
        let experiment = Experiment { engine: EngineChoice::BuiltIn(*settings), ..training.experiment.clone() };
        let options = LearningOptions {
            optimiser: *optimiser,
            patience: None,
            policy: experiment.policy()?,
            fitness: Some(config.fitness.clone()).filter(|fitness| !fitness.is_nodes()),
            graded: training.graded.clone(),
            // The training half is all there is; the other half is for the comparison.
            holdout: 0,
            ..LearningOptions::default()
        };
        let mut tuning = tune::Config::new(experiment, parameters, &options)?;
        tuning.method.iterations = tuning.iterations_within(u32::try_from(evaluations).unwrap_or(u32::MAX))?;
        let learned = learn_within(&tuning, context, evaluations)?;
        let SearchCandidate { scheme, settings } =
            learned.candidate.ok_or_else(|| RunError::failed("a built-in engine was tuned as an external one"))?;
        Ok(Outcome { player: Player { settings, scheme }, evaluations: learned.evaluations, tried })
    }
}
