//! Thesis Tables 4.7 and 4.8: Gradual Focus on chess (thesis section 4.2).
//!
//! Each table is a discovery over its own Base set, and the features that the thesis names, measured on the same suite.
//! The thesis counted on 102 positions of a public suite that its engine solved only with its known extensions; with
//! `suite select` such a suite can be cut from any other.

use std::cmp::Reverse;

use plysmith_core::depth::Weight;
use plysmith_engine::driver::Candidate;
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use super::{Event, Reproduce, papers_discovery};
use crate::error::RunError;
use crate::experiment::{Experiment, Session};
use crate::kind::Context;
use crate::kinds::discover::{self, Discovery, SolvedBy, base_set, blacklist, run_focus};
use crate::kinds::papers;
use crate::view::{Cell, Table, View, thousands};

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
    thesis: &papers::TABLE_4_7,
};

/// Features found in place of a recapture when `Rc` is not given; the last two are from the text below the table.
pub const TABLE_4_8: ChessTable =
    ChessTable { title: "Recaptures in chess (thesis Table 4.8)", base: &["Cc*", "Lc*"], thesis: &papers::TABLE_4_8 };

/// The thesis's parameters.
const EPSILON: i32 = 0;
const TOP: usize = 10;

/// A table next to the thesis's one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChessResult {
    /// Which table.
    pub title: String,
    /// Problems in the suite.
    pub problems: usize,
    /// Problems solved without features.
    pub neutral: u32,
    /// Features evaluated.
    pub evaluations: usize,
    /// Nodes in all.
    pub nodes: u64,
    /// By problems solved.
    pub rows: Vec<ChessRow>,
}

/// A feature.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChessRow {
    /// Its name.
    pub feature: String,
    /// Problems solved.
    pub solved: u32,
    /// Problems solved in the thesis.
    pub thesis: Option<u32>,
    /// Whether Gradual Focus has it in its output.
    pub found: bool,
}

impl ChessTable {
    /// Discovers, then measures what the thesis names and the discovery did not find.
    pub(super) fn reproduce(
        &self,
        experiment: &Experiment,
        session: &mut Session,
        context: &mut Context<Reproduce>,
    ) -> Result<ChessResult, RunError> {
        let discovery = self.discover(experiment, session, context)?;
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
        let vocabulary = session.features.vocabulary;
        let progress = context.services().begin_progress(self.thesis.len() as u64 * session.problems() as u64);
        for &(text, solved) in self.thesis {
            let scheme = vocabulary.parse_scheme(text, Weight::HALF)?;
            let name = scheme.rules().first().map_or(String::new(), |rule| vocabulary.print_feature(&rule.feature));
            if let Some(row) = rows.iter_mut().find(|row| row.feature == name) {
                row.thesis = Some(solved);
                continue;
            }
            progress.message(format!("the thesis's {name}"));
            let measurement = session.measure(&Candidate::Scheme(scheme), None, &progress, context.services())?;
            context.record(Event::Measurement(session.finding(name.clone(), &measurement)))?;
            let found = discovery.output.iter().any(|evaluation| evaluation.finding.feature == name);
            rows.push(ChessRow { feature: name, solved: measurement.solved(), thesis: Some(solved), found });
        }
        rows.sort_by_key(|row| Reverse(row.solved));
        let Discovery { problems, neutral, evaluations, nodes, .. } = discovery;
        Ok(ChessResult { title: self.title.to_string(), problems, neutral, evaluations, nodes, rows })
    }

    fn discover(
        &self,
        experiment: &Experiment,
        session: &mut Session,
        context: &mut Context<Reproduce>,
    ) -> Result<Discovery, RunError> {
        let patterns: Vec<String> = self.base.iter().map(ToString::to_string).collect();
        let base = base_set(&session.features, &patterns)?;
        let config = discover::Config {
            blacklist: blacklist(&session.features, &base, &[])?,
            base,
            ..papers_discovery(experiment, Pruning::Groups, EPSILON, TOP)
        };
        let progress = context.services().begin_progress(1);
        Ok(run_focus(&config, SolvedBy::Suite, session, context, &progress, "")?.discovery)
    }
}

impl ChessResult {
    /// The view of the table.
    pub(super) fn view(&self, conditions: &str) -> View {
        let cells = self.rows.iter().map(|row| {
            vec![
                if row.found { "*" } else { "" }.into(),
                row.feature.clone().into(),
                Cell::Count(row.solved.into()),
                Cell::count(row.thesis.map(u64::from)),
            ]
        });
        View::new()
            .text(format!("{}\n{conditions}\n\n", self.title))
            .table(Table::new(&["", "feature", ">solved", ">thesis"], cells))
            .text(format!(
                "\n* in the output of Gradual Focus ({} evaluations, {} nodes). Neutral solves {} of {}. The thesis does not say\n\
                 what it solves there: its 102 positions are those that its engine solved only with its known extensions.\n",
                self.evaluations,
                thousands(self.nodes),
                self.neutral,
                self.problems,
            ))
    }
}
