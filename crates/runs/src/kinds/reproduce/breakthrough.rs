//! Tables 2 and 3 of *Automated Discovery of Search-Extension Features* (thesis Tables 4.3 and 4.4): Gradual Focus on
//! Breakthrough.

use std::cmp::Reverse;

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Scheme, Vocabulary};
use plysmith_engine::driver::Candidate;
use plysmith_learn::exhaustive::{Agreement, combinations, interesting};
use plysmith_learn::focus::FeatureValue;
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use super::{Event, Reproduce, Reproduction, papers_discovery};
use crate::error::RunError;
use crate::experiment::{Experiment, Session};
use crate::kind::Context;
use crate::kinds::discover::{Discovery, run_focus};
use crate::view::{Cell, Table, View};

/// The papers' parameters.
const EPSILON: u32 = 3;
const TOP_FEATURES: usize = 10;
const TOP_COMBINATIONS: usize = 25;
const MOST_ATOMS: usize = 3;

/// Thesis Table 4.3: evaluations, and overlooked combinations. The paper's Table 2 lacks the last row.
const PAPER_METHODS: [(Pruning, usize, Option<usize>); 5] = [
    (Pruning::None, 138, None),
    (Pruning::Groups, 112, Some(0)),
    (Pruning::LinearTree, 105, Some(0)),
    (Pruning::Threshold, 27, Some(5)),
    (Pruning::Knowledge, 45, Some(0)),
];

/// Thesis Table 4.4, and Neutral from the text.
const PAPER_SOLVED: [(&str, u32); 26] = [
    ("Ud-RdTt", 235),
    ("Ud-PP-RdTt", 224),
    ("PP-RdTt", 211),
    ("RdTt", 202),
    ("Ud-PP-Rdt", 173),
    ("Ud-PP", 155),
    ("Ud-Edg-RdTt", 149),
    ("Edg-RdTt", 142),
    ("Ud-RdTt-Mr", 141),
    ("PP-RdTt-Mr", 140),
    ("RdTt-Mr", 138),
    ("Ud-Rdt", 125),
    ("Ud-PP-Edg", 122),
    ("PP-Edg-RdTt", 115),
    ("Ud-Ms-RdTt", 114),
    ("Ud-PP-RdTb", 111),
    ("Ms-RdTt", 110),
    ("Ud-PP-Mr", 109),
    ("PP-Rdt-Edg", 108),
    ("Ud-Rdt-Mr", 105),
    ("Ud", 102),
    ("Ud-Rdt-Edg", 102),
    ("PP-Rdt", 98),
    ("PP-Edg", 97),
    ("Rc-Rdb", 96),
    ("Neutral", 29),
];

/// A pruning method.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MethodRow {
    /// Its name.
    pub pruning: String,
    /// Features evaluated.
    pub evaluations: usize,
    /// Features evaluated in the paper.
    pub paper_evaluations: usize,
    /// Nodes in all.
    pub nodes: u64,
    /// Of the ten best features found without groups, those that this method does not find.
    pub overlooked: Vec<String>,
    /// How many those are in the paper.
    pub paper_overlooked: Option<usize>,
}

/// One of the best combinations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CombinationRow {
    /// The feature.
    pub feature: String,
    /// Problems solved.
    pub solved: u32,
    /// Problems solved in the paper.
    pub paper_solved: Option<u32>,
    /// Found by Gradual Focus.
    pub found: bool,
    /// Better than every part of it by epsilon.
    pub interesting: bool,
}

