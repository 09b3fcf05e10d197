//! Tables 2 and 3 of *Automated Discovery of Search-Extension Features* (thesis Tables 4.3 and 4.4): Gradual Focus on
//! Breakthrough.

use std::cmp::Reverse;

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Conjunction, Scheme, Vocabulary};
use plysmith_engine::driver::Candidate;
use plysmith_learn::exhaustive::{Agreement, combinations, interesting};
use plysmith_learn::focus::FeatureValue;
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use super::{Event, Reproduce, Reproduction, papers_discovery};
use crate::error::RunError;
use crate::experiment::{Experiment, Session};
use crate::finding::PROVEN_AND_BEST_MOVE;
use crate::kind::Context;
use crate::kinds::discover::{Discovery, SolvedBy, run_focus};
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

/// The features by which suites are compared, with and without which the papers' results stand or fall.
pub(super) const COMPARED: [&str; 4] = ["Neutral", "RdTt", "Ud-RdTt", "PP-RdTt"];

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
    /// Whether finding the right move was enough to solve a problem.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_best_move: bool,
}

/// One of the best combinations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CombinationRow {
    /// The feature.
    pub feature: String,
    /// Problems solved.
    pub solved: u32,
    /// Problems in which the right move was on top at the end, proven or not. Runs of earlier versions do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_moves: Option<u32>,
    /// Problems solved in the paper.
    pub paper_solved: Option<u32>,
    /// Found by Gradual Focus.
    pub found: bool,
    /// Better than every part of it by epsilon.
    pub interesting: bool,
}

/// Problems that a feature solves, by both meanings of the word.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SolvedRow {
    /// The feature.
    pub feature: String,
    /// With a proof.
    pub proven: u32,
    /// With the right move on top at the end, proven or not.
    pub best_moves: Option<u32>,
    /// In the paper.
    pub paper: Option<u32>,
}

