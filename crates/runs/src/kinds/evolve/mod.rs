//! `evolve`: genetic programming of programs that solve mate problems (*Evolution of an Efficient Search Algorithm for
//! the Mate-In-N Problem in Chess*).
//!
//! | file | what |
//! | --- | --- |
//! | `mod` | configuration, events, result and views |
//! | `page` | fitness by generation, the champion as a tree and as pseudo-code |
//! | `breeding` | generations: ask, measure, tell, record; refinement of the champion |
//! | `programs` | jobs that measure programs, and what is known of each program |

mod breeding;
mod page;
mod programs;

use std::path::PathBuf;

use plysmith_core::games::chess::INFO;
use plysmith_evolve::breeding::evolution::EvolutionSettings;
use plysmith_evolve::breeding::{Selection, SizeLimits};
use plysmith_evolve::fitness::{FitnessCase, FitnessMeasure};
use plysmith_evolve::interpreter::Framework;
use plysmith_evolve::language::Dialect;
use plysmith_evolve::language::Program;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::files::{check_target, write_file};
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind, check_range};
use crate::mates::{MateRange, MateSuite, SEPARATOR, SolverName, TRAINING, cases_of};
use crate::services::Services;
use crate::text_form;
use crate::view::{Cell, Table, View};
pub use programs::ProgramJob;
pub(crate) use programs::{Known, ProgramWorker, program_need};

/// The run kind.
pub struct Evolve;

/// What to evolve.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The problems.
    #[serde(flatten)]
    pub suite: MateSuite,
    /// The lengths of mates that they were chosen by, if they were.
    pub lengths: Option<MateRange>,
    /// What programs are made of.
    #[serde(with = "StoredDialect")]
    pub dialect: Dialect,
    /// The fitness measure.
    #[serde(with = "text_form")]
    pub fitness: FitnessMeasure,
    /// Programs in a generation, on each island.
    pub population: usize,
    /// Number of generations.
    pub generations: u32,
    /// Number of islands.
    pub islands: usize,
    /// The best of each island migrates to the next one after this many generations.
    pub migration: u32,
    /// Problems of each length that a generation is measured on.
    pub sample: usize,
    /// Programs drawn for each parent, of which the fittest is taken.
    pub tournament: usize,
    /// The most elements that a program may have.
    pub size: usize,
    /// The most nodes of the reference solver in a problem, and by our fitness also the most boards of a program.
    pub budget: u64,
    /// The reference solver: the name of one of ours, or `uci:COMMAND`.
    #[serde(default = "first_reference", skip_serializing_if = "is_first_reference")]
    pub reference: String,
    /// How parents are selected.
    #[serde(default = "first_selection", skip_serializing_if = "is_first_selection", with = "text_form")]
    pub selection: Selection,
    /// In how many stages a generation is measured.
    #[serde(default = "first_stages", skip_serializing_if = "is_first_stages")]
    pub stages: usize,
    /// The champion is refined every this number of generations, and at the end; 0 if never.
    #[serde(default, skip_serializing_if = "is_never")]
    pub refine: u32,
    /// Programs that the first generation has besides random ones.
    #[serde(with = "text_form::each")]
    pub founders: Vec<Program>,
    /// The files that they came from.
    pub founder_files: Vec<String>,
    /// Random seed.
    pub seed: u64,
    /// The file that the best program is written to.
    pub output: Option<PathBuf>,
    /// Whether the file may be replaced.
    pub force: bool,
}

/// The reference solver of the first versions.
fn first_reference() -> String {
    SolverName::AlphaBeta.to_string()
}

/// The selection of the first versions.
fn first_selection() -> Selection {
    Selection::Tournament
}

/// The number of stages of the first versions.
fn first_stages() -> usize {
    1
}

fn is_first_reference(reference: &str) -> bool {
    reference == first_reference()
}

fn is_first_selection(selection: &Selection) -> bool {
    *selection == first_selection()
}

fn is_first_stages(stages: &usize) -> bool {
    *stages == first_stages()
}

fn is_never(generations: &u32) -> bool {
    *generations == 0
}

/// A dialect as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Dialect", rename_all = "lowercase")]
enum StoredDialect {
    Paper,
    Recursive,
    Rich,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A generation was measured.
    Generation(Generation),
    /// The champion was refined.
    Refined(Refined),
}

/// The champion after a refinement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Refined {
    /// The generation after which it was refined.
    pub number: u32,
    /// The program.
    pub program: String,
    /// Its fitness on all problems.
    pub fitness: f64,
    /// How many of all problems it solves.
    pub solved: usize,
    /// Boards that it reaches in all problems.
    pub nodes: u64,
}

