//! `mate-table2`: nodes to solve mates in one to five (mate paper, Table 2), for every solver of ours, any UCI engine,
//! and the paper's numbers.
//!
//! Every result is stored as it is known. External engines are not deterministic, so their results belong to the run;
//! ours serve later runs as well.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::game::Game;
use plysmith_core::games::chess::INFO;
use plysmith_core::search::Interrupt;
use plysmith_engine::uci::client::info::UciScore;
use plysmith_engine::uci::client::{Go, UciEngine};
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::language::Program;
use plysmith_evolve::solvers::evolved::Evolved;
use plysmith_evolve::solvers::{MateAnswer, MateQuery};
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::executor::Executor;
use crate::external_engine::start_uci;
use crate::job::Worker;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::mates::{
    LengthSummary, MateJob, MateSuite, Solved, SolverChoice, SolverName, by_length, cases_of, named, settled, solve_all,
};
use crate::progress::Progress;
use crate::services::Services;
use crate::text_form;
use crate::view::{Cell, Table, View, thousands};

/// The run kind.
pub struct MateTable;

/// What to compare.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The problems.
    #[serde(flatten)]
    pub suite: MateSuite,
    /// The evolved program.
    #[serde(with = "text_form")]
    pub program: Program,
    /// Node limit for each problem.
    pub nodes: u64,
    /// Node limit for each problem of the exhaustive solver.
    pub exhaustive_nodes: u64,
    /// Commands of UCI engines.
    pub engines: Vec<String>,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A solver tried a problem.
    Problem(Tried),
}

/// The result of a solver on a problem.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tried {
    /// The solver's name.
    pub solver: String,
    /// The result.
    #[serde(flatten)]
    pub solved: Solved,
}

/// The table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Compared {
    /// The suite's name.
    pub suite: String,
    /// Node limit for each problem.
    pub nodes: u64,
    /// Node limit for each problem of the exhaustive solver.
    pub exhaustive_nodes: u64,
    /// One row for each solver.
    pub rows: Vec<Row>,
}

/// A solver.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub solver: String,
    /// Its results by the length of the mate.
    pub lengths: Vec<LengthSummary>,
}

/// The paper's Table 2.
const PAPER: [(&str, [&str; 5]); 2] =
    [("paper: Crafty", ["600", "7K", "50K", "138K", "1.6M"]), ("paper: evolved", ["600", "2K", "28K", "55K", "850K"])];
/// The row that others are compared with.
const EVOLVED: &str = "evolved";

impl Config {
    /// Node limit for each problem by default.
    pub const NODES: u64 = 5_000_000;
    /// Node limit of a small, fast run.
    pub const QUICK_NODES: u64 = 200_000;

    /// A comparison on these problems.
    pub fn new(suite: MateSuite, program: Program, nodes: u64, engines: Vec<String>) -> Config {
        // The exhaustive solver gets no further with more.
        Config { suite, program, nodes, exhaustive_nodes: nodes.min(Config::NODES), engines }
    }

    /// Our own solvers, each with its node limit.
    fn solvers(&self) -> [(SolverChoice, u64); 4] {
        let reference = SolverChoice::Reference;
        let evolved = Evolved { program: self.program.clone(), name: EVOLVED.to_string() };
        [
            (reference(SolverName::Exhaustive), self.exhaustive_nodes),
            (reference(SolverName::AlphaBeta), self.nodes),
            (reference(SolverName::DfPn), self.nodes),
            (SolverChoice::Program(evolved), self.nodes),
        ]
    }
}

impl RunKind for MateTable {
    const NAME: &'static str = "mate-table2";
    type Config = Config;
    type Event = Event;
    type Output = Compared;
    type Prepared = Vec<FitnessCase>;

    fn identity(_: &Config) -> Identity {
        Identity { game: INFO.name.to_string(), seed: 0 }
    }

