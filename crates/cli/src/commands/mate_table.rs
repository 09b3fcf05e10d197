//! `plysmith reproduce mate-table2`: nodes to solve mates in one to five (mate paper, Table 2), for every solver of ours,
//! any UCI engine, and the paper's numbers.
//!
//! Every result is stored the moment it is known. What foreign engines do cannot be repeated, so theirs belong to the run;
//! ours serve any later run as well.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use plysmith_core::game::Game;
use plysmith_core::games::chess::INFO;
use plysmith_core::search;
use plysmith_core::suite::text;
use plysmith_engine::parallel::all_cores;
use plysmith_engine::parallel::in_order_noting;
use plysmith_engine::uci::client::info::UciScore;
use plysmith_engine::uci::client::{Go, UciEngine};
use plysmith_evolve::fitness::Case;
use plysmith_evolve::solvers::evolved::Evolved;
use plysmith_evolve::solvers::{Answer, Question, Solver, settle};
use plysmith_store::StoreError;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::bench_engines;
use super::experiment::ExperimentArguments;
use super::mate::suite_of;
use super::mates::{HELD_OUT, bundled_program, cases_of};
use super::solving::{Judged, LengthSummary, Solved, SolverChoice, SolverName, by_length, read_program, solve_case};
use crate::failure::Failure;
use crate::signals;
use crate::journal::Journal;
use crate::output::{Output, table, thousands};
use crate::progress;

/// What can be chosen about it.
#[derive(Debug, Args)]
pub struct TableArguments {
    /// For mate-table2: a UCI engine to compare with, like 'gnuchess --uci'; may be repeated
    #[arg(long, value_name = "COMMAND")]
    engine: Vec<String>,

    /// For mate-table2: another evolved program than the bundled one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// What the comparison is begun with; stored with its run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    pub suite_name: String,
    pub suite: String,
    /// The evolved program's text.
    pub program: String,
    /// Nodes a problem.
    pub nodes: u64,
    /// Nodes a problem for trying everything.
    pub exhaustive_nodes: u64,
    pub engines: Vec<String>,
}

pub const KIND: &str = "mate-table2";
/// A problem that was tried.
pub const PROBLEM: &str = "problem";
pub const COLUMNS: &[&str] = &["solver", "id", "moves", "mate", "best", "nodes", "verdict"];

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct ProblemEvent {
    solver: String,
    #[serde(flatten)]
    solved: Solved,
}

/// The table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MateTable {
    pub suite: String,
    pub nodes: u64,
    pub exhaustive_nodes: u64,
    pub rows: Vec<Row>,
}

/// A solver.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    pub solver: String,
    pub lengths: Vec<LengthSummary>,
}

/// The paper's Table 2.
const PAPER: [(&str, [&str; 5]); 2] =
    [("paper: Crafty", ["600", "7K", "50K", "138K", "1.6M"]), ("paper: evolved", ["600", "2K", "28K", "55K", "850K"])];
const NODES: u64 = 5_000_000;
const QUICK_NODES: u64 = 200_000;
/// Trying everything gets no further with more.
const EXHAUSTIVE_NODES: u64 = 5_000_000;

impl TableArguments {
    /// Nothing of it was asked for, or that is wrong.
    pub fn refuse(&self) -> Result<(), Failure> {
        if self.engine.is_empty() && self.program.is_none() {
            return Ok(());
        }
        Err(Failure::input("--engine and --program go with mate-table2 only; leave them out"))
    }
}

pub fn begin(experiment: &ExperimentArguments, arguments: &TableArguments, output: &Output) -> Result<(), Failure> {
    let TableArguments { engine: engines, program } = arguments;
    let suite_name = experiment.suite.as_ref().map_or(HELD_OUT.to_string(), |path| path.display().to_string());
    let suite = suite_of(&suite_name, &experiment.skip)?;
    cases_of(&suite)?;
    let nodes = experiment.nodes.unwrap_or(if experiment.quick { QUICK_NODES } else { NODES });
    for engine in engines {
        bench_engines::start(&INFO, engine)?.quit();
    }
    let config = Config {
        suite_name,
        suite: text::print(&suite, ""),
        program: program.as_deref().map_or_else(bundled_program, read_program)?.to_string(),
        nodes,
        exhaustive_nodes: nodes.min(EXHAUSTIVE_NODES),
        engines: engines.clone(),
    };
    let journal = Journal::begin(KIND, INFO.name, 0, &config)?;
    perform(&config, journal, experiment.threads.threads, output)
}

