//! `plysmith evolve`: breed programs that solve mate problems. `breeding.rs` does the work.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};
use plysmith_core::suite::text;
use plysmith_evolve::breeding::EvolutionSettings;
use plysmith_evolve::breeding::SizeLimits;
use plysmith_evolve::fitness::FitnessMeasure;
use plysmith_evolve::language::Dialect;
use plysmith_store::{Event, Run};
use serde::{Deserialize, Serialize};

use super::breeding;
use crate::arguments::{SkipBadArgument, ThreadsArgument};
use super::mates::{TRAINING, bundled};
use super::solving::read_program;
use super::suite_mates::MateRange;
use crate::failure::Failure;
use plysmith_runs::files::{check_target, write_file};
use crate::journal::Journal;
use crate::output::{Output, say, table, thousands};

/// Evolve programs that solve mate problems in chess: the whole search algorithm, not its parameters
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith evolve --quick --output first.gp           a first taste: ten generations
  plysmith evolve --seed 7 --output best.gp           the paper's rates on the bundled training problems
  plysmith evolve --dialect paper --fitness paper     as the paper did it, without programs that call themselves
  plysmith evolve --islands 4 --population 50
  plysmith evolve --lengths 1-4 --output short.gp     first on short mates, which are quick to measure,
  plysmith evolve --founder short.gp --output best.gp   then on all
  plysmith mate --program best.gp --suite held-out    then see what it can do
  plysmith show 3                                     generation by generation; `export 3` has every population

Everything that is measured is stored: after kill -9, `plysmith resume` goes on.")]
pub struct Arguments {
    /// The mate problems to breed on, with `dm N` [default: the bundled training problems]
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Only mates in so many moves, or from so many to so many, like '1-4': short ones are quick to measure, and what
    /// programs learn there is of use in long ones [default: all]
    #[arg(long, value_name = "N")]
    lengths: Option<MateRange>,

    /// What programs are made of
    #[arg(long, value_enum, default_value_t = DialectName::Recursive)]
    dialect: DialectName,

    /// What counts as fit
    #[arg(long, value_enum, default_value_t = FitnessName::Plain)]
    fitness: FitnessName,

    /// Programs in a generation, on each island
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=10_000))]
    population: Option<u32>,

    /// How many generations
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    generations: Option<u32>,

    /// Populations side by side
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=64))]
    islands: u32,

    /// The best of an island goes to the next one after so many generations
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.migration, value_parser = value_parser!(u32).range(1..))]
    migration: u32,

    /// Problems of each length that a generation is measured on
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.sample as u32, value_parser = value_parser!(u32).range(1..=10_000))]
    sample: u32,

    /// Programs drawn for each parent, of which the fittest is taken
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.tournament as u32, value_parser = value_parser!(u32).range(1..=1000))]
    tournament: u32,

    /// Elements that a program may have
    #[arg(long, value_name = "N", default_value_t = EvolutionSettings::PAPER.limits.size as u32, value_parser = value_parser!(u32).range(1..=2000))]
    size: u32,

    /// Boards that a program may reach in a problem; by the paper's fitness fewer where the reference solver needs fewer
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = value_parser!(u64).range(100..=100_000_000))]
    budget: u64,

    /// Ten generations of forty, with 20,000 boards a problem
    #[arg(long)]
    quick: bool,

    /// A program that is in the first generation, from an earlier evolution or written by hand; may be repeated
    #[arg(long, value_name = "FILE")]
    founder: Vec<PathBuf>,

    /// Where all chances come from
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,

    /// Where to write the best program
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write over a file that exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    threads: ThreadsArgument,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DialectName {
    /// The paper's functions and terminals
    Paper,
    /// And `Again`, with which a program calls itself
    Recursive,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FitnessName {
    /// Right moves, 2^N and boards, as in the paper
    Paper,
    /// Proved mates, 2^N, and then boards
    Plain,
}

/// What an evolution is begun with; stored with its run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    pub suite_name: String,
    /// The problems themselves, so that a run does not depend on a file.
    pub suite: String,
    /// The lengths of mates that they were chosen by, if they were.
    pub lengths: Option<String>,
    pub dialect: DialectName,
    pub fitness: FitnessName,
    pub population: usize,
    pub generations: u32,
    pub islands: usize,
    pub migration: u32,
    pub sample: usize,
    pub tournament: usize,
    pub size: usize,
    pub budget: u64,
    /// Programs that the first generation has beside random ones, and the files they came from.
    pub founders: Vec<String>,
    pub founder_files: Vec<String>,
    pub seed: u64,
    pub output: Option<String>,
    pub force: bool,
}

