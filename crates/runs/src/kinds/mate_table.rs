//! `mate-table2`: nodes to solve mates in one to five (mate paper, Table 2), for every solver of ours, any UCI engine,
//! and the paper's numbers.
//!
//! Every result is stored as it is known, and serves later runs as well. All rows count the same problems: one at which an
//! engine fails is excluded from every row. A problem that is not solved counts with the node limit, so that giving up
//! early is no gain.

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU64, NonZeroUsize};

use plysmith_core::games::chess::INFO;
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::language::Program;
use plysmith_evolve::solvers::evolved::Evolved;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::chart::{Bar, Bars, Figure, Line, Lines};
use crate::error::RunError;
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::mates::{
    EngineSolver, Judged, LengthSummary, MateSuite, Solved, SolverChoice, SolverName, TWO_ELEMENTS, by_length,
    cases_of, solve_all,
};
use crate::memory::ThreadNeed;
use crate::progress::Progress;
use crate::services::Services;
use crate::text_form;
use crate::view::{Cell, Table, View, counted, thousands};

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
    /// Seconds in which a search of an engine has to make progress; the default if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<NonZeroU64>,
    /// By which rules the table is made.
    #[serde(default, skip_serializing_if = "Rules::is_first")]
    pub rules: Rules,
}

/// The rules of a table. Stored tables are shown by the rules that they were made by.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rules {
    /// Of the first versions: an unsolved problem counts with the nodes that were spent, and UCI engines are not held to
    /// the node limit.
    #[default]
    First,
    /// An unsolved problem counts with the node limit, which holds for all solvers.
    LimitCounts,
}

impl Rules {
    /// What the numbers of a table mean.
    fn words(self) -> &'static str {
        match self {
            Rules::First => {
                "(solved/problems) where not all are solved; what is not solved counts with the nodes that were spent.\n\
                 Solved is what the verifier accepts. The paper's numbers are of other problems and another engine.\n\
                 The version that made this table did not hold UCI engines to the node limit."
            }
            Rules::LimitCounts => {
                "(solved/problems) where not all are solved; what is not solved counts with the node limit. Solved is \
                 what\nthe verifier accepts; a UCI engine has solved a mate when it announces it. The paper's numbers \
                 are of other\nproblems and another engine."
            }
        }
    }

    fn is_first(&self) -> bool {
        *self == Rules::First
    }
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
    /// The evolved program problem by problem with each other solver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
    /// Problems that no row counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<ExcludedProblem>,
}

/// The evolved program compared with another solver, problem by problem.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Pair {
    /// The other solver.
    pub solver: String,
    /// Moves to mate.
    pub moves: u8,
    /// The geometric mean of the evolved program's nodes divided by the other's.
    pub ratio: f64,
}

/// A problem that no row counts, because an engine fails at it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExcludedProblem {
    /// The problem's name.
    pub id: String,
    /// The engine.
    pub solver: String,
    /// Why, with everything needed to reproduce it.
    pub failure: String,
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
/// What the second table is.
const PAIRS: &str =
    "\nNodes of the evolved program divided by those of another solver, the geometric mean of all problems:\n\n";
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
        let exhaustive_nodes = nodes.min(Config::NODES);
        Config { suite, program, nodes, exhaustive_nodes, engines, patience: None, rules: Rules::LimitCounts }
    }

    /// Our own solvers, each with its node limit.
    fn solvers(&self) -> Result<[(SolverChoice, u64); 5], RunError> {
        let reference = SolverChoice::Reference;
        let program = |program: Program, name: &str| SolverChoice::Program(Evolved { program, name: name.to_string() });
        let two_elements = TWO_ELEMENTS.parse().map_err(|error| RunError::failed(format!("{TWO_ELEMENTS}:{error}")))?;
        Ok([
            (reference(SolverName::Exhaustive), self.exhaustive_nodes),
            (reference(SolverName::AlphaBeta), self.nodes),
            (reference(SolverName::DfPn), self.nodes),
            (program(two_elements, TWO_ELEMENTS), self.nodes),
            (program(self.program.clone(), EVOLVED), self.nodes),
        ])
    }
}

/// What a table is made of.
pub struct Prepared {
    cases: Vec<FitnessCase>,
    engines: Vec<EngineSolver>,
    threads: NonZeroUsize,
}

impl RunKind for MateTable {
    const NAME: &'static str = "mate-table2";
    const REVISION: u32 = 2;
    type Config = Config;
    type Event = Event;
    type Output = Compared;
    type Prepared = Prepared;

    fn identity(_: &Config) -> Identity {
        Identity { game: INFO.name.to_string(), seed: 0 }
    }

    fn basis(config: &Config) -> Vec<Part> {
        let engines = if config.engines.is_empty() { None } else { Some(Part::External) };
        [Part::Search, Part::Evolve].into_iter().chain(engines).collect()
    }

