//! Tables 2 and 3 of *Automated Discovery of Search-Extension Features* (thesis Tables 4.3 and 4.4): Gradual Focus on
//! Breakthrough.

use std::cmp::Reverse;

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Atom, Conjunction, Scheme, Vocabulary};
use plysmith_engine::driver::Candidate;
use plysmith_learn::exhaustive::{Agreement, combinations, interesting};
use plysmith_learn::focus::FeatureValue;
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use super::{Config, Event, Reproduce, Reproduction, papers_discovery};
use crate::error::RunError;
use crate::experiment::{Features, Session};
use crate::kind::Context;
use crate::kinds::discover::{self, Discovery, Evaluation, Focused, SolvedBy, run_focus};
use crate::kinds::papers::{self, TABLE_2, TABLE_3};

/// The papers' parameters.
pub(super) const EPSILON: u32 = 3;
const TOP_FEATURES: usize = 10;
const TOP_COMBINATIONS: usize = 25;
const MOST_ATOMS: usize = 3;

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
    /// How many those are in the thesis. Runs of earlier versions have none for the method without groups.
    pub paper_overlooked: Option<usize>,
    /// Evaluated features that no move can have: with two atoms of a group, and on no move of any search. Runs of earlier
    /// versions do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incompatible: Option<usize>,
    /// Atoms that solve fewer problems than Neutral. Runs of earlier versions do not know them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below_neutral: Vec<String>,
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
    /// The paper's name of it, if another reading of one of its atoms was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper_name: Option<String>,
    /// Its best part with one atom less. Runs of earlier versions do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
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
    config: &Config,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Reproduction, RunError> {
    let rows = methods(SolvedBy::Suite, config, session, context)?;
    let by_best_move = methods(SolvedBy::BestMove, config, session, context)?;
    let solved = measure_compared(&config.base_atoms(session)?, session, context)?;
    Ok(Reproduction::Table2 { power_set: 1 << config.base_atoms(session)?.len(), rows, by_best_move, solved })
}

