//! `plysmith reproduce figure1`: the paper's learning experiment, our numbers beside its own.
//!
//! The paper tuned four move classes of Crafty on the 879 positions of a public suite. Here they are the same four classes
//! of the built-in chess engine.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, value_parser};
use plysmith_core::games;

use super::tune::{FilesArguments, LearningArguments, Tuned};
use super::{subject, tune};
use crate::failure::Failure;
use crate::output::{Output, percent, table, thousands};
use crate::workbench::Experiment;

/// Section 4: the classes, as features, and what the paper learned for each.
const PAPER_WEIGHTS: [(&str, &str, &str); 4] = [
    ("AcK", "check", "0.10"),
    ("Fr", "forced reply", "0.77"),
    ("Pp", "passed-pawn push", "0.96"),
    ("Rc", "recapture", "0.89"),
];
/// Nodes in millions, and solved of 879, before and after.
const PAPER_NODES: (u64, u64) = (310, 229);
const PAPER_SOLVED: (u32, u32) = (346, 508);
const PAPER_PROBLEMS: u32 = 879;

const GAME: &str = "chess";
/// The paper's curves are flat after so many.
const ITERATIONS: u32 = 12;

/// What can be chosen about it.
#[derive(Debug, Args)]
pub struct FigureArguments {
    /// For figure1: which method [default: gradient]
    #[arg(long, value_name = "NAME")]
    optimiser: Option<String>,

    /// For figure1: how many iterations at most [default: 12]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    iterations: Option<u32>,

    /// For figure1: how many problems of a hundred are held out [default: 0, as in the paper]
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u32).range(0..=95))]
    holdout: Option<u32>,

    /// For figure1: when a search agrees: 'first', 'iteration' or 'stable' [default: first]
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,

    /// For figure1: write the two charts as SVG into this folder
    #[arg(long, value_name = "FOLDER")]
    charts: Option<PathBuf>,
}

impl FigureArguments {
    /// Nothing of it was asked for, or that is wrong.
    pub fn refuse(&self) -> Result<(), Failure> {
        let FigureArguments { optimiser, iterations, holdout, policy, charts } = self;
        let given = [
            ("--optimiser", optimiser.is_some()),
            ("--iterations", iterations.is_some()),
            ("--holdout", holdout.is_some()),
            ("--policy", policy.is_some()),
            ("--charts", charts.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::input(format!("{name} goes with figure1 only; leave it out"))),
            None => Ok(()),
        }
    }
}

/// Tunes, and stores it as a tuning.
pub fn run(
    experiment: Experiment,
    arguments: &FigureArguments,
    threads: Option<NonZeroUsize>,
    output: &Output,
) -> Result<(), Failure> {
    let features = PAPER_WEIGHTS.map(|(feature, ..)| feature).join(",");
    let parameters = subject::features(games::find(GAME)?, &features)?;
    let usual = LearningArguments::default();
    let learning = LearningArguments {
        optimiser: arguments.optimiser.clone().unwrap_or(usual.optimiser),
        iterations: arguments.iterations.unwrap_or(ITERATIONS),
        holdout: arguments.holdout.unwrap_or(0),
        policy: arguments.policy.clone(),
        ..LearningArguments::default()
    };
    let files = FilesArguments { charts: arguments.charts.clone(), force: true, ..FilesArguments::default() };
    let config = learning.config(experiment, parameters, files.resolve()?)?;
    tune::begin(&tune::Config { figure1: true, ..config }, threads, output)
}

/// Our numbers beside the paper's.
pub fn text(tuned: &Tuned) -> String {
    let of = |part: u32, all: u32| f64::from(part) / f64::from(all.max(1));
    let mut rows = vec![
        vec![
            "nodes at the start".to_string(),
            thousands(tuned.training.start.nodes),
            format!("{} million", PAPER_NODES.0),
        ],
        vec![
            "nodes in the end".to_string(),
            thousands(tuned.training.tuned.nodes),
            format!("{} million", PAPER_NODES.1),
        ],
        vec![
            "relative".to_string(),
            percent(1.0 + tuned.training.change),
            percent(PAPER_NODES.1 as f64 / PAPER_NODES.0 as f64),
        ],
        vec![
            "solved at the start".to_string(),
            percent(tuned.training.start.share()),
            percent(of(PAPER_SOLVED.0, PAPER_PROBLEMS)),
        ],
        vec![
            "solved in the end".to_string(),
            percent(tuned.training.tuned.share()),
            percent(of(PAPER_SOLVED.1, PAPER_PROBLEMS)),
        ],
    ];
    for (feature, class, paper) in PAPER_WEIGHTS {
        let value = tuned.weights.iter().find(|weight| weight.name == feature).map(|weight| weight.value.clone());
        rows.push(vec![format!("{class} ({feature})"), value.unwrap_or_default(), paper.to_string()]);
    }
    format!(
        "\nFigure 1 of 'Learning Control of Search Extensions': training problems here, all {PAPER_PROBLEMS} positions and \
         another engine there\n\n{}",
        table(&["", ">here", ">paper"], rows)
    )
}
