//! `plysmith discover`: Gradual Focus finds the features worth extending.

use std::num::NonZeroUsize;

use clap::Args;
use plysmith_core::depth::Weight;
use plysmith_learn::pruning::Pruning;
use plysmith_runs::context::Services;
use plysmith_runs::experiment::OpenedSubject;
use plysmith_runs::kinds::discover::{Config, Discover, base_set, blacklist};

use crate::arguments::engine::EngineArguments;
use crate::arguments::experiment::ExperimentArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run_prepared, services};

/// Find the move features worth searching deeper
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith discover breakthrough --quick
  plysmith discover breakthrough --pruning knowledge --epsilon 5
  plysmith discover breakthrough --suite my.suite --preset modern --nodes 100000 --json
  plysmith discover chess --suite my.epd --base 'Cc*,Lc*,Rc'
  plysmith discover breakthrough --quick --weights 0.25,0.5,0.75 --then-tune --prove 200
  plysmith discover --engine ./mine --suite wac.epd
  plysmith discover breakthrough --engine 'python3 examples/engines/breakthrough.py' --nodes 2000 --problems 20")]
pub struct Arguments {
    /// The game; of a foreign engine, the one that positions and moves are checked by
    #[arg(required_unless_present = "engine")]
    game: Option<String>,

    #[command(flatten)]
    engine: EngineArguments,

    #[command(flatten)]
    experiment: ExperimentArguments,

    /// What a move with the feature costs, in plies: the fractional-ply value
    #[arg(long, value_name = "PLIES", default_value = "0.5")]
    weight: String,

    /// Try each feature with several weights, like '0.25,0.5,0.75', and give it the best
    #[arg(long, value_name = "PLIES", conflicts_with = "weight")]
    weights: Option<String>,

    /// By how many solved problems a feature must be better than its first parent to live
    #[arg(long, value_name = "N", default_value_t = 3)]
    epsilon: u32,

    /// What to prune: none, groups, linear-tree, threshold or knowledge, each with all before it
    #[arg(long, value_name = "METHOD", default_value = "groups")]
    pruning: String,

    /// Threshold pruning drops atoms that solve fewer than this [default: as many as Neutral]
    #[arg(long, value_name = "N")]
    delta: Option<u32>,

    /// Begin with only these atoms, separated by commas; 'Rd*' are all that begin with Rd, '*' are all [default: all,
    /// or those the game begins with: see `plysmith features`]
    #[arg(long, value_name = "ATOMS", value_delimiter = ',')]
    base: Vec<String>,

    /// Never combine these, separated by commas, like 'Ud-PP,C-Edg', nor what the game itself forbids: see `plysmith
    /// features`
    #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
    blacklist: Vec<String>,

    /// Combine at most so many atoms [default: no limit]
    #[arg(long, value_name = "N")]
    most_atoms: Option<NonZeroUsize>,

    /// Measure every candidate on all problems, even one that cannot live any more
    #[arg(long)]
    exact: bool,

    /// How many features to print
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let services = services(arguments.experiment.threads.threads)?;
    let (config, opened) = arguments.resolve(&services)?;
    let session = config.experiment.session_with(opened, &services)?;
    run_prepared::<Discover>(&config, session, &services, output)
}

impl Arguments {
    fn resolve(&self, services: &Services) -> Result<(Config, OpenedSubject), Failure> {
        let experiment = match (self.engine.resolve()?, self.game.as_deref()) {
            (Some(engine), game) => self.experiment.external(game, engine, services)?,
            (None, game) => self.experiment.built_in(game.unwrap_or_default())?,
        };
        let opened = experiment.open(services)?;
        let features = opened.features;
        if features.vocabulary.0.is_empty() {
            return Err(Failure::input(format!(
                "'{}' lists no features to combine; an engine does so in answer to 'features' (docs/plug-protocol.md)",
                experiment.engine_text()
            )));
        }
        let config = Config {
            experiment,
            weights: parse_weights(self.weights.as_ref().unwrap_or(&self.weight))?,
            epsilon: self.epsilon,
            pruning: self.pruning.parse::<Pruning>()?,
            delta: self.delta,
            base: base_set(&features, &self.base)?,
            blacklist: blacklist(&features, &self.blacklist)?,
            most_atoms: self.most_atoms.map(NonZeroUsize::get),
            exact: self.exact,
            top: self.top,
            follow_up: None,
        };
        config.focus(features.vocabulary)?;
        Ok((config, opened))
    }
}

/// Weights separated by commas, each named once.
fn parse_weights(text: &str) -> Result<Vec<Weight>, Failure> {
    let mut weights = Vec::new();
    for part in text.split(',') {
        let weight = part.trim().parse::<Weight>()?;
        if weights.contains(&weight) {
            return Err(Failure::input(format!("'{text}' names {weight} twice; leave one out")));
        }
        weights.push(weight);
    }
    Ok(weights)
}