    fn basis(config: &Config) -> Vec<Part> {
        let engines = if config.engines.is_empty() { None } else { Some(Part::External) };
        [Part::Search, Part::Evolve].into_iter().chain(engines).collect()
    }

    fn check(config: &Config, _: &Services) -> Result<(), RunError> {
        for engine in &config.engines {
            start_uci(&INFO, engine)?.quit();
        }
        Ok(())
    }

    fn prepare(config: &Config, _: &Services) -> Result<Vec<FitnessCase>, RunError> {
        cases_of(&config.suite)
    }

    fn run(config: &Config, cases: Vec<FitnessCase>, context: &mut Context<MateTable>) -> Result<Compared, RunError> {
        let services = context.services().clone();
        let solvers = config.solvers();
        let progress = services.begin_progress((solvers.len() + config.engines.len()) as u64 * cases.len() as u64);
        let cancel = || services.cancel.is_cancelled();
        let executor = Executor { memo: services.memo(), interrupt: &cancel };
        let comparison = Comparison { executor, cases: &cases, progress: &progress };
        let mut rows = Vec::new();
        for (choice, nodes) in &solvers {
            rows.push(comparison.ours(choice, *nodes, services.threads, context)?);
        }
        for engine in &config.engines {
            rows.push(comparison.external(engine, config.nodes, context)?);
        }
        let Config { suite, nodes, exhaustive_nodes, .. } = config;
        Ok(Compared { suite: suite.0.name.clone(), nodes: *nodes, exhaustive_nodes: *exhaustive_nodes, rows })
    }

    fn view(_: &Config, compared: &Compared) -> View {
        compared.view()
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        View::new().text(format!("{} problems tried so far\n", events.len()))
    }

    fn rows(_: &Config) -> Rows {
        Rows { event: "problem", columns: &["solver", "id", "moves", "mate", "best", "nodes", "verdict"] }
    }
}

/// What every solver is measured with.
struct Comparison<'a> {
    executor: Executor<'a>,
    cases: &'a [FitnessCase],
    progress: &'a Progress,
}

impl Comparison<'_> {
    fn ours(
        &self,
        choice: &SolverChoice,
        nodes: u64,
        threads: NonZeroUsize,
        context: &mut Context<MateTable>,
    ) -> Result<Row, RunError> {
        self.progress.message(choice.name());
        let done = |done: usize| self.progress.set_part_done(done as u64);
        let results = solve_all(choice, self.cases, nodes, &self.executor, threads, &done)?;
        self.record(choice.name(), results, context)
    }

    fn external(&self, command: &str, nodes: u64, context: &mut Context<MateTable>) -> Result<Row, RunError> {
        let mut workers = [EngineWorker(start_uci(&INFO, command)?)];
        let name = workers[0].0.identity().name.clone();
        self.progress.message(&name);
        let solver = format!("{command} in run {}", context.run());
        let jobs: Vec<MateJob> = self.cases.iter().map(|case| MateJob::new(solver.clone(), case, nodes)).collect();
        let results = self.executor.run_all(&jobs, &mut workers, &|done| self.progress.set_part_done(done as u64))?;
        let [EngineWorker(engine)] = workers;
        engine.quit();
        self.record(name, named(results, self.cases), context)
    }

    fn record(&self, solver: String, results: Vec<Solved>, context: &mut Context<MateTable>) -> Result<Row, RunError> {
        let lengths = by_length(&results);
        for solved in results {
            context.record(Event::Problem(Tried { solver: solver.clone(), solved }))?;
        }
        self.progress.finish_part(self.cases.len() as u64);
        Ok(Row { solver, lengths })
    }
}

/// Lets an engine search until it announces the mate in time, or has spent its nodes.
struct EngineWorker(UciEngine);

impl Worker<MateJob> for EngineWorker {
    type Error = RunError;

