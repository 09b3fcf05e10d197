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

/// Evolve programs that solve mate problems in chess: the whole search algorithm, not its parameters
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith evolve --quick --output first.gp           a small, fast run: ten generations
  plysmith evolve --seed 7 --output best.gp           the paper's rates on the bundled training problems
  plysmith evolve --dialect paper --fitness paper     as the paper did it, without programs that call themselves
  plysmith evolve --islands 4 --population 50
  plysmith evolve --lengths 1-4 --output short.gp     first on short mates, which are quick to measure,
  plysmith evolve --founder short.gp --output best.gp   then on all
  plysmith mate --program best.gp --suite held-out    then measure it on problems it was not evolved on
  plysmith show 3                                     generation by generation; `export 3` has every population

Every measurement is stored as it is done: after kill -9, `plysmith resume` continues.")]
pub struct Arguments {
    /// Mate problems to evolve on, with `dm N` [default: the bundled training problems]
    #[arg(long, value_name = "FILE")]
    suite: Option<String>,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Use only mates in N moves, or in a range of moves like '1-4'. Short mates are quick to measure, and what programs
    /// learn there helps with long ones [default: all]
    #[arg(long, value_name = "N")]
    lengths: Option<MateRange>,

    /// Functions and terminals that programs are made of
    #[arg(long, value_enum, default_value_t = DialectValue::Recursive)]
    dialect: DialectValue,

    /// Fitness measure
    #[arg(long, value_enum, default_value_t = FitnessValue::Plain)]
    fitness: FitnessValue,

    /// Programs in a generation, on each island [default: 100, with --quick 40]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=10_000))]
    population: Option<u32>,

    /// Number of generations [default: 100, with --quick 10]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    generations: Option<u32>,

    /// Number of populations that evolve side by side
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=64))]
    islands: u32,

    /// Generations between two migrations, in which the best of each island is copied to the next one
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.migration, value_parser = value_parser!(u32).range(1..))]
    migration: u32,

    /// Problems of each length that a generation is measured on
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.sample as u32, value_parser = value_parser!(u32).range(1..=10_000))]
    sample: u32,

    /// Programs drawn for each parent, of which the fittest is taken
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.tournament as u32, value_parser = value_parser!(u32).range(1..=1000))]
    tournament: u32,

    /// The most elements that a program may have
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.limits.size as u32, value_parser = value_parser!(u32).range(1..=2000))]
    size: u32,

    /// The most boards that a program may reach in a problem. By the paper's fitness fewer, where the reference solver
    /// needs fewer
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = value_parser!(u64).range(100..=100_000_000))]
    budget: u64,

    /// A small, fast run: ten generations of forty programs, with at most 20,000 boards a problem
    #[arg(long)]
    quick: bool,

    /// Put this program into the first generation; may be repeated
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
    /// And `Again`, with which a program calls itself
    Recursive,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum FitnessValue {
    /// Right moves, 2^N and boards, as in the paper
    Paper,
    /// Proved mates, 2^N, and then boards
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
