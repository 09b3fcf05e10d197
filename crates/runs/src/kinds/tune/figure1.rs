//! Figure 1 of *Learning Control of Search Extensions*: four move classes tuned by gradient descent.
//!
//! The paper tuned four move classes of Crafty on the 879 positions of a public suite. Here the built-in chess engine
//! is tuned on these classes, or another engine on what it offers: under every policy that counts nodes to the solution,
//! side by side, or under one of them. With one policy the run is stored as a tuning.

use std::path::PathBuf;

use plysmith_core::games;
use plysmith_core::parameter::{Parameter, Thousandths};
use plysmith_engine::driver::Policy;
use plysmith_learn::tune::kind::OptimiserKind;
use serde::{Deserialize, Serialize};

use super::files::CHARTS;
use super::{
    Choice, Config, Event, Files, IterationRow, LearningOptions, Report, Session, Start, Totals, Tuned,
    feature_parameters, iteration_rows, learn, view,
};
use crate::basis::Part;
use crate::chart::{Chart, Series};
use crate::error::RunError;
use crate::experiment::Experiment;
use crate::files::write_file;
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::services::Services;
use crate::solution_policy::SolutionPolicy;
use crate::view::{Cell, Table, View, thousands};

/// The run kind: Figure 1 under several policies.
pub struct Figure1;

/// A tuning for each policy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoliciesConfig {
    /// Equal but for the policy. None of them writes files.
    pub tunings: Vec<Config>,
    /// Where the charts are written.
    #[serde(default, skip_serializing_if = "Files::are_none")]
    pub files: Files,
}

/// The figure under several policies.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoliciesResult {
    /// One for each policy.
    pub tunings: Vec<Tuned>,
}

/// A move class of the paper.
struct MoveClass {
    /// Our feature for it.
    feature: &'static str,
    /// What mappings of other engines call it.
    aliases: &'static [&'static str],
    /// The paper's name.
    name: &'static str,
    /// The weight that the paper learned (section 4).
    weight: &'static str,
}

const CLASSES: [MoveClass; 4] = [
    MoveClass { feature: "AcK", aliases: &["check"], name: "check", weight: "0.10" },
    MoveClass { feature: "Fr", aliases: &["single-reply", "forced-reply"], name: "forced reply", weight: "0.77" },
    MoveClass { feature: "Pp", aliases: &["passed-pawn"], name: "passed-pawn push", weight: "0.96" },
    MoveClass { feature: "Rc", aliases: &["recapture"], name: "recapture", weight: "0.89" },
];

/// What the paper prints (section 4). Its shares are cut off, not rounded.
const PAPER_NODES: [&str; 2] = ["310 million", "229 million"];
const PAPER_RELATIVE: &str = "73 %";
const PAPER_SOLVED: [&str; 2] = ["39 % (346)", "57 % (508)"];
const PAPER_PROBLEMS: u32 = 879;
/// The paper's node limit for each problem.
pub const PAPER_NODES_A_PROBLEM: u64 = 500_000;
/// The paper's learning rate, which stays as it is, and how far it moves weights.
const PAPER_MU: f64 = 1.0;
const PAPER_DELTA: Thousandths = Thousandths(150);

/// The game of the figure.
pub const GAME: &str = "chess";

/// What can be changed about the experiment. The default is the paper's.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure1Options {
    /// The optimiser.
    pub optimiser: OptimiserKind,
    /// Number of iterations at most. The paper's curves are flat after twelve.
    pub iterations: u32,
    /// Percentage of problems that are held out. The paper held out none.
    pub holdout: u32,
}

impl Default for Figure1Options {
    fn default() -> Figure1Options {
        Figure1Options { optimiser: OptimiserKind::PrintedGradient, iterations: 12, holdout: 0 }
    }
}

/// The weights of the built-in engine for the paper's move classes.
pub fn paper_parameters() -> Result<Vec<Parameter>, RunError> {
    feature_parameters(games::find(GAME)?, &CLASSES.map(|class| class.feature).join(","))
}

/// The tuning of the figure under one policy, and the files of its charts. Nothing about it follows the defaults of `tune`.
pub fn config(
    experiment: Experiment,
    parameters: Vec<Parameter>,
    options: &Figure1Options,
    policy: SolutionPolicy,
    files: Files,
) -> Result<Config, RunError> {
    let Figure1Options { optimiser, iterations, holdout } = *options;
    let learning = LearningOptions {
        optimiser,
        iterations,
        patience: None,
        holdout,
        choice: Choice::Training,
        start: Start::Parameters,
        policy,
        delta: PAPER_DELTA,
        // Other optimisers have a rate of their own.
        mu: is_gradient(optimiser).then_some(PAPER_MU),
        decreasing: false,
        fitness: None,
        graded: None,
    };
    Ok(Config { report: Report::Figure1, files, ..Config::new(experiment, parameters, &learning)? })
}