    fn prepare(config: &Config, services: &Services) -> Result<Prepared, RunError> {
        if config.rules.is_first() {
            return Err(RunError::input(
                "this table was begun by an earlier version of plysmith, by other rules; finish it with that version, \
                 which `plysmith runs --json` names, or begin a new one",
            ));
        }
        let cases = cases_of(&config.suite)?;
        let open = |text: &String| EngineSolver::open(text, config.patience, &services.cancel);
        let engines = config.engines.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let notes = engines.iter().flat_map(EngineSolver::notes);
        notes.for_each(|note| services.note(format!("note: {note}")));
        let ours = config.solvers()?.into_iter().map(|(choice, nodes)| choice.need(nodes));
        let need = ours.chain(engines.iter().map(EngineSolver::need)).fold(ThreadNeed::default(), ThreadNeed::or);
        let threads = services.workers(cases.len() as u64, &need)?;
        Ok(Prepared { cases, engines, threads })
    }

    fn run(config: &Config, prepared: Prepared, context: &mut Context<MateTable>) -> Result<Compared, RunError> {
        let Prepared { cases, engines, threads } = prepared;
        let services = context.services().clone();
        let solvers = config.solvers()?;
        let progress = services.begin_progress((solvers.len() + engines.len()) as u64 * cases.len() as u64);
        let cancel = || services.cancel.is_cancelled();
        let executor = services.executor(&cancel);
        let mut columns = Columns { problems: cases.len() as u64, progress: &progress, all: Vec::new() };
        for (choice, nodes) in &solvers {
            progress.message(choice.name());
            let done = |done: usize| progress.set_part_done(done as u64);
            let results = solve_all(choice, &cases, *nodes, &executor, threads, &done)?;
            columns.add(choice.name(), *nodes, results, context)?;
        }
        for engine in &engines {
            progress.message(engine.name());
            let results = engine.solve_all(&cases, config.nodes, &executor, threads, &progress)?;
            columns.add(engine.name().to_string(), config.nodes, results, context)?;
        }
        Ok(columns.compare(config))
    }

    fn view(config: &Config, compared: &Compared) -> View {
        compared.view(config.rules)
    }

    fn headline(_: &Config, compared: &Compared) -> Headline {
        Headline::text(format!("{} on {}", counted(compared.rows.len(), "solver"), compared.suite))
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        View::new().text(format!("{} problems tried so far\n", events.len()))
    }

    fn page(
        config: &Config,
        output: Option<&Compared>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let view =
            output.map_or_else(|| MateTable::partial_view(config, &events), |output| MateTable::view(config, output));
        Ok(view.figure(nodes_by_length(&events)).figure(solved_by_solver(&events)))
    }

    fn rows(_: &Config) -> Rows {
        Rows { event: "problem", columns: &["solver", "id", "moves", "mate", "best", "nodes", "verdict"] }
    }
}

/// The solvers in the order in which they were tried.
fn solvers_of(events: &[Event]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for Event::Problem(tried) in events {
        if !names.contains(&tried.solver.as_str()) {
            names.push(&tried.solver);
        }
    }
    names
}

/// What each solver needs for mates of each length: powers of ten, because they differ so much.
fn nodes_by_length(events: &[Event]) -> Figure {
    let line = |solver: &str| {
        let mut sums: BTreeMap<u8, (f64, f64)> = BTreeMap::new();
        for Event::Problem(tried) in events.iter().filter(|Event::Problem(tried)| tried.solver == solver) {
            let (sum, count) = sums.entry(tried.solved.moves).or_default();
            (*sum, *count) = (*sum + tried.solved.nodes as f64, *count + 1.0);
        }
        let point = |(moves, (sum, count)): (u8, (f64, f64))| [f64::from(moves), (sum / count).max(1.0).log10()];
        Line::new(solver, sums.into_iter().map(point).collect())
    };
    Figure::Lines(Lines {
        title: "Nodes to solve a mate, the mean of all problems".to_string(),
        x: "mate in".to_string(),
        y: "nodes, as a power of ten".to_string(),
        lines: solvers_of(events).into_iter().map(line).collect(),
    })
}

fn solved_by_solver(events: &[Event]) -> Figure {
    let count = |solver: &str| {
        let found = |Event::Problem(tried): &&Event| tried.solver == solver && tried.solved.mate.is_some();
        events.iter().filter(found).count() as f64
    };
    let bars = solvers_of(events).into_iter().map(|solver| Bar::new(solver, count(solver))).collect();
    Figure::Bars(Bars { title: "Mates found".to_string(), unit: "problems".to_string(), bars })
}

/// The results of all solvers on the same problems.
struct Columns<'a> {
    problems: u64,
    progress: &'a Progress,
    /// Names, node limits and results.
    all: Vec<(String, u64, Vec<Solved>)>,
}