    fn run(&mut self, job: &MateJob, interrupt: &Interrupt<'_>) -> Result<Option<Solved>, RunError> {
        let EngineWorker(engine) = self;
        let position = job.open()?;
        engine.new_game()?;
        engine.position(&job.position, &[])?;
        let mut announced: Option<MateAnswer> = None;
        let answer = engine.search(&Go::Nodes(job.nodes), &|| interrupt(), &mut |info, _| {
            let (Some(UciScore::Mate(moves)), true) = (info.score, info.is_principal()) else {
                return ControlFlow::Continue(());
            };
            let Some(moves) = u8::try_from(moves).ok().filter(|moves| (1..=job.moves).contains(moves)) else {
                return ControlFlow::Continue(());
            };
            announced.get_or_insert_with(|| MateAnswer {
                best: info.pv.first().and_then(|m| position.parse_move(m).ok()),
                mate: Some(moves),
                nodes: info.nodes.unwrap_or(0),
                ..MateAnswer::default()
            });
            ControlFlow::Break(())
        })?;
        let Some(spent) = answer.map(|answer| answer.nodes) else { return Ok(None) };
        let answer = announced.unwrap_or(MateAnswer { nodes: spent, is_cut: true, ..MateAnswer::default() });
        let interrupt = &|| interrupt();
        let query = MateQuery { position: &position, moves: job.moves, budget: job.nodes, interrupt };
        Ok(settled(&query, &answer))
    }
}

impl Compared {
    fn view(&self) -> View {
        let lengths: Vec<u8> =
            self.rows.first().map_or(Vec::new(), |row| row.lengths.iter().map(|length| length.moves).collect());
        let mut headings = vec!["solver".to_string()];
        headings.extend(lengths.iter().map(|moves| format!(">mate in {moves}")));
        let cell = |length: &LengthSummary| {
            if length.solved == length.problems {
                return Cell::Count(length.mean_nodes);
            }
            format!("{} ({}/{})", thousands(length.mean_nodes), length.solved, length.problems).into()
        };
        let ours = self
            .rows
            .iter()
            .map(|row| std::iter::once(row.solver.as_str().into()).chain(row.lengths.iter().map(cell)).collect());
        let paper = PAPER
            .iter()
            .filter(|_| lengths == [1, 2, 3, 4, 5])
            .map(|(name, numbers)| std::iter::once(*name).chain(numbers.iter().copied()).map(Cell::from).collect());
        View::new()
            .text(format!(
                "Nodes to solve mates, the mean of all problems (mate paper, Table 2)\n'{}', at most {} nodes per \
                 problem, exhaustive {}\n\n",
                self.suite,
                thousands(self.nodes),
                thousands(self.exhaustive_nodes)
            ))
            .table(Table::new(&headings, ours.chain(paper)))
            .text(format!(
                "\n(solved/problems) where not all are solved; what is not solved counts with the nodes that were \
                 spent.\nSolved is what the verifier accepts. The paper's numbers are of other problems and another \
                 engine.\n{}",
                self.comparison()
            ))
    }

    /// The evolved program compared with each other solver, on the longest mates.
    fn comparison(&self) -> String {
        let last = |row: &Row| row.lengths.last().map(|length| (length.moves, length.mean_nodes));
        let evolved = self.rows.iter().find(|row| row.solver == EVOLVED).and_then(last);
        let Some((moves, ours)) = evolved else { return String::new() };
        let compare = |row: &Row| {
            let (_, theirs) = last(row).filter(|(_, nodes)| *nodes > 0 && row.solver != EVOLVED)?;
            let share = 100.0 * (ours as f64 / theirs as f64 - 1.0);
            let word = if share < 0.0 { "fewer" } else { "more" };
            Some(format!("{:.0} % {word} than {}", share.abs(), row.solver))
        };
        let all: Vec<String> = self.rows.iter().filter_map(compare).collect();
        format!("Mates in {moves}: the evolved program needs {}.\n", all.join(", "))
    }
}