fn is_gradient(optimiser: OptimiserKind) -> bool {
    matches!(optimiser, OptimiserKind::Gradient | OptimiserKind::PrintedGradient)
}

/// The tunings of the figure under every policy, and the files of the charts.
pub fn policies_config(
    experiment: &Experiment,
    parameters: &[Parameter],
    options: &Figure1Options,
    files: Files,
) -> Result<PoliciesConfig, RunError> {
    let tunings = Policy::TO_SOLUTION.map(|policy| {
        let policy = SolutionPolicy::Watched(policy);
        config(experiment.clone(), parameters.to_vec(), options, policy, Files::default())
    });
    Ok(PoliciesConfig { tunings: tunings.into_iter().collect::<Result<_, _>>()?, files })
}

impl MoveClass {
    fn is_called(&self, name: &str) -> bool {
        self.feature == name || self.aliases.contains(&name)
    }
}

impl RunKind for Figure1 {
    const NAME: &'static str = "figure1";
    type Config = PoliciesConfig;
    type Event = Event;
    type Output = PoliciesResult;
    type Prepared = Vec<Session>;

    fn identity(config: &PoliciesConfig) -> Identity {
        let first = config.tunings.first().map(|config| config.experiment.identity());
        first.unwrap_or(Identity { game: GAME.to_string(), seed: 0 })
    }

    fn basis(config: &PoliciesConfig) -> Vec<Part> {
        config.tunings.first().map_or(vec![Part::Search], |config| config.experiment.basis())
    }

    fn validate(config: &PoliciesConfig) -> Result<(), RunError> {
        config.tunings.iter().try_for_each(|config| config.experiment.validate())
    }

    fn check(config: &PoliciesConfig, _: &Services) -> Result<(), RunError> {
        config.files.check()
    }

    fn prepare(config: &PoliciesConfig, services: &Services) -> Result<Vec<Session>, RunError> {
        config.tunings.iter().map(|tuning| Session::open(tuning, services)).collect()
    }

    fn run(
        config: &PoliciesConfig,
        sessions: Vec<Session>,
        context: &mut Context<Figure1>,
    ) -> Result<PoliciesResult, RunError> {
        let mut tunings = Vec::new();
        for (tuning, mut session) in config.tunings.iter().zip(sessions) {
            context.services().note(format!("policy {}:", tuning.policy()?));
            tunings.push(learn(tuning, &mut session, context)?);
        }
        Ok(PoliciesResult { tunings })
    }

    fn write_files(config: &PoliciesConfig, result: &PoliciesResult) -> Result<Vec<PathBuf>, RunError> {
        let Some(folder) = &config.files.charts else { return Ok(Vec::new()) };
        let weights = result.tunings.iter().map(|tuned| {
            let [_, weights] = tuned.charts();
            (format!("weights-{}.svg", tuned.policy), weights)
        });
        let all = std::iter::once((CHARTS[0].to_string(), result.chart())).chain(weights);
        all.map(|(name, chart)| {
            let path = folder.join(name);
            write_file(&path, &chart.svg(), config.files.force)?;
            Ok(path)
        })
        .collect()
    }

    fn view(_: &PoliciesConfig, result: &PoliciesResult) -> View {
        result.view()
    }

    fn headline(_: &PoliciesConfig, result: &PoliciesResult) -> Headline {
        let headlines = result.tunings.iter().map(Tuned::headline);
        let best = headlines.min_by(|a, b| a.value.unwrap_or(0.0).total_cmp(&b.value.unwrap_or(0.0)));
        best.unwrap_or_default()
    }

    fn partial_view(config: &PoliciesConfig, events: &[Event]) -> View {
        let rows = events.iter().filter_map(|event| match event {
            Event::Iteration(row) => Some(row),
            Event::Probe(_) | Event::Game(_) => None,
        });
        config.tunings.first().map_or(View::new(), |tuning| view::partial(tuning, rows))
    }

    fn rows(config: &PoliciesConfig) -> Rows {
        iteration_rows(config.tunings.first().map(|tuning| tuning.procedure).unwrap_or_default())
    }
}

