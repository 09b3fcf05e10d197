//! `plysmith evolve`: genetic programming of programs that solve mate problems.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};
use plysmith_evolve::breeding::evolution::EvolutionSettings;
use plysmith_evolve::fitness::FitnessMeasure;
use plysmith_evolve::language::Dialect;
use plysmith_runs::error::RunError;
use plysmith_runs::kinds::evolve::{Config, Evolve};
use plysmith_runs::mates::{MateRange, TRAINING, read_program};

use crate::arguments::{OutputArguments, SeedArgument, SkipBadArgument, ThreadsArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, services};

/// Evolve search programs that solve chess mate problems
#[derive(Debug, Args)]
#[command(
    mut_arg("output", |arg| arg.help("Write the best program to this file")),
    after_help = "\
Examples:
  plysmith evolve --quick --output first.gp              do a small, fast run
  plysmith evolve --seed 7 --output best.gp              use the bundled training problems
  plysmith evolve --dialect paper --fitness paper        use the paper's language and fitness
  plysmith evolve --islands 4 --population 50
  plysmith evolve --lengths 1-4 --output short.gp        use short mates only
  plysmith evolve --founder short.gp --output best.gp    start from that program
  plysmith mate --program best.gp --suite held-out       test a program on other problems
  plysmith show 3 --generation 12                        list a population of run 3

Measurements are stored as they are made. After an interruption, `plysmith resume` continues."
)]
pub struct Arguments {
    /// Mate problems to evolve on: an EPD file with `dm N` [default: the bundled training problems]
    #[arg(long, value_name = "FILE")]
    suite: Option<String>,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Use only mates in N moves, or in a range of moves, like '1-4' [default: all]
    #[arg(long, value_name = "N")]
    lengths: Option<MateRange>,

    /// Language of the programs (see `plysmith program --language`)
    #[arg(long, value_enum, default_value_t = DialectValue::Recursive)]
    dialect: DialectValue,

    /// Fitness measure
    #[arg(long, value_enum, default_value_t = FitnessValue::Plain)]
    fitness: FitnessValue,

    /// Number of programs in a generation, for each island [default: 100, with --quick 40]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=10_000))]
    population: Option<u32>,

    /// Number of generations [default: 100, with --quick 10]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    generations: Option<u32>,

    /// Number of populations that evolve in parallel
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=64))]
    islands: u32,

    /// Number of generations between migrations, which copy the best program of each island to the next one
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.migration, value_parser = value_parser!(u32).range(1..))]
    migration: u32,

    /// Number of problems of each mate length that a generation is measured on
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.sample as u32, value_parser = value_parser!(u32).range(1..=10_000))]
    sample: u32,

    /// Tournament size: number of programs drawn for each parent, of which the fittest is chosen
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.tournament as u32, value_parser = value_parser!(u32).range(1..=1000))]
    tournament: u32,

    /// Maximum number of elements in a program
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.limits.size as u32, value_parser = value_parser!(u32).range(1..=2000))]
    size: u32,

    /// Node limit for each problem: boards that a program may reach. The paper's fitness lowers it to what the reference
    /// solver needs
    #[arg(long = "nodes", alias = "budget", value_name = "N", default_value_t = 100_000, value_parser = value_parser!(u64).range(100..=100_000_000))]
    budget: u64,

    /// Do a small, fast run: 10 generations of 40 programs and at most 20,000 nodes per problem
    #[arg(long)]
    quick: bool,

    /// Put this program into the first generation. Can be given more than once
    #[arg(long, value_name = "FILE")]
    founder: Vec<PathBuf>,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    threads: ThreadsArgument,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum DialectValue {
    /// The paper's functions and terminals
    Paper,
    /// The paper's, and `Again`, with which a program calls itself
    Recursive,
    /// All functions and terminals
    Rich,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum FitnessValue {
    /// The paper's measure: correct first moves, weighted by 2^N for a mate in N, and few boards
    Paper,
    /// Proved mates, weighted by 2^N for a mate in N, and few boards
    Plain,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    run_kind::<Evolve>(&config, &services(arguments.threads.threads)?, output)
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let suite = self.skip.read_mates(self.suite.as_deref().unwrap_or(TRAINING))?;
        let suite = match self.lengths {
            Some(range) => range.choose(suite)?,
            None => suite,
        };
        let quick = |quick: u32, full: u32| if self.quick { quick } else { full };
        let population = self.population.unwrap_or(quick(40, EvolutionSettings::PAPER.population as u32));
        Ok(Config {
            suite,
            lengths: self.lengths,
            dialect: self.dialect.into(),
            fitness: self.fitness.into(),
            population: population as usize,
            generations: self.generations.unwrap_or(quick(10, EvolutionSettings::PAPER.generations)),
            islands: self.islands as usize,
            migration: self.migration,
            sample: self.sample as usize,
            tournament: self.tournament as usize,
            size: self.size as usize,
            budget: if self.quick { self.budget.min(20_000) } else { self.budget },
            founders: self.founder.iter().map(|path| read_program(path)).collect::<Result<_, RunError>>()?,
            founder_files: self.founder.iter().map(|path| path.display().to_string()).collect(),
            seed: self.seed.seed,
            output: self.output.output.clone(),
            force: self.output.force.force,
        })
    }
}

impl From<DialectValue> for Dialect {
    fn from(value: DialectValue) -> Dialect {
        match value {
            DialectValue::Paper => Dialect::Paper,
            DialectValue::Recursive => Dialect::Recursive,
            DialectValue::Rich => Dialect::Rich,
        }
    }
}

impl From<FitnessValue> for FitnessMeasure {
    fn from(value: FitnessValue) -> FitnessMeasure {
        match value {
            FitnessValue::Paper => FitnessMeasure::Paper,
            FitnessValue::Plain => FitnessMeasure::Plain,
        }
    }
}
