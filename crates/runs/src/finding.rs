//! A measurement in a table: one row for each feature or scheme.

use std::collections::HashSet;

use plysmith_core::problem::{Criterion, Suite};
use plysmith_engine::measurement::Measurement;
use plysmith_learn::stats::PairedCounts;
use serde::{Deserialize, Serialize};

use crate::kind::Rows;
use crate::solution_policy::SolutionPolicy;
use crate::view::{Cell, Table, View, percents, thousands};

/// What a measurement says of a feature, as it is stored and printed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The feature or scheme.
    pub feature: String,
    /// Problems solved; none if the measurement stopped early.
    pub solved: Option<u32>,
    /// Problems in which the right move was on top at the end, proven or not. Only where solving a problem takes a proof,
    /// and where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_moves: Option<u32>,
    /// Problems tried.
    pub tried: usize,
    /// Nodes in all.
    pub nodes: u64,
    /// Mean depth of the deepest finished iteration.
    pub mean_depth: f64,
    /// Mean length of the longest line.
    pub mean_height: f64,
    /// The share of moves whose cost each feature of the scheme decided.
    pub frequencies: Vec<f64>,
    /// The names of the solved problems.
    pub solved_ids: Vec<String>,
    /// Problems that are excluded because an external engine fails at them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<Exclusion>,
    /// When a problem counted as solved, and which nodes count; none in runs of versions that did not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SolutionPolicy>,
}

/// A problem that is not scored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Exclusion {
    /// The problem's name.
    pub id: String,
    /// Why, with everything needed to reproduce it.
    pub failure: String,
}

/// The fields of a stored finding that make a table.
const COLUMNS: &[&str] = &["feature", "solved", "tried", "nodes", "mean_depth", "mean_height", "frequencies", "policy"];

impl Finding {
    /// Column headings for [`Finding::cells`].
    pub fn headings(policy: Option<SolutionPolicy>) -> Vec<String> {
        let nodes = policy.map_or("nodes".to_string(), SolutionPolicy::nodes_heading);
        ["feature", ">solved", &format!(">{nodes}"), ">depth", ">height", ">frequency"].map(str::to_string).to_vec()
    }

    /// Summarises a measurement of a suite.
    pub fn new(feature: String, measurement: &Measurement, suite: &Suite) -> Finding {
        let attempts = measurement.attempts.iter().zip(&suite.problems);
        Finding {
            feature,
            solved: measurement.is_complete().then(|| measurement.solved()),
            best_moves: None,
            tried: measurement.attempts.len(),
            nodes: measurement.nodes(),
            mean_depth: measurement.mean_depth(),
            mean_height: measurement.mean_height(),
            frequencies: measurement.frequencies(),
            policy: None,
            excluded: measurement
                .excluded()
                .filter_map(|(index, failure)| {
                    Some(Exclusion { id: suite.problems.get(index)?.id.clone(), failure: failure.to_string() })
                })
                .collect(),
            solved_ids: attempts.filter(|(attempt, _)| attempt.solved).map(|(_, problem)| problem.id.clone()).collect(),
        }
    }

    /// This finding with the number of best moves, where solving takes a proof.
    #[must_use]
    pub fn with_best_moves(self, measurement: &Measurement, suite: &Suite) -> Finding {
        let takes_proof = suite.problems.iter().any(|problem| problem.criterion == Criterion::Proven);
        let best_moves = measurement.best_moves().filter(|_| takes_proof && measurement.is_complete());
        Finding { best_moves, ..self }
    }

    /// How it did against another on the problems that neither excludes; none if one was not measured on all of them.
    pub fn against(&self, other: &Finding) -> Option<PairedCounts> {
        self.solved.and(other.solved)?;
        let excluded: HashSet<&str> =
            self.excluded.iter().chain(&other.excluded).map(|exclusion| exclusion.id.as_str()).collect();
        let solved_of = |finding: &Finding| -> HashSet<String> {
            finding.solved_ids.iter().filter(|id| !excluded.contains(id.as_str())).cloned().collect()
        };
        let (mine, others) = (solved_of(self), solved_of(other));
        Some(PairedCounts {
            problems: self.tried.saturating_sub(excluded.len()) as u64,
            first_only: mine.difference(&others).count() as u64,
            second_only: others.difference(&mine).count() as u64,
        })
    }

    /// A row for a table.
    pub fn cells(&self) -> Vec<Cell> {
        let solved = self
            .solved
            .map_or_else(|| format!("({} of {} tried)", self.solved_ids.len(), self.tried), |n| n.to_string());
        let solved =
            if self.excluded.is_empty() { solved } else { format!("{solved} ({} excluded)", self.excluded.len()) };
        vec![
            self.feature.clone().into(),
            solved.into(),
            Cell::Count(self.nodes),
            Cell::Number(self.mean_depth, 2),
            Cell::Number(self.mean_height, 2),
            if self.frequencies.is_empty() { Cell::Missing } else { percents(&self.frequencies).into() },
        ]
    }
}

/// The table of findings.
pub fn findings_table<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Table {
    let findings: Vec<&Finding> = findings.into_iter().collect();
    let mut headings = Finding::headings(findings.first().and_then(|finding| finding.policy));
    if findings.iter().all(|finding| finding.best_moves.is_none()) {
        return Table::new(&headings, findings.into_iter().map(Finding::cells));
    }
    headings[1] = ">proven".to_string();
    headings.insert(2, ">best move".to_string());
    let rows = findings.into_iter().map(|finding| {
        let mut cells = finding.cells();
        cells.insert(2, Cell::count(finding.best_moves.map(u64::from)));
        cells
    });
    Table::new(&headings, rows)
}

/// What there is of an unfinished run that measures features.
pub fn partial_findings<'a>(findings: impl ExactSizeIterator<Item = &'a Finding>) -> View {
    let count = findings.len() as u64;
    View::new().text(format!("{} measurements so far:\n\n", thousands(count))).table(findings_table(findings))
}

/// The rows of a run whose events of this kind are findings. Runs of versions that did not name the policy have no column
/// for it.
pub fn finding_rows(event: &'static str, policy: Option<SolutionPolicy>) -> Rows {
    let columns = if policy.is_some() { COLUMNS } else { &COLUMNS[..COLUMNS.len() - 1] };
    Rows { event, columns }
}

/// Names the problems that are excluded for any of these, if there are any.
pub fn exclusions<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let mut ids: Vec<&str> = Vec::new();
    for exclusion in findings.into_iter().flat_map(|finding| &finding.excluded) {
        if !ids.contains(&exclusion.id.as_str()) {
            ids.push(&exclusion.id);
        }
    }
    match ids.is_empty() {
        true => String::new(),
        false => {
            format!(
                "Excluded from all results, because the engine failed on them for some candidates: {}.\n",
                ids.join(", ")
            )
        }
    }
}

/// What the two counts of solved problems mean, if there are two.
pub fn meaning_of_columns(findings: &[Finding]) -> &'static str {
    match findings.iter().any(|finding| finding.best_moves.is_some()) {
        true => PROVEN_AND_BEST_MOVE,
        false => "",
    }
}

/// What the two counts of solved problems mean.
pub const PROVEN_AND_BEST_MOVE: &str = "\nproven: the right move with a score that says it wins by force, which is what solved means on this suite.\n\
    best move: the right move was on top when the search ended, proven or not.\n";