impl PoliciesResult {
    /// The figure: nodes and solved problems by iteration, a column and a series for each policy, and the weights next to
    /// the paper's.
    fn view(&self) -> View {
        let Some(first) = self.tunings.first() else { return View::new() };
        let mut title = format!(
            "Four move classes tuned on {} ({} nodes per problem, {}), under each policy:\n\n",
            first.suite,
            thousands(first.nodes_a_problem),
            first.preset,
        );
        for tuned in &self.tunings {
            title += &format!("{}\n", tuned.policy.explained());
        }
        let mut headings = vec![">iteration".to_string()];
        for tuned in &self.tunings {
            headings.extend([format!(">nodes ({})", tuned.policy), ">relative".to_string(), ">solved".to_string()]);
        }
        let longest = self.tunings.iter().map(|tuned| tuned.iterations.len()).max().unwrap_or(0);
        let rows = (0..longest).map(|place| {
            let mut cells = vec![Cell::Text((place + 1).to_string())];
            for tuned in &self.tunings {
                let row = tuned.iterations.get(place);
                cells.push(Cell::count(row.map(|row| row.nodes)));
                cells.push(Cell::percent(row.map(|row| row.relative)));
                cells.push(Cell::percent(row.map(IterationRow::solved_share)));
            }
            cells
        });
        let table = Table::new(&headings, rows);
        let all: Vec<_> = self.tunings.iter().collect();
        View::new().text(title + "\n").table(table).text("\n").chart(self.chart()).view(comparison(&all))
    }

    /// Nodes relative to the start and solved problems, a series for each policy.
    fn chart(&self) -> Chart {
        let by = |tuned: &Tuned, value: fn(&IterationRow) -> f64| -> Vec<f64> {
            tuned.iterations.iter().map(|row| 100.0 * value(row)).collect()
        };
        let nodes =
            self.tunings.iter().map(|one| Series::new(format!("nodes, {}", one.policy), by(one, |row| row.relative)));
        let solved = self
            .tunings
            .iter()
            .map(|one| Series::dotted(format!("solved, {}", one.policy), by(one, IterationRow::solved_share)));
        Chart {
            title: "Problems solved, and nodes relative to the start, by policy".into(),
            unit: "%".into(),
            series: nodes.chain(solved).collect(),
        }
    }
}

/// The share of problems solved, and their number.
fn solved(totals: &Totals) -> Cell {
    format!("{:.1} % ({})", 100.0 * totals.share(), totals.solved).into()
}

/// Tunings next to the paper's numbers.
pub fn comparison(tunings: &[&Tuned]) -> View {
    let row = |name: &str, here: &dyn Fn(&Tuned) -> Cell, paper: Cell| {
        let here = tunings.iter().map(|tuned| here(tuned));
        std::iter::once(name.into()).chain(here).chain([paper]).collect::<Vec<Cell>>()
    };
    let mut rows = vec![
        row("nodes at the start", &|one| Cell::Count(one.training.start.nodes), PAPER_NODES[0].into()),
        row("nodes in the end", &|one| Cell::Count(one.training.tuned.nodes), PAPER_NODES[1].into()),
        row("relative", &|one| Cell::Percent(1.0 + one.training.change), PAPER_RELATIVE.into()),
        row("solved at the start", &|one| solved(&one.training.start), PAPER_SOLVED[0].into()),
        row("solved in the end", &|one| solved(&one.training.tuned), PAPER_SOLVED[1].into()),
    ];
    let value = |one: &Tuned, name: &str| {
        let found = one.weights.iter().find(|weight| weight.name == name);
        found.map_or(Cell::Missing, |weight| weight.value.to_string().into())
    };
    let names: Vec<&str> =
        tunings.first().map_or(Vec::new(), |one| one.weights.iter().map(|weight| weight.name.as_str()).collect());
    for class in &CLASSES {
        let tuned = names.iter().copied().find(|name| class.is_called(name)).unwrap_or(class.feature);
        rows.push(row(&format!("{} ({tuned})", class.name), &|one| value(one, tuned), class.weight.into()));
    }
    for name in names.iter().copied().filter(|name| !CLASSES.iter().any(|class| class.is_called(name))) {
        rows.push(row(name, &|one| value(one, name), Cell::Missing));
    }
    let title = format!(
        "\nFigure 1 of 'Learning Control of Search Extensions': training problems here, all {PAPER_PROBLEMS} positions and \
         another engine there\n\n"
    );
    let mut headings = vec![String::new()];
    match tunings {
        [_] => headings.push(">here".to_string()),
        several => headings.extend(several.iter().map(|tuned| format!(">here ({})", tuned.policy))),
    }
    headings.push(">paper".to_string());
    View::new().text(title).table(Table::new(&headings, rows))
}