/// Table 2: the five methods one after the other. The result cache makes what they share cost nothing.
pub(super) fn table2(
    experiment: &Experiment,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Reproduction, RunError> {
    let mut rows = Vec::new();
    let mut reference: Vec<String> = Vec::new();
    for (pruning, paper_evaluations, paper_overlooked) in PAPER_METHODS {
        let discovery = discover(experiment, pruning, session, context)?;
        let found: Vec<String> = discovery.output.iter().map(|evaluation| evaluation.finding.feature.clone()).collect();
        if rows.is_empty() {
            reference = found.iter().filter(|name| *name != "Neutral").take(TOP_FEATURES).cloned().collect();
        }
        let row = MethodRow {
            pruning: pruning.to_string(),
            evaluations: discovery.evaluations,
            paper_evaluations,
            nodes: discovery.nodes,
            overlooked: reference.iter().filter(|name| !found.contains(name)).cloned().collect(),
            paper_overlooked,
        };
        context.record(Event::Method(row.clone()))?;
        rows.push(row);
    }
    Ok(Reproduction::Table2 { power_set: 1 << session.features.vocabulary.0.len(), rows })
}

/// Table 3: every combination measured on all problems, then what Gradual Focus finds among them.
pub(super) fn table3(
    experiment: &Experiment,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Reproduction, RunError> {
    let vocabulary = session.features.vocabulary;
    let all = combinations(vocabulary, vocabulary.atoms(), Pruning::Groups, MOST_ATOMS);
    let problems = session.problems() as u64;
    let progress = context.services().begin_progress(all.len() as u64 * problems);
    let mut measured = Vec::new();
    for (index, &feature) in all.iter().enumerate() {
        let name = vocabulary.print(feature);
        progress.message(format!("combination {} of {}: {name}", index + 1, all.len()));
        let candidate = Candidate::Scheme(Scheme::single(feature, Weight::HALF));
        let measurement = session.measure(&candidate, None, &progress, context.services())?;
        progress.finish_part(problems);
        context.record(Event::Measurement(session.finding(name, &measurement)))?;
        measured.push(FeatureValue { feature, value: measurement.solved() });
    }
    drop(progress);
    let discovery = discover(experiment, Pruning::Groups, session, context)?;
    compare(vocabulary, &measured, &discovery)
}

fn discover(
    experiment: &Experiment,
    pruning: Pruning,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Discovery, RunError> {
    let config = papers_discovery(experiment, pruning, EPSILON, TOP_FEATURES);
    let progress = context.services().begin_progress(1);
    run_focus(&config, session, context, &progress, &format!("{pruning}: "))
}

fn compare(vocabulary: Vocabulary, measured: &[FeatureValue], discovery: &Discovery) -> Result<Reproduction, RunError> {
    let mut found = Vec::new();
    for evaluation in &discovery.output {
        let feature = vocabulary.parse(&evaluation.finding.feature)?;
        found.push(FeatureValue { feature, value: evaluation.finding.solved.unwrap_or(0) });
    }
    let agreement = Agreement::of(&found, measured, EPSILON, TOP_COMBINATIONS);
    let relevant = interesting(measured, EPSILON);
    let mut best = measured.to_vec();
    best.sort_by_key(|rated| (Reverse(rated.value), rated.feature));
    let row = |rated: &FeatureValue| CombinationRow {
        feature: vocabulary.print(rated.feature),
        solved: rated.value,
        paper_solved: paper_solved(vocabulary, rated),
        found: found.iter().any(|other| other.feature == rated.feature),
        interesting: relevant.iter().any(|other| other.feature == rated.feature),
    };
    Ok(Reproduction::Table3 {
        combinations: measured.len(),
        rows: best.iter().take(TOP_COMBINATIONS).map(row).collect(),
        hits: agreement.hits,
        found: agreement.found,
        relevant: agreement.relevant,
        overlooked: agreement.overlooked.iter().map(|&feature| vocabulary.print(feature)).collect(),
    })
}

fn paper_solved(vocabulary: Vocabulary, rated: &FeatureValue) -> Option<u32> {
    PAPER_SOLVED.iter().find(|(name, _)| vocabulary.parse(name).ok() == Some(rated.feature)).map(|&(_, solved)| solved)
}

/// The view of Table 2.
pub(super) fn table2_view(conditions: &str, power_set: u64, rows: &[MethodRow]) -> View {
    let cells = rows.iter().map(|row| {
        vec![
            row.pruning.clone().into(),
            Cell::Count(row.evaluations as u64),
            Cell::Count(row.paper_evaluations as u64),
            Cell::Percent(row.evaluations as f64 / power_set as f64),
            Cell::Count(row.nodes),
            Cell::Count(row.overlooked.len() as u64),
            Cell::count(row.paper_overlooked.map(|count| count as u64)),
            row.overlooked.join(" ").into(),
        ]
    });
    let headings =
        ["pruning", ">evaluations", ">paper", ">of the power set", ">nodes", ">overlooked", ">paper", "which"];
    View::new()
        .text(format!("Evaluations by Gradual Focus (paper Table 2, thesis Table 4.3)\n{conditions}\n\n"))
        .table(Table::new(&headings, cells))
        .text("\nOverlooked: of the ten best features found without groups, those that the method does not find.\n")
}

/// The view of Table 3.
pub(super) fn table3_view(conditions: &str, reproduction: &Reproduction) -> View {
    let Reproduction::Table3 { combinations, rows, hits, found, relevant, overlooked } = reproduction else {
        return View::new();
    };
    let cells = rows.iter().map(|row| {
        vec![
            if row.found { "*" } else { "" }.into(),
            row.feature.clone().into(),
            Cell::Count(row.solved.into()),
            Cell::count(row.paper_solved.map(u64::from)),
            if row.interesting { "yes" } else { "" }.into(),
        ]
    });
    let overlooked = match overlooked.as_slice() {
        [] => String::new(),
        names => format!("Overlooked: {}\n", names.join(" ")),
    };
    View::new()
        .text(format!(
            "The best of all {combinations} one-, two- and three-wise combinations (paper Table 3, thesis Table 4.4)\n\
             {conditions}\n\n"
        ))
        .table(Table::new(&["", "feature", ">solved", ">paper", "interesting"], cells))
        .text(format!(
            "\n* found by Gradual Focus. Interesting: better than every part of it by at least {EPSILON}.\n\
             Precision {hits} of {found}, recall {hits} of {relevant} among these (the paper: 11 of 11 both).\n\
             {overlooked}"
        ))
}
