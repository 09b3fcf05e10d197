//! What is tuned: the weights of a built-in engine's features, or those of a foreign engine.

use plysmith_core::depth::Weight;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::parameter::{Parameter, Weights};
use plysmith_core::depth::Weight;
use plysmith_core::problem::Suite;
use plysmith_engine::driver::Policy;
use plysmith_engine::driver::{BuiltIn, Candidate, Count, Subject};
use plysmith_engine::lab::Lab;

use super::tune::{Config, Setting};
use crate::failure::Failure;
use crate::foreign::OpenedEngine;
use crate::workbench::warn_if_unrepeatable;

/// An engine whose weights can be tuned, made ready.
pub enum Tunable {
    BuiltIn(BuiltIn),
    Foreign(Box<OpenedEngine>),
}

impl Tunable {
    /// What a tuning measures.
    pub fn open(config: &Config) -> Result<Tunable, Failure> {
        let game = games::find(&config.experiment.game);
        if let Some(engine) = &config.experiment.engine {
            return Ok(Tunable::Foreign(Box::new(engine.open(game.ok())?)));
        }
        let (game, policy) = (game?, config.policy.parse::<Policy>().map_err(Failure::input)?);
        let names = config.parameters.iter().map(|parameter| game.vocabulary.parse_feature(&parameter.name));
        let features = names.collect::<Result<_, _>>()?;
        let settings = game.parse_settings(&config.experiment.preset)?;
        Ok(Tunable::BuiltIn(BuiltIn::new(game, settings, Count::ToSolution(policy)).with_template(features)?))
    }

    /// The subject for a lab.
    pub fn subject(&self) -> Box<dyn Subject> {
        match self {
            Tunable::BuiltIn(engine) => Box::new(engine.clone()),
            Tunable::Foreign(engine) => OpenedEngine::clone(engine).into_subject(),
        }
    }

    /// Tells what should be known of it before this suite is measured.
    pub fn introduce(&self, lab: &mut Lab, suite: &Suite) -> Result<(), Failure> {
        match self {
            Tunable::BuiltIn(_) => Ok(()),
            Tunable::Foreign(engine) => warn_if_unrepeatable(lab, &engine.plain(), &engine.notes(suite)),
        }
    }

    /// Who it is, if it is not ours.
    pub fn name(&self) -> Option<String> {
        match self {
            Tunable::BuiltIn(_) => None,
            Tunable::Foreign(engine) => Some(engine.name().to_string()),
        }
    }

    /// These weights in the words of who is to use them.
    pub fn setting(&self, weights: &Weights) -> Result<Setting, Failure> {
        match self {
            Tunable::BuiltIn(engine) => {
                let scheme = engine.scheme(&Candidate::Weights(weights.clone()))?;
                Ok(Setting { scheme: Some(engine.game().vocabulary.print_scheme(&scheme)), commands: Vec::new() })
            }
            Tunable::Foreign(engine) => Ok(Setting { scheme: None, commands: engine.commands(weights) }),
        }
    }
}

/// The features of a built-in engine that are tuned, written like a scheme: a weight is where one starts.
pub fn features(game: &'static GameInfo, text: &str) -> Result<Vec<Parameter>, Failure> {
    let vocabulary = game.vocabulary;
    // Refuses what is no scheme; the order of features is the order in which they were written.
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
