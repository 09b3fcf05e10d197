//! Figure 1 of *Learning Control of Search Extensions*: four move classes tuned by gradient descent.
//!
//! The paper tuned four move classes of Crafty on the 879 positions of a public suite. Here the built-in chess engine
//! is tuned on these classes. The run is stored as a tuning.

use std::path::Path;

use plysmith_core::games;
use plysmith_learn::tune::kind::OptimiserKind;

use super::{Config, Files, LearningOptions, Report, SolutionPolicy, Tuned, feature_parameters};
use crate::error::RunError;
use crate::experiment::Experiment;
use crate::view::{Cell, Table, View};

/// A move class of the paper.
struct MoveClass {
    /// Our feature for it.
    feature: &'static str,
    /// The paper's name.
    name: &'static str,
    /// The weight that the paper learned (section 4).
    weight: &'static str,
}

const CLASSES: [MoveClass; 4] = [
    MoveClass { feature: "AcK", name: "check", weight: "0.10" },
    MoveClass { feature: "Fr", name: "forced reply", weight: "0.77" },
    MoveClass { feature: "Pp", name: "passed-pawn push", weight: "0.96" },
    MoveClass { feature: "Rc", name: "recapture", weight: "0.89" },
];

/// The paper's nodes in millions, before and after.
const PAPER_NODES: (u64, u64) = (310, 229);
/// The paper's solved problems, before and after.
const PAPER_SOLVED: (u32, u32) = (346, 508);
const PAPER_PROBLEMS: u32 = 879;

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
    /// When a problem counts as solved.
    pub policy: SolutionPolicy,
}

impl Default for Figure1Options {
    fn default() -> Figure1Options {
        let LearningOptions { optimiser, policy, .. } = LearningOptions::default();
        Figure1Options { optimiser, iterations: 12, holdout: 0, policy }
    }
}

/// The tuning of the figure. Its charts are written into a folder, if one is given; existing ones are replaced only with
/// `force`.
pub fn config(
    experiment: Experiment,
    options: &Figure1Options,
    charts: Option<&Path>,
    force: bool,
) -> Result<Config, RunError> {
    let parameters = feature_parameters(games::find(GAME)?, &CLASSES.map(|class| class.feature).join(","))?;
    let Figure1Options { optimiser, iterations, holdout, policy } = *options;
    let learning = LearningOptions { optimiser, iterations, holdout, policy, ..LearningOptions::default() };
    let files = Files::new(None, charts, force)?;
    Ok(Config { report: Report::Figure1, files, ..Config::new(experiment, parameters, &learning)? })
}

/// A tuning next to the paper's numbers.
pub fn comparison(tuned: &Tuned) -> View {
    let of = |part: u32, all: u32| f64::from(part) / f64::from(all.max(1));
    let millions = |nodes: u64| Cell::Text(format!("{nodes} million"));
    let row = |name: &str, here: Cell, paper: Cell| vec![name.into(), here, paper];
    let (start, end) = (&tuned.training.start, &tuned.training.tuned);
    let mut rows = vec![
        row("nodes at the start", Cell::Count(start.nodes), millions(PAPER_NODES.0)),
        row("nodes in the end", Cell::Count(end.nodes), millions(PAPER_NODES.1)),
        row(
            "relative",
            Cell::Percent(1.0 + tuned.training.change),
            Cell::Percent(PAPER_NODES.1 as f64 / PAPER_NODES.0 as f64),
        ),
        row("solved at the start", Cell::Percent(start.share()), Cell::Percent(of(PAPER_SOLVED.0, PAPER_PROBLEMS))),
        row("solved in the end", Cell::Percent(end.share()), Cell::Percent(of(PAPER_SOLVED.1, PAPER_PROBLEMS))),
    ];
    for MoveClass { feature, name, weight } in CLASSES {
        let here = tuned.weights.iter().find(|weight| weight.name == feature).map(|weight| weight.value.to_string());
        rows.push(row(&format!("{name} ({feature})"), here.unwrap_or_default().into(), weight.into()));
    }
    let title = format!(
        "\nFigure 1 of 'Learning Control of Search Extensions': training problems here, all {PAPER_PROBLEMS} positions and \
         another engine there\n\n"
    );
    View::new().text(title).table(Table::new(&["", ">here", ">paper"], rows))
}
