//! The engine whose weights are tuned: a built-in one with features and search constants, or an external one.

use plysmith_core::depth::Weight;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::parameter::{Parameter, Weights};
use plysmith_core::problem::Suite;
use plysmith_core::settings::{Settings, Tunable, Tunables};
use plysmith_engine::driver::Policy;
use plysmith_engine::driver::{BuiltIn, Candidate, Count, SearchCandidate, Subject};

use super::config::{Config, SolutionPolicy};
use super::result::Setting;
use crate::error::RunError;
use crate::experiment::{EngineChoice, warn_if_unrepeatable};
use crate::external_engine::OpenedEngine;
use crate::services::Services;
use crate::suite_runner::SuiteRunner;

/// An engine whose weights can be tuned, made ready.
pub enum TunedEngine {
    /// The game's own engine.
    BuiltIn(Box<BuiltIn>),
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
        let tunables = config.tunables.iter().map(|parameter| find_tunable(&parameter.name));
        let engine = BuiltIn::new(game, settings, count)
            .with_template(features.collect::<Result<_, _>>()?)?
            .with_tunables(tunables.collect::<Result<_, _>>()?);
        Ok(TunedEngine::BuiltIn(Box::new(engine)))
    }

    /// What is measured.
    pub fn subject(&self) -> Box<dyn Subject> {
        match self {
            TunedEngine::BuiltIn(engine) => engine.clone(),
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
                let SearchCandidate { scheme, settings } = engine.resolve(&Candidate::Weights(weights.clone()))?;
                let game = engine.game();
                Ok(Setting {
                    preset: (!engine.tunables().is_empty()).then(|| game.print_settings(&settings)),
                    scheme: (!engine.template().is_empty()).then(|| game.vocabulary.print_scheme(&scheme)),
                    commands: Vec::new(),
                })
            }
            TunedEngine::External(engine) => Ok(Setting { commands: engine.commands(weights), ..Setting::default() }),
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

/// A parameter for each search constant that one of these patterns names, in the order of the table. A pattern is a
/// name, or the beginning of names followed by `*`. Constants start where the settings have them.
pub fn tunable_parameters(settings: &Settings, patterns: &[String]) -> Result<Vec<Parameter>, RunError> {
    for pattern in patterns {
        if Tunable::matching(pattern).next().is_none() {
            return Err(unknown_tunable(pattern));
        }
    }
    let is_named = |tunable: &&Tunable| {
        patterns.iter().any(|pattern| Tunable::matching(pattern).any(|other| other.name == tunable.name))
    };
    let parameter = |tunable: &Tunable| tunable.parameter((tunable.get)(&settings.tunables));
    Ok(Tunables::ALL.iter().filter(is_named).map(parameter).collect())
}

fn find_tunable(name: &str) -> Result<&'static Tunable, RunError> {
    Tunable::find(name).ok_or_else(|| unknown_tunable(name))
}

/// Names that share a word with the text, or all names.
fn unknown_tunable(text: &str) -> RunError {
    let wanted = text.trim_end_matches('*').to_lowercase();
    let names = || Tunables::ALL.iter().map(|tunable| tunable.name);
    let is_near = |name: &&str| {
        let name = name.to_lowercase();
        !wanted.is_empty() && (name.contains(&wanted) || wanted.contains(&name) || alike(&name, &wanted) >= 3)
    };
    let near: Vec<_> = names().filter(is_near).collect();
    let list = if near.is_empty() { names().collect::<Vec<_>>().join(", ") } else { near.join(", ") };
    let hint = if near.is_empty() { "expected one of" } else { "did you mean one of" };
    RunError::input(format!("'{text}' is not a search constant; {hint}: {list}"))
}

/// How many letters two names begin with in common.
fn alike(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}