/// Table 2: the five methods one after the other, by proofs and by best moves. The result cache makes what they share
/// cost nothing.
pub(super) fn table2(
    experiment: &Experiment,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Reproduction, RunError> {
    let rows = methods(SolvedBy::Suite, experiment, session, context)?;
    let by_best_move = methods(SolvedBy::BestMove, experiment, session, context)?;
    let solved = measure_compared(session, context)?;
    Ok(Reproduction::Table2 { power_set: 1 << session.features.vocabulary.moves.len(), rows, by_best_move, solved })
}

fn methods(
    solved_by: SolvedBy,
    experiment: &Experiment,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Vec<MethodRow>, RunError> {
    let mut rows = Vec::new();
    let mut reference: Vec<String> = Vec::new();
    for (pruning, paper_evaluations, paper_overlooked) in PAPER_METHODS {
        let discovery = discover(experiment, pruning, solved_by, session, context)?;
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
            by_best_move: solved_by == SolvedBy::BestMove,
        };
        context.record(Event::Method(row.clone()))?;
        rows.push(row);
    }
    Ok(rows)
}

/// Measures the features of [`COMPARED`] on the session's suite.
pub(super) fn measure_compared(
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Vec<SolvedRow>, RunError> {
    let vocabulary = session.features.vocabulary;
    let problems = session.problems() as u64;
    let progress = context.services().begin_progress(COMPARED.len() as u64 * problems);
    let mut rows = Vec::new();
    for name in COMPARED {
        progress.message(format!("{}: {name}", session.runner.suite().name));
        let candidate = Candidate::Scheme(vocabulary.parse_scheme(name, Weight::HALF)?);
        let measurement = session.measure(&candidate, None, &progress, context.services())?;
        progress.finish_part(problems);
        rows.push(SolvedRow {
            feature: name.to_string(),
            proven: measurement.solved(),
            best_moves: measurement.best_moves(),
            paper: PAPER_SOLVED.iter().find(|(known, _)| *known == name).map(|&(_, solved)| solved),
        });
    }
    Ok(rows)
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
    let (mut measured, mut best_moves) = (Vec::new(), Vec::new());
    for (index, &feature) in all.iter().enumerate() {
        let name = vocabulary.print(feature);
        progress.message(format!("combination {} of {}: {name}", index + 1, all.len()));
        let candidate = Candidate::Scheme(Scheme::single(feature, Weight::HALF));
        let measurement = session.measure(&candidate, None, &progress, context.services())?;
        progress.finish_part(problems);
        let finding = session.finding(name, &measurement).with_best_moves(&measurement, session.runner.suite());
        best_moves.push((feature, finding.best_moves));
        context.record(Event::Measurement(finding))?;
        measured.push(FeatureValue { feature, value: measurement.solved() });
    }
    drop(progress);
    let discovery = discover(experiment, Pruning::Groups, SolvedBy::Suite, session, context)?;
    let best_moves = |feature| best_moves.iter().find(|(known, _)| *known == feature).and_then(|&(_, count)| count);
    let solved = measure_compared(session, context)?;
    compare(vocabulary, &measured, &best_moves, &discovery, solved)
}

fn discover(
    experiment: &Experiment,
    pruning: Pruning,
    solved_by: SolvedBy,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Discovery, RunError> {
    let config = papers_discovery(experiment, pruning, EPSILON, TOP_FEATURES);
    let progress = context.services().begin_progress(1);
    let title = match solved_by {
        SolvedBy::Suite => format!("{pruning}: "),
        SolvedBy::BestMove => format!("{pruning}, by best move: "),
    };
    run_focus(&config, solved_by, session, context, &progress, &title)
}

fn compare(
    vocabulary: Vocabulary,
    measured: &[FeatureValue],
    best_moves: &dyn Fn(Conjunction) -> Option<u32>,
    discovery: &Discovery,
    solved: Vec<SolvedRow>,
) -> Result<Reproduction, RunError> {
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
        best_moves: best_moves(rated.feature),
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
        solved,
    })
}

fn paper_solved(vocabulary: Vocabulary, rated: &FeatureValue) -> Option<u32> {
    PAPER_SOLVED.iter().find(|(name, _)| vocabulary.parse(name).ok() == Some(rated.feature)).map(|&(_, solved)| solved)
}

/// The view of Table 2.
pub(super) fn table2_view(
    conditions: &str,
    power_set: u64,
    rows: &[MethodRow],
    by_best_move: &[MethodRow],
    solved: &[SolvedRow],
) -> View {
    let cells = rows.iter().map(|row| {
        let other = by_best_move.iter().find(|other| other.pruning == row.pruning);
        let mut cells = vec![row.pruning.clone().into(), Cell::Count(row.evaluations as u64)];
        cells.extend(other.map(|other| Cell::Count(other.evaluations as u64)));
        cells.push(Cell::Count(row.paper_evaluations as u64));
        cells.push(Cell::Percent(row.evaluations as f64 / power_set as f64));
        cells.push(Cell::Count(row.nodes));
        cells.push(Cell::Count(row.overlooked.len() as u64));
        cells.extend(other.map(|other| Cell::Count(other.overlooked.len() as u64)));
        cells.push(Cell::count(row.paper_overlooked.map(|count| count as u64)));
        cells.push(row.overlooked.join(" ").into());
        cells
    });
    // Runs of earlier versions know nothing of best moves.
    let headings: &[&str] = match by_best_move {
        [] => &["pruning", ">evaluations", ">paper", ">of the power set", ">nodes", ">overlooked", ">paper", "which"],
        _ => &[
            "pruning",
            ">evaluations",
            ">by best move",
            ">paper",
            ">of the power set",
            ">nodes",
            ">overlooked",
            ">by best move",
            ">paper",
            "which",
        ],
    };
    View::new()
        .text(format!("Evaluations by Gradual Focus (paper Table 2, thesis Table 4.3)\n{conditions}\n\n"))
        .table(Table::new(headings, cells))
        .text("\nOverlooked: of the ten best features found without groups, those that the method does not find.\n")
        .view(solved_view(solved))
}

/// What the features that the suites are compared by solve, by both meanings of the word.
fn solved_view(solved: &[SolvedRow]) -> View {
    if solved.is_empty() {
        return View::new();
    }
    let cells = solved.iter().map(|row| {
        vec![
            row.feature.clone().into(),
            Cell::Count(row.proven.into()),
            Cell::count(row.best_moves.map(u64::from)),
            Cell::count(row.paper.map(u64::from)),
        ]
    });
    View::new()
        .text("\n")
        .table(Table::new(&["feature", ">proven", ">best move", ">paper"], cells))
        .text(PROVEN_AND_BEST_MOVE)
        .text(
            "The paper's words are 'best move played'; on the whole bundled suite, its numbers are closer to ours by proofs.\n\
             That suite was chosen because it resembles the paper's: `plysmith reproduce suites` prints all eight.\n",
        )
}

/// The view of Table 3.
pub(super) fn table3_view(conditions: &str, reproduction: &Reproduction) -> View {
    let Reproduction::Table3 { combinations, rows, hits, found, relevant, overlooked, solved } = reproduction else {
        return View::new();
    };
    let has_best_moves = rows.iter().any(|row| row.best_moves.is_some());
    let cells = rows.iter().map(|row| {
        let mut cells =
            vec![if row.found { "*" } else { "" }.into(), row.feature.clone().into(), Cell::Count(row.solved.into())];
        cells.extend(has_best_moves.then(|| Cell::count(row.best_moves.map(u64::from))));
        cells.push(Cell::count(row.paper_solved.map(u64::from)));
        cells.push(if row.interesting { "yes" } else { "" }.into());
        cells
    });
    let headings: &[&str] = match has_best_moves {
        true => &["", "feature", ">proven", ">best move", ">paper", "interesting"],
        false => &["", "feature", ">solved", ">paper", "interesting"],
    };
    let overlooked = match overlooked.as_slice() {
        [] => String::new(),
        names => format!("Overlooked: {}\n", names.join(" ")),
    };
    View::new()
        .text(format!(
            "The best of all {combinations} one-, two- and three-wise combinations (paper Table 3, thesis Table 4.4)\n\
             {conditions}\n\n"
        ))
        .table(Table::new(headings, cells))
        .text(format!(
            "\n* found by Gradual Focus. Interesting: better than every part of it by at least {EPSILON}.\n\
             Precision {hits} of {found}, recall {hits} of {relevant} among these (the paper: 11 of 11 both).\n\
             {overlooked}"
        ))
        .view(solved_view(solved))
}