pub fn perform(
    config: &Config,
    journal: Journal,
    threads: Option<NonZeroUsize>,
    output: &Output,
) -> Result<(), Failure> {
    let suite = text::parse(&INFO, &config.suite_name, &config.suite)
        .map_err(|error| Failure::input(format!("{}:{error}", config.suite_name)))?;
    let cases = cases_of(&suite)?;
    let program = config.program.parse().map_err(|error| Failure::input(format!("the run's program:{error}")))?;
    let reference = SolverChoice::Reference;
    let solvers = [
        (reference(SolverName::Exhaustive), config.exhaustive_nodes),
        (reference(SolverName::AlphaBeta), config.nodes),
        (reference(SolverName::DfPn), config.nodes),
        (SolverChoice::Program(Evolved { program, name: "evolved".to_string() }), config.nodes),
    ];
    let progress = progress::begin((solvers.len() + config.engines.len()) as u64 * cases.len() as u64);
    let bench = Bench { journal: &journal, cases: &cases, progress: &progress };
    let threads = threads.unwrap_or_else(all_cores);
    let mut rows = Vec::new();
    for (choice, nodes) in &solvers {
        rows.push(bench.ours(choice, *nodes, threads)?);
    }
    for engine in &config.engines {
        rows.push(bench.theirs(engine, config.nodes)?);
    }
    drop(progress);
    let Config { suite_name, nodes, exhaustive_nodes, .. } = config;
    let result = MateTable { suite: suite_name.clone(), nodes: *nodes, exhaustive_nodes: *exhaustive_nodes, rows };
    journal.finish(&result)?;
    output.print(&result, || result.text())
}

/// What a solver is measured with.
struct Bench<'a> {
    journal: &'a Journal,
    cases: &'a [FitnessCase],
    progress: &'a Progress,
}

impl Bench<'_> {
    fn ours(&self, choice: &SolverChoice, nodes: u64, threads: NonZeroUsize) -> Result<Row, Failure> {
        let name = choice.make().name();
        let about = match choice {
            SolverChoice::Program(evolved) => evolved.program.to_string(),
            SolverChoice::Reference(_) => name.clone(),
        };
        self.progress.message(name.clone());
        let store = self.journal.store();
        let keys: Vec<String> = self.cases.iter().map(|case| key(&about, case, nodes)).collect();
        let known = keys
            .iter()
            .map(|key| store.result(key)?.map(|found| found.decode::<Solved>()).transpose())
            .collect::<Result<Vec<Option<Solved>>, StoreError>>()?;
        let mut tools: Vec<Box<dyn Solver>> = (0..threads.get()).map(|_| choice.make()).collect();
        let (mut results, mut failure) = (Vec::new(), None);
        let cases = self.cases;
        in_order_noting(
            0..cases.len() as u64,
            &mut tools,
            |_, solver, index| match &known[index as usize] {
                Some(solved) => Some(Solved { id: cases[index as usize].id.clone(), ..solved.clone() }),
                None => {
                    let solved = solve_case(solver.as_mut(), &cases[index as usize], nodes);
                    (!signals::is_cancelled()).then_some(solved)
                }
            },
            |index, solved| match store.put_result(&keys[index as usize], 1, &about, &nameless(solved)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            },
            |_, solved| {
                results.push(solved);
                self.progress.set_part_done(results.len() as u64);
                ControlFlow::Continue(())
            },
        );
        if let Some(error) = failure {
            return Err(error.into());
        }
        self.row(name, results)
    }

    fn theirs(&self, command: &str, nodes: u64) -> Result<Row, Failure> {
        let mut engine = bench_engines::start(&INFO, command)?;
        let name = engine.identity().name.clone();
        self.progress.message(name.clone());
        let store = self.journal.store();
        let about = format!("{command} in run {}", self.journal.run());
        let mut results = Vec::new();
        for case in self.cases {
            let key = key(&about, case, nodes);
            let solved = match store.result(&key)? {
                Some(found) => Solved { id: case.id.clone(), ..found.decode::<Solved>()? },
                None => {
                    let solved = ask(&mut engine, case, nodes)?;
                    store.put_result(&key, 1, &about, &nameless(&solved))?;
                    solved
                }
            };
            results.push(solved);
            self.progress.set_part_done(results.len() as u64);
        }
        engine.quit();
        self.row(name, results)
    }

    /// Records the results of a solver, if there is one for each problem.
    fn row(&self, solver: String, results: Vec<Solved>) -> Result<Row, Failure> {
        if results.len() < self.cases.len() {
            return Err(Failure::Interrupted(Some(self.journal.run())));
        }
        let lengths = by_length(&results);
        for solved in results {
            self.journal.record(PROBLEM, &ProblemEvent { solver: solver.clone(), solved })?;
        }
        self.progress.finish_part(self.cases.len() as u64);
        Ok(Row { solver, lengths })
    }
}

