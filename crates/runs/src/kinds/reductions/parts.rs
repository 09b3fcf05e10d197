//! The training and the held-out half of the positions, and players that are rated on them.

use plysmith_core::feature::Scheme;
use plysmith_core::problem::Suite;
use plysmith_core::settings::Settings;
use plysmith_core::suite::graded::{self, GradedSuite};
use plysmith_engine::driver::Candidate;

use super::Config;
use crate::error::RunError;
use crate::experiment::{EngineChoice, Experiment};
use crate::fitness::{GradedFitness, GradedRater, ProblemRater, Rater, Rating};
use crate::services::Services;

/// Both halves.
pub(super) struct Parts {
    /// What methods learn from.
    pub training: Half,
    /// What they are compared on.
    pub held_out: Half,
    /// The engine without a table.
    pub base: Player,
}

/// One half: an experiment with these problems only, or a graded suite with these positions only.
pub(super) struct Half {
    pub experiment: Experiment,
    pub graded: Option<GradedFitness>,
    pub positions: usize,
}

/// What is rated: settings, and a table of amounts.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Player {
    pub settings: Settings,
    pub scheme: Scheme,
}

impl Parts {
    /// The halves of a run.
    pub fn new(config: &Config) -> Result<Parts, RunError> {
        let is_held_out = |id: &str| config.held_out.iter().any(|held_out| held_out == id);
        let base = Player { settings: config.base_settings()?, scheme: Scheme::neutral() };
        Ok(Parts {
            training: Half::new(config, &base, |id| !is_held_out(id))?,
            held_out: Half::new(config, &base, is_held_out)?,
            base,
        })
    }

    /// Rates the engine without a table on both halves.
    pub fn rate_base(&self, services: &Services) -> Result<[Rating; 2], RunError> {
        self.rate_player(&self.base, services)
    }

    /// Rates a player on both halves.
    pub fn rate_player(&self, player: &Player, services: &Services) -> Result<[Rating; 2], RunError> {
        Ok([self.training.rate(player, services)?, self.held_out.rate(player, services)?])
    }
}

impl Half {
    fn new(config: &Config, base: &Player, is_wanted: impl Fn(&str) -> bool) -> Result<Half, RunError> {
        let mut experiment = Experiment { engine: EngineChoice::BuiltIn(base.settings), ..config.experiment.clone() };
        let Some(all) = &config.graded else {
            let Suite { name, problems } = experiment.suite;
            let problems: Vec<_> = problems.into_iter().filter(|problem| is_wanted(&problem.id)).collect();
            let positions = problems.len();
            experiment.suite = Suite { name, problems };
            return Ok(Half { experiment, graded: None, positions });
        };
        let suite = all.read(config.game()?)?;
        let kept: Vec<_> = suite.positions.into_iter().filter(|position| is_wanted(&position.id)).collect();
        let positions = kept.len();
        let suite = graded::print(&GradedSuite { name: suite.name, positions: kept }, "");
        Ok(Half { experiment, graded: Some(GradedFitness { suite, ..all.clone() }), positions })
    }

    fn rate(&self, player: &Player, services: &Services) -> Result<Rating, RunError> {
        let experiment = Experiment { engine: EngineChoice::BuiltIn(player.settings), ..self.experiment.clone() };
        let progress = services.begin_progress(self.positions as u64);
        progress.message("comparing");
        let candidate = Candidate::Scheme(player.scheme.clone());
        match &self.graded {
            Some(graded) => GradedRater::new(&experiment, graded, 1)?.rate("", &candidate, services, &progress),
            None => {
                let mut session = experiment.session(services)?;
                ProblemRater::new(&experiment, &mut session, 1)?.rate("", &candidate, services, &progress)
            }
        }
    }
}