/// The kind of these runs in the store.
pub const KIND: &str = "evolve";
/// A generation that was measured.
pub const GENERATION: &str = "generation";
/// What a row of a table has of it.
pub const COLUMNS: &[&str] =
    &["number", "stage", "mean_fitness", "champion", "fitness", "all_fitness", "proved", "nodes"];

/// A generation, as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GenerationEvent {
    pub number: u32,
    /// `early` while half-right moves count, then `late`.
    pub stage: String,
    /// The problems it was measured on.
    pub sample: Vec<String>,
    pub mean_fitness: f64,
    /// The fittest program.
    pub champion: String,
    /// Its fitness on the sample, and on all problems.
    pub fitness: f64,
    pub all_fitness: f64,
    /// How many of all problems it proved, and the boards that took.
    pub proved: usize,
    pub nodes: u64,
    /// Every island, from the fittest on.
    pub islands: Vec<Vec<Member>>,
}

/// One of a population.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Member {
    pub program: String,
    pub fitness: f64,
    pub proved: usize,
}

/// What came of an evolution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Evolved {
    pub program: String,
    /// The generation that it is the champion of.
    pub generation: u32,
    pub fitness: f64,
    pub size: usize,
    /// How it does on all training problems, by the length of the mate.
    pub lengths: Vec<LengthRow>,
    /// How many generations there were.
    pub generations: u32,
}

/// Problems of one length.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LengthRow {
    pub moves: u8,
    pub problems: usize,
    pub proved: usize,
    /// Boards in all, and what the reference solver needs.
    pub nodes: u64,
    pub reference: u64,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    if let Some(path) = &arguments.output {
        check_target(path, arguments.force)?;
    }
    let config = arguments.resolve()?;
    breeding::check(&config)?;
    let journal = Journal::begin(KIND, "chess", config.seed, &config)?;
    perform(&config, journal, arguments.threads.threads, output)
}

pub fn perform(
    config: &Config,
    journal: Journal,
    threads: Option<NonZeroUsize>,
    output: &Output,
) -> Result<(), Failure> {
    let run = journal.run();
    let evolved = breeding::breed(config, &journal, threads)?;
    journal.finish(&evolved)?;
    if let Some(path) = &config.output {
        write_file(PathBuf::from(path).as_path(), &evolved.file(config), config.force)?;
        say(format!("the best program of run {run} is in {path}"));
    }
    output.print(&evolved, || evolved.text())
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let (suite_name, suite) = match &self.suite {
            Some(path) => (path.display().to_string(), read_suite("chess", path, &self.skip)?.0),
            None => (TRAINING.to_string(), bundled(TRAINING)?),
        };
        let suite = match self.lengths {
            Some(range) => range.choose(suite)?,
            None => suite,
        };
        let quick = |quick: u32, full: u32| if self.quick { quick } else { full };
        let population = self.population.unwrap_or(quick(40, EvolutionSettings::PAPER.population as u32));
        Ok(Config {
            suite_name,
            suite: text::print(&suite, ""),
            lengths: self.lengths.map(|range| range.to_string()),
            dialect: self.dialect,
            fitness: self.fitness,
            population: population as usize,
            generations: self.generations.unwrap_or(quick(10, EvolutionSettings::PAPER.generations)),
            islands: self.islands as usize,
            migration: self.migration,
            sample: self.sample as usize,
            tournament: self.tournament as usize,
            size: self.size as usize,
            budget: if self.quick { self.budget.min(20_000) } else { self.budget },
            founders: self
                .founder
                .iter()
                .map(|path| Ok(read_program(path)?.to_string()))
                .collect::<Result<_, Failure>>()?,
            founder_files: self.founder.iter().map(|path| path.display().to_string()).collect(),
            seed: self.seed,
            output: self.output.as_ref().map(|path| path.display().to_string()),
            force: self.force,
        })
    }
}

impl Config {
    /// The plan of the evolution.
    pub fn plan(&self) -> EvolutionSettings {
        EvolutionSettings {
            dialect: match self.dialect {
                DialectName::Paper => Dialect::Paper,
                DialectName::Recursive => Dialect::Recursive,
            },
            measure: match self.fitness {
                FitnessName::Paper => FitnessMeasure::Paper,
                FitnessName::Plain => FitnessMeasure::Plain,
            },
            population: self.population,
            generations: self.generations,
            islands: self.islands,
            migration: self.migration,
            tournament: self.tournament,
            limits: SizeLimits { size: self.size, ..EvolutionSettings::PAPER.limits },
            sample: self.sample,
            seed: self.seed,
            ..EvolutionSettings::PAPER
        }
    }

