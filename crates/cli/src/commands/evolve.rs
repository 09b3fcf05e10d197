//! `plysmith evolve`: genetic programming of programs that solve mate problems.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use plysmith_evolve::breeding::{EvolutionSettings, Selection};
use plysmith_evolve::fitness::FitnessMeasure;
use plysmith_evolve::language::Dialect;
use plysmith_runs::error::RunError;
use plysmith_runs::kinds::evolve::{Config, Evolve};
use plysmith_runs::mates::{MateRange, TRAINING, read_program};

use crate::arguments::count::count;
use crate::arguments::{OutputArguments, RunArguments, SeedArgument, SkipBadArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session};

/// Evolve search programs that solve chess mate problems
#[derive(Debug, Args)]
#[command(
    mut_arg("output", |arg| arg.help("Write the best program to this file")),
    after_help = "\
Examples:
  plysmith evolve --quick --output first.gp              do a small, fast run
  plysmith evolve --seed 7 --output best.gp              use the bundled training problems
  plysmith evolve --dialect paper --fitness paper        use the paper's language, search and fitness
  plysmith evolve --reference uci:stockfish              compare with an engine
  plysmith evolve --islands 4 --population 50
  plysmith evolve --lengths 1-4 --output short.gp        use short mates only
  plysmith evolve --founder short.gp --output best.gp    start from that program
  plysmith mate --program best.gp --suite held-out       test a program on other problems
  plysmith show 3 --generation 12                        list a population of run 3

Measurements are stored as they are made. After an interruption, `plysmith resume` continues."
)]
pub struct Arguments {
    /// Mate problems to evolve on: an EPD file with `dm N`, or 'training'. Can be given more than once [default: the
    /// bundled training problems]
    #[arg(long, value_name = "FILE")]
    suite: Vec<String>,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Use only mates in N moves, or in a range of moves, like '1-4' [default: all]
    #[arg(long, value_name = "N")]
    lengths: Option<MateRange>,

    /// Language of the programs (see `plysmith program --language`). `paper` also switches off everything around a program
    /// that the paper does not have: deepening, proofs, memory, move ordering and the limit on the number of moves
    #[arg(long, value_enum, default_value_t = DialectValue::Rich)]
    dialect: DialectValue,

    /// Fitness measure
    #[arg(long, value_enum, default_value_t = FitnessValue::Plain)]
    fitness: FitnessValue,

    /// Number of programs in a generation, for each island [default: 300, with the paper's fitness 100, with --quick 40]
    #[arg(long, value_name = "N", value_parser = count::<u32>(2..=10_000))]
    population: Option<u32>,

    /// Number of generations [default: 40, with the paper's fitness 150, with --quick 10]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..=100_000))]
    generations: Option<u32>,

    /// Number of populations that evolve in parallel
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count::<u32>(1..=64))]
    islands: u32,

    /// Number of generations between migrations, which copy the best program of each island to the next one
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.migration, value_parser = count::<u32>(1..))]
    migration: u32,

    /// Number of problems of each mate length that a generation is measured on
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.sample as u32, value_parser = count::<u32>(1..=10_000))]
    sample: u32,

    /// How parents are selected [default: lexicase, with the paper's fitness tournament]
    #[arg(long, value_enum)]
    selection: Option<SelectionValue>,

    /// Number of stages in which a generation is measured, from cheap to costly problems; after each, the fitter half goes
    /// on [default: 4, with the paper's fitness 1]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..=100))]
    stages: Option<u32>,

    /// Refine the best program after this many generations, and at the end: leave out parts and change constants as long
    /// as that gains. 0 means never [default: 10, with the paper's fitness 0]
    #[arg(long, value_name = "N", value_parser = count::<u32>(..))]
    refine: Option<u32>,

    /// Tournament size: number of programs drawn for each parent, of which the fittest is chosen
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.tournament as u32, value_parser = count::<u32>(1..=1000))]
    tournament: u32,

    /// Maximum number of elements in a program
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.limits.size as u32, value_parser = count::<u32>(1..=2000))]
    size: u32,

    /// Solver whose nodes the boards of programs are compared with: exhaustive, alpha-beta, df-pn, two-elements (the
    /// program `(MakeBestMove Again)`) or uci:COMMAND [default: two-elements, with the paper's fitness alpha-beta]. By the
    /// paper's fitness, a program may make 1.5 times as many boards; by ours, twice as many and 500
    #[arg(long, value_name = "SOLVER")]
    reference: Option<String>,

    /// Node limit of the reference solver for each problem, and by our fitness also the limit of boards of a program
    /// [default: 300000, with the paper's fitness 1000000, with --quick at most 20000]
    #[arg(long = "nodes", alias = "budget", value_name = "N", value_parser = count::<u64>(100..=100_000_000))]
    budget: Option<u64>,

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
    run: RunArguments,
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
enum SelectionValue {
    /// The fittest of some programs drawn at random
    Tournament,
    /// The best on problems in random order
    Lexicase,
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
    run_kind::<Evolve>(&config, &session(&arguments.run)?, output)
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let suite = self.skip.read_all_mates(&self.suite, TRAINING)?;
        let suite = match self.lengths {
            Some(range) => range.choose(suite)?,
            None => suite,
        };
        let is_papers = self.fitness == FitnessValue::Paper;
        let by_fitness = |papers: u32, ours: u32| if is_papers { papers } else { ours };
        let quick = |quick: u32, full: u32| if self.quick { quick } else { full };
        let population = self.population.unwrap_or(quick(40, by_fitness(100, 300)));
        let budget = self.budget.unwrap_or(by_fitness(1_000_000, 300_000).into());
        let reference = if is_papers { "alpha-beta" } else { "two-elements" };
        let selection = self.selection.map(Selection::from);
        Ok(Config {
            suite,
            lengths: self.lengths,
            dialect: self.dialect.into(),
            fitness: self.fitness.into(),
            population: population as usize,
            generations: self.generations.unwrap_or(quick(10, by_fitness(150, 40))),
            islands: self.islands as usize,
            migration: self.migration,
            sample: self.sample as usize,
            tournament: self.tournament as usize,
            size: self.size as usize,
            budget: if self.quick { budget.min(20_000) } else { budget },
            reference: self.reference.clone().unwrap_or_else(|| reference.to_string()),
            selection: selection.unwrap_or(if is_papers { Selection::Tournament } else { Selection::Lexicase }),
            stages: self.stages.unwrap_or(by_fitness(1, EvolutionSettings::OURS.stages as u32)) as usize,
            refine: self.refine.unwrap_or(by_fitness(0, 10)),
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

impl From<SelectionValue> for Selection {
    fn from(value: SelectionValue) -> Selection {
        match value {
            SelectionValue::Tournament => Selection::Tournament,
            SelectionValue::Lexicase => Selection::Lexicase,
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
