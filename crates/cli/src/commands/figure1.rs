//! `plysmith reproduce figure1`: the paper's learning experiment, our numbers beside its own.
//!
//! The paper tuned four move classes of Crafty on the 879 positions of a public suite. Here they are the same four classes
//! of the built-in chess engine.

use plysmith_core::games;

use super::subject;
use super::tune::{Config, LearningArguments, Tuned};
use crate::failure::Failure;
use crate::output::{percent, table, thousands};
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

/// The tuning, with the learning that was asked for.
pub fn config(experiment: Experiment, learning: &LearningArguments) -> Result<Config, Failure> {
    let features = PAPER_WEIGHTS.map(|(feature, ..)| feature).join(",");
    let parameters = subject::features(games::find(GAME)?, &features)?;
    Ok(Config { figure1: true, ..learning.config(experiment, parameters, Default::default())? })
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