    /// What does the same again.
    fn command(&self) -> String {
        let plan = self.plan();
        let suite = if self.suite_name == TRAINING { String::new() } else { format!(" --suite {}", self.suite_name) };
        let founders: String = self.founder_files.iter().map(|file| format!(" --founder {file}")).collect();
        let lengths = self.lengths.as_ref().map_or(String::new(), |range| format!(" --lengths {range}"));
        format!(
            "plysmith evolve{suite}{lengths} --dialect {} --fitness {} --population {} --generations {} --islands {} --migration {} \
             --sample {} --tournament {} --size {} --budget {}{founders} --seed {}",
            plan.dialect,
            plan.measure,
            self.population,
            self.generations,
            self.islands,
            self.migration,
            self.sample,
            self.tournament,
            self.size,
            self.budget,
            self.seed
        )
    }
}

impl Evolved {
    /// The program as a file that can be read again.
    fn file(&self, config: &Config) -> String {
        let program = match self.program.parse::<plysmith_evolve::language::Program>() {
            Ok(program) => format!("{program:#}"),
            Err(_) => self.program.clone(),
        };
        format!(
            "; The champion of generation {} of: {}\n; plysmith {}\n{program}\n",
            self.generation,
            config.command(),
            env!("CARGO_PKG_VERSION")
        )
    }

    /// For people.
    pub fn text(&self) -> String {
        let rows = self.lengths.iter().map(|row| {
            let mean = |sum: u64| thousands(sum / row.problems.max(1) as u64);
            vec![
                row.moves.to_string(),
                format!("{} of {}", row.proved, row.problems),
                mean(row.nodes),
                mean(row.reference),
            ]
        });
        format!(
            "{}\nThe champion of generation {}, of {} elements, fitness {:.1}, on the training problems; alpha-beta is \
             the reference.\n\n{}\n",
            table(&[">mate in", ">proved", ">boards (mean)", ">alpha-beta (mean)"], rows),
            self.generation,
            self.size,
            self.fitness,
            self.program
        )
    }
}

/// A generation of a run that is an evolution.
pub fn generation(run: &Run, events: &[Event], number: u32) -> Result<GenerationEvent, Failure> {
    if run.kind != KIND {
        return Err(Failure::input(format!("run {} is a '{}' and has no generations", run.id, run.kind)));
    }
    let generations = events.iter().filter(|event| event.kind == GENERATION);
    let all = generations.map(Event::decode).collect::<Result<Vec<GenerationEvent>, _>>()?;
    let count = all.len();
    let found = all.into_iter().find(|event| event.number == number);
    found.ok_or_else(|| {
        Failure::input(format!("run {} has {count} generations, from 0 on; there is no {number}", run.id))
    })
}

impl GenerationEvent {
    /// Everybody, for people.
    pub fn text(&self) -> String {
        let rows = self.islands.iter().enumerate().flat_map(|(island, members)| {
            members.iter().map(move |member| {
                vec![
                    island.to_string(),
                    format!("{:.1}", member.fitness),
                    member.proved.to_string(),
                    member.program.clone(),
                ]
            })
        });
        // Programs are long, so this is no table with even columns.
        let lines: Vec<String> = rows.map(|row| row.join("\t")).collect();
        format!(
            "Generation {} ({}), measured on {} problems\nisland\tfitness\tproved\tprogram\n{}\n",
            self.number,
            self.stage,
            self.sample.len(),
            lines.join("\n")
        )
    }
}

/// What there is of an unfinished run, for people.
pub fn text_so_far(generations: &[GenerationEvent]) -> String {
    let rows = generations.iter().map(|event| {
        vec![
            event.number.to_string(),
            event.stage.clone(),
            format!("{:.1}", event.mean_fitness),
            format!("{:.1}", event.fitness),
            format!("{:.1}", event.all_fitness),
            event.proved.to_string(),
            thousands(event.nodes),
        ]
    });
    let headings = [">generation", "stage", ">mean fitness", ">champion's", ">on all problems", ">proved", ">boards"];
    let last = generations.last().map_or(String::new(), |event| format!("\nThe last champion:\n{}\n", event.champion));
    format!("{} generations so far:\n\n{}{last}", generations.len(), table(&headings, rows))
}
