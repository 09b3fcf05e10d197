//! What is tuned: the weights of a built-in engine's features.

use plysmith_core::games::{self, Entry};
use plysmith_core::parameter::{Parameter, Weights};
use plysmith_core::search::depth::Weight;
use plysmith_engine::driver::{BuiltIn, Control, Count, Policy, Subject};

use super::tune::{Config, Setting};
use crate::failure::Failure;

/// The features of a built-in engine that are tuned, written like a scheme: a weight is where one starts.
pub fn features(game: &'static Entry, text: &str) -> Result<Vec<Parameter>, Failure> {
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

/// What a tuning measures.
pub fn tuned(config: &Config) -> Result<Box<dyn Subject>, Failure> {
    Ok(Box::new(built_in(config)?))
}

/// The weights in the words of who is to use them.
pub fn setting(config: &Config, weights: &Weights) -> Result<Setting, Failure> {
    let engine = built_in(config)?;
    let scheme = engine.scheme(&Control::Weights(weights.clone())).map_err(Failure::input)?;
    Ok(Setting { scheme: Some(engine.game().vocabulary.print_scheme(&scheme)), commands: Vec::new() })
}

fn built_in(config: &Config) -> Result<BuiltIn, Failure> {
    let game = games::find(&config.experiment.game)?;
    let policy: Policy = config.policy.parse().map_err(Failure::input)?;
    let names = config.parameters.iter().map(|parameter| game.vocabulary.parse_feature(&parameter.name));
    let features = names.collect::<Result<_, _>>()?;
    let settings = game.parse_settings(&config.experiment.preset)?;
    Ok(BuiltIn::new(game, settings, Count::ToSolution(policy)).with_template(features)?)
}
