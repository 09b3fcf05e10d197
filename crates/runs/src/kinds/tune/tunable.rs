//! The engine whose weights are tuned: a built-in one with a template of features, or an external one.

use plysmith_core::depth::Weight;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::parameter::{Parameter, Weights};
use plysmith_core::problem::Suite;
use plysmith_engine::driver::Policy;
use plysmith_engine::driver::{BuiltIn, Candidate, Count, Subject};

use super::config::{Config, SolutionPolicy};
use super::result::Setting;
use crate::context::Services;
use crate::error::RunError;
use crate::experiment::{EngineChoice, warn_if_unrepeatable};
use crate::external_engine::OpenedEngine;
use crate::suite_runner::SuiteRunner;

/// An engine whose weights can be tuned, made ready.
pub enum TunedEngine {
    /// The game's own engine.
    BuiltIn(BuiltIn),
    /// A process.
    External(Box<OpenedEngine>),
}

impl TunedEngine {
    /// Makes the engine of a tuning ready. An external engine is started once to see what it is.
    pub fn open(config: &Config, services: &Services) -> Result<TunedEngine, RunError> {
        let game = games::find(&config.experiment.game);
        let settings = match &config.experiment.engine {
            EngineChoice::External(engine) => {
                return Ok(TunedEngine::External(Box::new(engine.open(game.ok(), &services.cancel)?)));
            }
            EngineChoice::BuiltIn(settings) => *settings,
        };
        let game = game?;
        let count = Count::ToSolution(match config.policy {
            SolutionPolicy::Watched(policy) => policy,
            SolutionPolicy::EnginesOwn => Policy::default(),
        });
        let features = config.parameters.iter().map(|parameter| game.vocabulary.parse_feature(&parameter.name));
        let engine = BuiltIn::new(game, settings, count).with_template(features.collect::<Result<_, _>>()?)?;
        Ok(TunedEngine::BuiltIn(engine))
    }

    /// What is measured.
    pub fn subject(&self) -> Box<dyn Subject> {
        match self {
            TunedEngine::BuiltIn(engine) => Box::new(engine.clone()),
            TunedEngine::External(engine) => OpenedEngine::clone(engine).into_subject(),
        }
    }

    /// Tells the user the notes on an external engine, and warns if it is not deterministic.
    pub fn introduce(&self, runner: &mut SuiteRunner, suite: &Suite, services: &Services) -> Result<(), RunError> {
        match self {
            TunedEngine::BuiltIn(_) => Ok(()),
            TunedEngine::External(engine) => {
                warn_if_unrepeatable(runner, &engine.plain(), &engine.notes(suite), services)
            }
        }
    }

    /// The name of an external engine.
    pub fn name(&self) -> Option<String> {
        match self {
            TunedEngine::BuiltIn(_) => None,
            TunedEngine::External(engine) => Some(engine.name().to_string()),
        }
    }

    /// These weights as the engine is told them.
    pub fn setting(&self, weights: &Weights) -> Result<Setting, RunError> {
        match self {
            TunedEngine::BuiltIn(engine) => {
                let scheme = engine.scheme(&Candidate::Weights(weights.clone()))?;
                Ok(Setting { scheme: Some(engine.game().vocabulary.print_scheme(&scheme)), commands: Vec::new() })
            }
            TunedEngine::External(engine) => Ok(Setting { scheme: None, commands: engine.commands(weights) }),
        }
    }
}

/// A parameter for each feature of a built-in engine. The text is written like a scheme; a weight is where one starts,
/// as in `AcK,Fr,Pp@0.8`.
pub fn feature_parameters(game: &'static GameInfo, text: &str) -> Result<Vec<Parameter>, RunError> {
    let vocabulary = game.vocabulary;
    // Refuses what is not a scheme. Parameters stand in the order in which features were written.
    vocabulary.parse_scheme(text, Weight::ONE)?;
    let (mut features, mut starts) = (Vec::new(), Vec::new());
    for part in text.split(',') {
        let (name, start) = part.split_once('@').unwrap_or((part, "1"));
        features.push(vocabulary.parse_feature(name)?);
        starts.push(i64::from(start.parse::<Weight>()?.units()));
    }
    let engine = BuiltIn::new(game, game.parse_settings("classic")?, Count::Whole).with_template(features)?;
    let parameters = engine.parameters().iter().cloned();
    Ok(parameters.zip(starts).map(|(parameter, start)| Parameter { start, ..parameter }).collect())
}