fn methods(
    solved_by: SolvedBy,
    config: &Config,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Vec<MethodRow>, RunError> {
    let mut rows = Vec::new();
    let mut reference: Vec<String> = Vec::new();
    for paper in TABLE_2 {
        let Focused { discovery, evaluations } = discover(config, paper.pruning, solved_by, session, context)?;
        let found: Vec<String> = discovery.output.iter().map(|evaluation| evaluation.finding.feature.clone()).collect();
        if rows.is_empty() {
            reference = found.iter().filter(|name| *name != "Neutral").take(TOP_FEATURES).cloned().collect();
        }
        let row = MethodRow {
            pruning: paper.pruning.to_string(),
            evaluations: discovery.evaluations,
            paper_evaluations: paper.evaluations,
            nodes: discovery.nodes,
            overlooked: reference.iter().filter(|name| !found.contains(name)).cloned().collect(),
            paper_overlooked: Some(paper.overlooked.len()),
            incompatible: Some(count_incompatible(session.features.vocabulary, &evaluations)?),
            below_neutral: below_neutral(session.features.vocabulary, discovery.neutral, &evaluations)?,
            by_best_move: solved_by == SolvedBy::BestMove,
        };
        context.record(Event::Method(row.clone()))?;
        rows.push(row);
    }
    Ok(rows)
}

/// How many of these features no move had in any search, and would not be formed with groups.
fn count_incompatible(vocabulary: Vocabulary, evaluations: &[Evaluation]) -> Result<usize, RunError> {
    let mut count = 0;
    for Evaluation { finding, .. } in evaluations {
        let feature = vocabulary.parse(&finding.feature)?;
        let group = |atom| vocabulary.facts(atom).group;
        let has_twins =
            feature.atoms().any(|one| feature.atoms().any(|other| one != other && group(one) == group(other)));
        count += usize::from(has_twins && finding.frequencies.iter().all(|frequency| *frequency == 0.0));
    }
    Ok(count)
}

/// The atoms that solve fewer problems than Neutral.
fn below_neutral(vocabulary: Vocabulary, neutral: u32, evaluations: &[Evaluation]) -> Result<Vec<String>, RunError> {
    let mut below = Vec::new();
    for Evaluation { finding, .. } in evaluations {
        let is_atom = vocabulary.parse(&finding.feature)?.len() == 1;
        if is_atom && finding.solved.is_some_and(|solved| solved < neutral) {
            below.push(finding.feature.clone());
        }
    }
    Ok(below)
}

/// Measures the features of [`COMPARED`], as these atoms read them, on the session's suite.
pub(super) fn measure_compared(
    base: &[Atom],
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Vec<SolvedRow>, RunError> {
    let features = session.features;
    let problems = session.problems() as u64;
    let progress = context.services().begin_progress(COMPARED.len() as u64 * problems);
    let mut rows = Vec::new();
    for name in COMPARED {
        let feature = read_as(base, &features, name)?;
        let printed = features.vocabulary.print(feature);
        progress.message(format!("{}: {printed}", session.runner.suite().name));
        let candidate = Candidate::Scheme(Scheme::single(feature, Weight::HALF));
        let measurement = session.measure(&candidate, None, &progress, context.services())?;
        progress.finish_part(problems);
        rows.push(SolvedRow {
            feature: printed,
            proven: measurement.solved(),
            best_moves: measurement.best_moves(),
            paper: papers::solved(name),
        });
    }
    Ok(rows)
}

/// A feature of the papers, with the base's reading of each atom where there are several.
fn read_as(base: &[Atom], features: &Features, name: &str) -> Result<Conjunction, RunError> {
    let Features { vocabulary, guidance } = features;
    let group = |atom: &Atom| vocabulary.facts(*atom).group;
    let read = |atom: Atom| {
        let has_readings = guidance.overlapping.iter().any(|(name, _)| *name == group(&atom));
        let mut readings = base.iter().filter(|other| group(other) == group(&atom)).copied();
        match (readings.next(), readings.next()) {
            (Some(reading), None) if has_readings => reading,
            _ => atom,
        }
    };
    Ok(Conjunction::of(vocabulary.parse(name)?.atoms().map(read)))
}

/// Table 3: every combination measured on all problems, then what Gradual Focus finds among them.
pub(super) fn table3(
    config: &Config,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Reproduction, RunError> {
    let vocabulary = session.features.vocabulary;
    let base = config.base_atoms(session)?;
    let all = combinations(vocabulary, base.iter().copied(), Pruning::Groups, MOST_ATOMS);
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
    let Focused { discovery, .. } = discover(config, Pruning::Groups, SolvedBy::Suite, session, context)?;
    let best_moves = |feature| best_moves.iter().find(|(known, _)| *known == feature).and_then(|&(_, count)| count);
    let solved = measure_compared(&base, session, context)?;
    compare(&session.features, &base, &measured, &best_moves, &discovery, solved)
}

fn discover(
    config: &Config,
    pruning: Pruning,
    solved_by: SolvedBy,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Focused, RunError> {
    let config = discover::Config {
        base: config.base.clone(),
        ..papers_discovery(&config.experiment, pruning, EPSILON.cast_signed(), TOP_FEATURES)
    };
    let progress = context.services().begin_progress(1);
    let title = match solved_by {
        SolvedBy::Suite => format!("{pruning}: "),
        SolvedBy::BestMove => format!("{pruning}, by best move: "),
    };
    run_focus(&config, solved_by, session, context, &progress, &title)
}

fn compare(
    features: &Features,
    base: &[Atom],
    measured: &[FeatureValue],
    best_moves: &dyn Fn(Conjunction) -> Option<u32>,
    discovery: &Discovery,
    solved: Vec<SolvedRow>,
) -> Result<Reproduction, RunError> {
    let vocabulary = features.vocabulary;
    let mut found = Vec::new();
    for evaluation in &discovery.output {
        let feature = vocabulary.parse(&evaluation.finding.feature)?;
        found.push(FeatureValue { feature, value: evaluation.finding.solved.unwrap_or(0) });
    }
    let agreement = Agreement::of(&found, measured, EPSILON, TOP_COMBINATIONS);
    let relevant = interesting(measured, EPSILON);
    let mut best = measured.to_vec();
    best.sort_by_key(|rated| (Reverse(rated.value), rated.feature));
    let is_printed = |name: &str, feature: Conjunction| read_as(base, features, name).is_ok_and(|read| read == feature);
    let row = |rated: &FeatureValue| {
        let feature = vocabulary.print(rated.feature);
        let paper = const { &TABLE_3 }.iter().find(|row| is_printed(row.name, rated.feature));
        CombinationRow {
            solved: rated.value,
            best_moves: best_moves(rated.feature),
            paper_solved: paper.map(|row| row.solved),
            paper_name: paper.map(|row| row.name.to_string()).filter(|name| *name != feature),
            parent: best_part(measured, rated.feature).map(|part| vocabulary.print(part)),
            found: found.iter().any(|other| other.feature == rated.feature),
            interesting: relevant.iter().any(|other| other.feature == rated.feature),
            feature,
        }
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

/// The part with one atom less that solves most; the first in vocabulary order of several. None of an atom.
fn best_part(measured: &[FeatureValue], feature: Conjunction) -> Option<Conjunction> {
    let is_part = |part: &&FeatureValue| part.feature.is_within(feature) && part.feature.len() + 1 == feature.len();
    measured.iter().filter(is_part).min_by_key(|part| (Reverse(part.value), part.feature)).map(|part| part.feature)
}
