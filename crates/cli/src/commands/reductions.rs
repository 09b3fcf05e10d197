//! `plysmith reductions`: learns a table of late-move reductions.

use std::path::PathBuf;

use clap::Args;
use plysmith_core::feature::{Amount, Cost, FeatureError};
use plysmith_core::games;
use plysmith_learn::tune::OptimiserKind;
use plysmith_runs::kinds::reductions::{Config, LearnReductions, Method, Options, TableFile};

use crate::arguments::ForceArgument;
use crate::arguments::count::count;
use crate::arguments::experiment::ExperimentArguments;
use crate::arguments::fitness::FitnessArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session};

/// Learn a table of late-move reductions from conditions
#[derive(Debug, Args)]
#[command(after_help = "\
A table says what is added to the reduction of a move, in plies, for each conjunction of conditions, such as \
'cut-late-quiet@+0.5'. Conditions are atoms of the search state and of moves (`plysmith features GAME` lists them). Half of \
the positions are used for learning; the result is reported on the others.

Methods:
  focus         Gradual Focus finds conjunctions, the best are added one at a time, and their amounts are tuned together
  dense         all conjunctions, their amounts tuned together by SPSA, as factorized late-move reductions are today
  logarithmic   the constants of the engine's own reductions (Lmr…), tuned together

An evaluation measures all training positions once. Several methods, separated by commas, have as many evaluations each, \
and are compared with each other.

Examples:
  plysmith reductions breakthrough --quick --evaluations 60
  plysmith reductions chess --method focus,dense,logarithmic --evaluations 300
  plysmith reductions chess --atoms pv,cut,improving,quiet,late --from-scratch --output reductions.rs
  plysmith reductions breakthrough --atoms 'cut,late,Ud,RdTt' --nodes 5000
  plysmith export 1 --format openbench")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Conditions, separated by commas: atoms of the search state and of moves; 'state' stands for all of the search state
    /// [default: pv,cut,improving,ttcapture,killer,quiet,highhistory,verylate]
    #[arg(long, value_name = "ATOMS", value_delimiter = ',')]
    atoms: Vec<String>,

    /// Methods, separated by commas: focus, dense or logarithmic (see below)
    #[arg(long, value_name = "METHODS", value_delimiter = ',', default_value = "focus")]
    method: Vec<Method>,

    /// Number of times that each method may measure all training positions
    #[arg(long, value_name = "N", default_value_t = Options::default().evaluations, value_parser = count::<u32>(10..=1_000_000))]
    evaluations: u32,

    /// Most conjunctions of the table that focus learns
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = count::<u32>(1..=16))]
    most: u32,

    /// Most conditions in a conjunction
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count::<u32>(1..=4))]
    most_atoms: u32,

    /// By how much focus changes reductions to measure a conjunction, in plies: once more, once less
    #[arg(long, value_name = "PLIES", default_value = "0.5", value_parser = parse_amount)]
    amount: Amount,

    /// Optimiser of the amounts that focus found and of the constants: spsa, matrix-adaptation or gradient
    #[arg(long, value_name = "NAME", default_value_t = Options::default().optimiser)]
    optimiser: OptimiserKind,

    /// Switch the engine's own late-move reductions off, so that the table is all there is
    #[arg(long)]
    from_scratch: bool,

    #[command(flatten)]
    experiment: ExperimentArguments,

    #[command(flatten)]
    fitness: FitnessArguments,

    /// Write the table to this file: as Rust constants if its name ends in .rs, as C constants if it ends in .c or .h,
    /// otherwise as text. `plysmith export` writes all forms of a finished run
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgument,
}

/// The engine whose reductions are learned. The papers' has none.
const DEFAULT_PRESET: &str = "modern";

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    let session = session(&arguments.experiment.run)?;
    run_kind::<LearnReductions>(&config, &session, output)
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let game = games::find(&self.game)?;
        let fitness = self.fitness.or_regret();
        let mut experiment =
            self.experiment.built_in_from(game.name, fitness.arguments.usual_policy(), DEFAULT_PRESET)?;
        let graded = fitness.arguments.graded(&self.experiment, &mut experiment)?;
        let options = Options {
            methods: self.methods()?,
            atoms: self.atoms.clone(),
            most_atoms: self.most_atoms as usize,
            most: self.most as usize,
            amount: self.amount,
            evaluations: self.evaluations,
            optimiser: self.optimiser,
            from_scratch: self.from_scratch,
        };
        let output = self.output.as_deref().map(|path| TableFile::new(path, self.force.force)).transpose()?;
        Ok(Config { output, ..Config::new(experiment, fitness.choice, graded, &options)? })
    }

    fn methods(&self) -> Result<Vec<Method>, Failure> {
        let mut methods = Vec::new();
        for method in &self.method {
            if methods.contains(method) {
                return Err(Failure::input(format!("--method names {method} twice; leave one out")));
            }
            methods.push(*method);
        }
        Ok(methods)
    }
}

fn parse_amount(text: &str) -> Result<Amount, String> {
    let bare = text.trim_start_matches(['+', '-']);
    let cost = format!("+{bare}").parse::<Cost>().map_err(|error| FeatureError::from(error).to_string())?;
    match cost {
        Cost::Amount(amount) if amount.units() > 0 => Ok(amount),
        _ => Err("expected plies above 0, like 0.5".to_string()),
    }
}