impl Columns<'_> {
    /// Adds the results of a solver and stores them.
    fn add(
        &mut self,
        solver: String,
        limit: u64,
        results: Vec<Solved>,
        context: &mut Context<MateTable>,
    ) -> Result<(), RunError> {
        for solved in &results {
            context.record(Event::Problem(Tried { solver: solver.clone(), solved: solved.clone() }))?;
        }
        self.progress.finish_part(self.problems);
        self.all.push((solver, limit, results));
        Ok(())
    }

    /// The table of the problems that no solver has excluded.
    fn compare(self, config: &Config) -> Compared {
        let excluded: Vec<ExcludedProblem> = self
            .all
            .iter()
            .flat_map(|(solver, _, results)| {
                results.iter().filter(|solved| solved.verdict == Judged::Excluded).map(|solved| ExcludedProblem {
                    id: solved.id.clone(),
                    solver: solver.clone(),
                    failure: solved.failure.clone().unwrap_or_default(),
                })
            })
            .collect();
        let places = |results: &[Solved]| -> Vec<usize> {
            let is_excluded = |place: &usize| results[*place].verdict == Judged::Excluded;
            (0..results.len()).filter(is_excluded).collect()
        };
        let left_out: BTreeSet<usize> = self.all.iter().flat_map(|(_, _, results)| places(results)).collect();
        let costs = |(solver, limit, results): (String, u64, Vec<Solved>)| {
            let counted = results.into_iter().enumerate().filter(|(place, _)| !left_out.contains(place));
            let cost = |solved: &Solved| if solved.is_solved() { solved.nodes } else { limit };
            (solver, counted.map(|(_, solved)| Solved { nodes: cost(&solved), ..solved }).collect())
        };
        let all: Vec<(String, Vec<Solved>)> = self.all.into_iter().map(costs).collect();
        let row = |(solver, costs): &(String, Vec<Solved>)| Row { solver: solver.clone(), lengths: by_length(costs) };
        Compared {
            suite: config.suite.0.name.clone(),
            nodes: config.nodes,
            exhaustive_nodes: config.exhaustive_nodes,
            rows: all.iter().map(row).collect(),
            pairs: pairs(&all),
            excluded,
        }
    }
}

/// The evolved program with each other solver, by the length of the mate.
fn pairs(all: &[(String, Vec<Solved>)]) -> Vec<Pair> {
    let Some((_, ours)) = all.iter().find(|(solver, _)| solver == EVOLVED) else { return Vec::new() };
    let mut pairs = Vec::new();
    for (solver, theirs) in all.iter().filter(|(solver, _)| solver != EVOLVED) {
        let mut logarithms: BTreeMap<u8, Vec<f64>> = BTreeMap::new();
        for (ours, theirs) in ours.iter().zip(theirs) {
            let ratio = ours.nodes.max(1) as f64 / theirs.nodes.max(1) as f64;
            logarithms.entry(ours.moves).or_default().push(ratio.ln());
        }
        pairs.extend(logarithms.into_iter().map(|(moves, all)| {
            let ratio = (all.iter().sum::<f64>() / all.len() as f64).exp();
            // Logarithms may differ in the last digit between machines.
            Pair { solver: solver.clone(), moves, ratio: (ratio * 1e4).round() / 1e4 }
        }));
    }
    pairs
}

impl Compared {
    fn view(&self, rules: Rules) -> View {
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
        let view = View::new()
            .text(format!(
                "Nodes to solve mates, the mean of all problems (mate paper, Table 2)\n'{}', at most {} nodes per \
                 problem, exhaustive {}\n\n",
                self.suite,
                thousands(self.nodes),
                thousands(self.exhaustive_nodes)
            ))
            .table(Table::new(&headings, ours.chain(paper)))
            .text(format!("\n{}\n{}{}", rules.words(), self.exclusions(), self.comparison()));
        // Earlier versions did not store them.
        if self.pairs.is_empty() { view } else { view.text(PAIRS).table(self.pair_table(&lengths, &headings)) }
    }

    /// The evolved program's share of each other solver's nodes.
    fn pair_table(&self, lengths: &[u8], headings: &[String]) -> Table {
        let mut solvers: Vec<&str> = self.pairs.iter().map(|pair| pair.solver.as_str()).collect();
        solvers.dedup();
        let ratio = |solver: &str, moves: u8| {
            let pair = self.pairs.iter().find(|pair| pair.solver == solver && pair.moves == moves);
            pair.map_or(Cell::from(""), |pair| Cell::Number(pair.ratio, 2))
        };
        let rows = solvers.into_iter().map(|solver| {
            let ratios = lengths.iter().map(|&moves| ratio(solver, moves));
            std::iter::once(Cell::from(solver)).chain(ratios).collect()
        });
        Table::new(headings, rows)
    }

    /// Names the problems that no row counts, if there are any.
    fn exclusions(&self) -> String {
        if self.excluded.is_empty() {
            return String::new();
        }
        let name = |excluded: &ExcludedProblem| format!("{} ({})", excluded.id, excluded.solver);
        let names: Vec<String> = self.excluded.iter().map(name).collect();
        format!("Excluded from all rows, because an engine failed on them: {}.\n", names.join(", "))
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