/// A generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 0.
    pub number: u32,
    /// `early` while half-right moves count, then `late`.
    pub stage: String,
    /// The names of the problems it was measured on.
    pub sample: Vec<String>,
    /// Mean fitness of all programs.
    pub mean_fitness: f64,
    /// The fittest program.
    pub champion: String,
    /// Its fitness on the sample.
    pub fitness: f64,
    /// Its fitness on all problems; 0 if it fell behind the best program before it was measured on all.
    pub all_fitness: f64,
    /// How many of all problems it proves, as far as it was measured.
    pub proved: usize,
    /// Boards that it reaches in all problems.
    pub nodes: u64,
    /// The islands, each from the fittest program on.
    pub islands: Vec<Vec<Member>>,
}

/// One of a population.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Member {
    /// The program.
    pub program: String,
    /// Its fitness on the sample.
    pub fitness: f64,
    /// Problems of the sample that it proves.
    pub proved: usize,
}

/// The result of an evolution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Evolved {
    /// The best program.
    pub program: String,
    /// The generation that it is the champion of.
    pub generation: u32,
    /// Its fitness on all problems.
    pub fitness: f64,
    /// Its number of elements.
    pub size: usize,
    /// Its results on all training problems, by the length of the mate.
    pub lengths: Vec<LengthRow>,
    /// Number of generations.
    pub generations: u32,
}

/// Results on the problems of one length.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LengthRow {
    /// Moves to mate.
    pub moves: u8,
    /// Number of problems.
    pub problems: usize,
    /// Mates proved.
    pub proved: usize,
    /// Boards in all.
    pub nodes: u64,
    /// Nodes of the reference solver in all.
    pub reference: u64,
}

impl RunKind for Evolve {
    const NAME: &'static str = "evolve";
    const REVISION: u32 = 2;
    type Config = Config;
    type Event = Event;
    type Output = Evolved;
    type Prepared = Vec<FitnessCase>;

    fn identity(config: &Config) -> Identity {
        Identity { game: INFO.name.to_string(), seed: config.seed }
    }

    fn basis(config: &Config) -> Vec<Part> {
        // The reference solver may be the search.
        let engine = config.reference.starts_with("uci:").then_some(Part::External);
        [Part::Search, Part::Evolve].into_iter().chain(engine).collect()
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        let Config { population, generations, islands, migration, sample, tournament, size, budget, .. } = config;
        check_range("size of a population", *population as u64, 2..=10_000)?;
        check_range("number of generations", u64::from(*generations), 1..=100_000)?;
        check_range("number of islands", *islands as u64, 1..=64)?;
        check_range("number of generations between migrations", u64::from(*migration), 1..=u64::from(u32::MAX))?;
        check_range("sample size", *sample as u64, 1..=10_000)?;
        check_range("tournament size", *tournament as u64, 1..=1000)?;
        check_range("program size", *size as u64, 1..=2000)?;
        check_range("number of stages", config.stages as u64, 1..=100)?;
        check_range("number of generations between refinements", u64::from(config.refine), 0..=u64::from(u32::MAX))?;
        check_range("node limit", *budget, 100..=100_000_000)
    }

    fn check(config: &Config, _: &Services) -> Result<(), RunError> {
        match &config.output {
            Some(path) => check_target(path, config.force),
            None => Ok(()),
        }
    }

    fn prepare(config: &Config, services: &Services) -> Result<Vec<FitnessCase>, RunError> {
        services.check_memory(u64::MAX, &program_need(config.budget))?;
        cases_of(&config.suite)
    }

    fn run(config: &Config, cases: Vec<FitnessCase>, context: &mut Context<Evolve>) -> Result<Evolved, RunError> {
        breeding::breed(config, cases, context)
    }

    fn write_files(config: &Config, evolved: &Evolved) -> Result<Vec<PathBuf>, RunError> {
        let Some(path) = &config.output else { return Ok(Vec::new()) };
        write_file(path, &evolved.file(config), config.force)?;
        Ok(vec![path.clone()])
    }

    fn view(config: &Config, evolved: &Evolved) -> View {
        evolved.view(config)
    }

    fn headline(_: &Config, evolved: &Evolved) -> Headline {
        let Evolved { fitness, size, generation, .. } = evolved;
        Headline::of(format!("fitness {fitness:.4}, {size} elements, generation {generation}"), "fitness", *fitness)
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        let generations = || {
            events.iter().filter_map(|event| match event {
                Event::Generation(generation) => Some(generation),
                Event::Refined(_) => None,
            })
        };
        let headings =
            [">generation", "stage", ">mean fitness", ">champion's", ">on all problems", ">proved", ">boards"];
        let table = Table::new(&headings, generations().map(Generation::cells));
        let last = generations().next_back().map(|last| format!("\nThe last champion:\n{}\n", last.champion));
        View::new()
            .text(format!("{} generations so far:\n\n", generations().count()))
            .table(table)
            .text(last.unwrap_or_default())
    }

    fn page(
        config: &Config,
        output: Option<&Evolved>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        page::page(config, output, events)
    }

    fn rows(_: &Config) -> Rows {
        let columns = &["number", "stage", "mean_fitness", "champion", "fitness", "all_fitness", "proved", "nodes"];
        Rows { event: "generation", columns }
    }
}