/// What a result is stored under: all that it depends on.
fn key(solver: &str, case: &FitnessCase, nodes: u64) -> String {
    let (position, moves) = (&case.position, case.moves);
    let revisions = (search::REVISION, plysmith_evolve::REVISION);
    format!("{:032x}", xxh3_128(format!("mate\n{solver}\n{position}\n{moves}\n{nodes}\n{revisions:?}").as_bytes()))
}

/// A result without the name of its problem, which other suites may call otherwise.
fn nameless(solved: &Solved) -> Solved {
    Solved { id: String::new(), ..solved.clone() }
}

/// Lets an engine search until it announces the mate in time, or has spent its nodes.
fn ask(engine: &mut UciEngine, case: &Case, nodes: u64) -> Result<Solved, Failure> {
    engine.new_game()?;
    engine.position(&case.position.to_string(), &[])?;
    let mut announced: Option<Answer> = None;
    let answer = engine.search(&Go::Nodes(nodes), &interrupt::is_raised, &mut |info, _| {
        let (Some(UciScore::Mate(moves)), true) = (info.score, info.is_principal()) else {
            return ControlFlow::Continue(());
        };
        let Some(moves) = u8::try_from(moves).ok().filter(|moves| (1..=case.moves).contains(moves)) else {
            return ControlFlow::Continue(());
        };
        announced.get_or_insert_with(|| MateAnswer {
            best: info.pv.first().and_then(|m| case.position.parse_move(m).ok()),
            mate: Some(moves),
            nodes: info.nodes.unwrap_or(0),
            ..MateAnswer::default()
        });
        ControlFlow::Break(())
    })?;
    let spent = answer.ok_or(Failure::Interrupted(None))?.nodes;
    let answer = announced.unwrap_or(MateAnswer { nodes: spent, is_cut: true, ..MateAnswer::default() });
    let query =
        MateQuery { position: &case.position, moves: case.moves, budget: nodes, interrupt: &signals::is_cancelled };
    Ok(Solved {
        id: case.id.clone(),
        moves: case.moves,
        mate: answer.mate,
        best: answer.best.map(|m| case.position.print_move(m)),
        nodes: answer.nodes,
        verdict: Judged::of(&verify_claim(&query, &answer), &answer),
    })
}

impl MateTable {
    /// For people.
    pub fn text(&self) -> String {
        let lengths: Vec<u8> =
            self.rows.first().map_or(Vec::new(), |row| row.lengths.iter().map(|length| length.moves).collect());
        let mut headings = vec!["solver".to_string()];
        headings.extend(lengths.iter().map(|moves| format!(">mate in {moves}")));
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let cell = |length: &LengthSummary| {
            let nodes = thousands(length.mean_nodes);
            if length.solved == length.problems {
                nodes
            } else {
                format!("{nodes} ({}/{})", length.solved, length.problems)
            }
        };
        let ours = self
            .rows
            .iter()
            .map(|row| std::iter::once(row.solver.clone()).chain(row.lengths.iter().map(cell)).collect::<Vec<_>>());
        let paper = PAPER
            .iter()
            .filter(|_| lengths == [1, 2, 3, 4, 5])
            .map(|(name, numbers)| std::iter::once(*name).chain(numbers.iter().copied()).map(str::to_string).collect());
        format!(
            "Nodes to solve mates, the mean of all problems (mate paper, Table 2)\n'{}', at most {} nodes a problem, \
             exhaustive {}\n\n{}\n(solved/problems) where not all are solved; what is not solved counts with the nodes that \
             were spent.\nSolved is what the verifier accepts. The paper's numbers are of other problems and another \
             engine.\n{}",
            self.suite,
            thousands(self.nodes),
            thousands(self.exhaustive_nodes),
            table(&headings, ours.chain(paper)),
            self.comparison()
        )
    }

    /// The evolved program beside each other solver, on the longest mates.
    fn comparison(&self) -> String {
        let last = |row: &Row| row.lengths.last().map(|length| (length.moves, length.mean_nodes));
        let evolved = self.rows.iter().find(|row| row.solver == "evolved").and_then(last);
        let Some((moves, ours)) = evolved else { return String::new() };
        let compare = |row: &Row| {
            let (_, theirs) = last(row).filter(|(_, nodes)| *nodes > 0 && row.solver != "evolved")?;
            let share = 100.0 * (ours as f64 / theirs as f64 - 1.0);
            let word = if share < 0.0 { "fewer" } else { "more" };
            Some(format!("{:.0} % {word} than {}", share.abs(), row.solver))
        };
        let all: Vec<String> = self.rows.iter().filter_map(compare).collect();
        format!("Mates in {moves}: the evolved program needs {}.\n", all.join(", "))
    }
}
