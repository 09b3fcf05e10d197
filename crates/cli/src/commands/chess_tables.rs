//! `plysmith reproduce table4.7` and `table4.8`: Gradual Focus on chess (thesis section 4.2), our numbers beside the
//! thesis's.
//!
//! Each table is a discovery over its own Base set, and the features that the thesis names, measured on the same suite.
//! The thesis counted on 102 positions of a public suite that its bare search did not solve; with `suite select` such a
//! suite can be cut from any other.

use plysmith_core::depth::Weight;
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use super::discover::{self, Discovery, base_set, blacklist, evolve};
use super::experiment::Finding;
use super::measure::MEASUREMENT;
use crate::failure::Failure;
use crate::output::{table, thousands};
use crate::progress;
use crate::workbench::{Experiment, Workbench};

/// One of the two tables: what it begins with, and what the thesis prints.
pub struct ChessTable {
    title: &'static str,
    base: &'static [&'static str],
    thesis: &'static [(&'static str, u32)],
}

/// The features found, without what has to do with recaptures but `Rc` itself.
pub const TABLE_4_7: ChessTable = ChessTable {
    title: "Gradual Focus in chess (thesis Table 4.7)",
    base: &["Pc*", "Ac*", "Rc", "Rd*"],
    thesis: &[
        ("AcK", 44),
        ("PcK", 29),
        ("Rc-Rdb", 26),
        ("Rc", 24),
        ("RdTt", 17),
        ("PcQ-Rdt", 17),
        ("RdBb", 15),
        ("Rdt", 15),
        ("PcN-RdTb", 12),
        ("AcR", 11),
    ],
};

/// What stands for a recapture when `Rc` is not given; the last two are from the text below the table.
pub const TABLE_4_8: ChessTable = ChessTable {
    title: "Recaptures in chess (thesis Table 4.8)",
    base: &["Cc*", "Lc*"],
    thesis: &[
        ("Rc", 24),
        ("CcR-LcR", 15),
        ("CcB-LcB", 14),
        ("CcR", 13),
        ("CcB", 11),
        ("CcN-LcN", 11),
        ("(CcB-LcB)|(CcN-LcN)|(CcR-LcR)", 21),
        ("(CcB-LcB)|(CcR-LcR)", 26),
    ],
};

/// The thesis's parameters.
const EPSILON: u32 = 0;
const TOP: usize = 10;

/// A table beside the thesis's one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChessResult {
    pub title: String,
    pub problems: usize,
    pub neutral: u32,
    pub evaluations: usize,
    pub nodes: u64,
    /// By problems solved.
    pub rows: Vec<ChessRow>,
}

/// A feature.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChessRow {
    pub feature: String,
    pub solved: u32,
    pub thesis: Option<u32>,
    /// Whether Gradual Focus has it in its output.
    pub found: bool,
}

impl ChessTable {
    /// Discovers, then measures what the thesis names and the discovery did not.
    pub fn reproduce(
        &self,
        experiment: &Experiment,
        workbench: &mut Workbench,
        progress: &Progress,
    ) -> Result<ChessResult, Failure> {
        let discovery = self.discover(experiment, workbench, progress)?;
        let mut rows: Vec<ChessRow> = discovery
            .output
            .iter()
            .filter(|evaluation| evaluation.finding.feature != "Neutral")
            .take(TOP)
            .map(|evaluation| ChessRow {
                feature: evaluation.finding.feature.clone(),
                solved: evaluation.finding.solved.unwrap_or(0),
                thesis: None,
                found: true,
            })
            .collect();
        let vocabulary = workbench.features.vocabulary;
        for &(text, solved) in self.thesis {
            let scheme = vocabulary.parse_scheme(text, Weight::HALF)?;
            let name =
                scheme.features().first().map_or(String::new(), |(feature, _)| vocabulary.print_feature(feature));
            if let Some(row) = rows.iter_mut().find(|row| row.feature == name) {
                row.thesis = Some(solved);
                continue;
            }
            progress.message(format!("the thesis's {name}"));
            let measurement = workbench.measure(&scheme, None, progress)?;
            workbench.record(MEASUREMENT, &Finding::new(name.clone(), &measurement, workbench.lab.suite()))?;
            let found = discovery.output.iter().any(|evaluation| evaluation.finding.feature == name);
            rows.push(ChessRow { feature: name, solved: measurement.solved(), thesis: Some(solved), found });
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.solved));
        let Discovery { problems, neutral, evaluations, nodes, .. } = discovery;
        Ok(ChessResult { title: self.title.to_string(), problems, neutral, evaluations, nodes, rows })
    }

    fn discover(
        &self,
        experiment: &Experiment,
        workbench: &mut Workbench,
        progress: &Progress,
    ) -> Result<Discovery, Failure> {
        let patterns: Vec<String> = self.base.iter().map(ToString::to_string).collect();
        let config = discover::Config {
            experiment: experiment.clone(),
            weight: Weight::HALF.to_string(),
            epsilon: EPSILON,
            pruning: Pruning::Groups.to_string(),
            delta: None,
            base: base_set(&workbench.features, &patterns)?,
            blacklist: blacklist(&workbench.features, &[])?,
            most_atoms: None,
            exact: false,
            top: TOP,
            follow_up: None,
        };
        evolve(&config, workbench, progress, "")
    }
}

impl ChessResult {
    /// For people.
    pub fn text(&self, conditions: &str) -> String {
        let cells = self.rows.iter().map(|row| {
            vec![
                if row.found { "*" } else { "" }.to_string(),
                row.feature.clone(),
                row.solved.to_string(),
                row.thesis.map_or("–".to_string(), |solved| solved.to_string()),
            ]
        });
        format!(
            "{}\n{conditions}\n\n{}\n* in the output of Gradual Focus ({} evaluations, {} nodes). Neutral solves {} of {}; in \
             the thesis\nit solves none of 102, because of the way they were chosen.\n",
            self.title,
            table(&["", "feature", ">solved", ">thesis"], cells),
            self.evaluations,
            thousands(self.nodes),
            self.neutral,
            self.problems,
        )
    }
}