impl Config {
    /// The plan of the evolution.
    fn plan(&self) -> EvolutionSettings {
        let base = match self.fitness {
            FitnessMeasure::Paper => EvolutionSettings::PAPER,
            FitnessMeasure::Plain => EvolutionSettings::OURS,
        };
        EvolutionSettings {
            dialect: self.dialect,
            selection: self.selection,
            stages: self.stages,
            measure: self.fitness,
            population: self.population,
            generations: self.generations,
            islands: self.islands,
            migration: self.migration,
            tournament: self.tournament,
            limits: SizeLimits { size: self.size, ..EvolutionSettings::PAPER.limits },
            sample: self.sample,
            seed: self.seed,
            ..base
        }
    }

    /// Whether the champion is refined after this generation.
    fn refines_after(&self, number: u32) -> bool {
        self.refine > 0 && ((number + 1).is_multiple_of(self.refine) || number + 1 == self.generations)
    }

    /// The command that makes the same program.
    fn command(&self) -> String {
        let name = &self.suite.0.name;
        let suites: String = name.split(SEPARATOR).map(|name| format!(" --suite {name}")).collect();
        let suite = if name == TRAINING { String::new() } else { suites };
        let founders: String = self.founder_files.iter().map(|file| format!(" --founder {file}")).collect();
        let lengths = self.lengths.as_ref().map_or(String::new(), |range| format!(" --lengths {range}"));
        format!(
            "plysmith evolve{suite}{lengths} --dialect {} --fitness {} --population {} --generations {} --islands {} \
             --migration {} --sample {} --selection {} --tournament {} --stages {} --refine {} --size {} --nodes {} \
             --reference '{}'{founders} --seed {}",
            self.dialect,
            self.fitness,
            self.population,
            self.generations,
            self.islands,
            self.migration,
            self.sample,
            self.selection,
            self.tournament,
            self.stages,
            self.refine,
            self.size,
            self.budget,
            self.reference,
            self.seed
        )
    }
}

impl Evolved {
    /// The program as a file that can be read again.
    fn file(&self, config: &Config) -> String {
        let program = match self.program.parse::<Program>() {
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

    fn view(&self, config: &Config) -> View {
        let rows = self.lengths.iter().map(|row| {
            let mean = |sum: u64| Cell::Count(sum / row.problems.max(1) as u64);
            vec![
                Cell::Count(row.moves.into()),
                format!("{} of {}", row.proved, row.problems).into(),
                mean(row.nodes),
                mean(row.reference),
            ]
        });
        let solved = match config.framework() {
            Framework::Full => ">proved",
            Framework::Paper => ">right move",
        };
        let headings = [">mate in", solved, ">boards (mean)", ">reference (mean)"];
        View::new().table(Table::new(&headings, rows)).text(format!(
            "\nThe champion of generation {}, of {} elements, fitness {:.1}, on the training problems; the reference is \
             {}.\n\n{}\n",
            self.generation, self.size, self.fitness, config.reference, self.program
        ))
    }
}

impl Generation {
    /// A row for a table of generations.
    fn cells(&self) -> Vec<Cell> {
        vec![
            self.number.to_string().into(),
            self.stage.as_str().into(),
            Cell::Number(self.mean_fitness, 1),
            Cell::Number(self.fitness, 1),
            Cell::Number(self.all_fitness, 1),
            self.proved.to_string().into(),
            Cell::Count(self.nodes),
        ]
    }

    /// The whole population, one program a line. Programs are long, so they come last.
    pub fn view(&self) -> View {
        let rows = self.islands.iter().enumerate().flat_map(|(island, members)| {
            members.iter().map(move |member| {
                let (fitness, proved) = (Cell::Number(member.fitness, 1), member.proved.to_string().into());
                vec![island.to_string().into(), fitness, proved, member.program.to_string().into()]
            })
        });
        let (number, stage, problems) = (self.number, &self.stage, self.sample.len());
        View::new()
            .text(format!("Generation {number} ({stage}), measured on {problems} problems\n"))
            .table(Table::new(&[">island", ">fitness", ">proved", "program"], rows))
    }
}

/// A generation of a stored run; fails if the run is no evolution or has no such generation.
pub fn generation(
    run: &plysmith_store::Run,
    events: &[plysmith_store::Event],
    number: u32,
) -> Result<Generation, RunError> {
    if run.kind != Evolve::NAME {
        return Err(RunError::input(format!("run {} is a '{}' and has no generations", run.id, run.kind)));
    }
    let mut all = Vec::new();
    for event in events {
        if let Event::Generation(generation) = crate::kind::decode_event(event)? {
            all.push(generation);
        }
    }
    let count = all.len();
    all.into_iter().find(|generation| generation.number == number).ok_or_else(|| {
        RunError::input(format!("run {} has {count} generations, from 0 on; there is no {number}", run.id))
    })
}
