//! Gradual Focus at work: ask, measure, tell, record.

use plysmith_core::feature::{Feature, Vocabulary};
use plysmith_learn::focus::Survival;

use super::classes::{self, Classified};
use super::joined;
use super::meter::{Measured, Meter, SolvedBy, SuiteMeter};
use super::rated::RatedMeter;
use super::repeated::RepeatedMeter;
use super::{Config, Discovery, Evaluation};
use crate::error::RunError;
use crate::experiment::{Features, Session};
use crate::fitness::FitnessChoice;
use crate::kind::{Context, RunKind};
use crate::progress::Progress;

/// What Gradual Focus found, and everything that it evaluated on the way.
pub struct Focused {
    /// What it found.
    pub discovery: Discovery,
    /// Every evaluation, in order.
    pub evaluations: Vec<Evaluation>,
}

/// Runs Gradual Focus on the suite of an experiment.
pub fn run_focus<K: RunKind<Event: From<Evaluation>>>(
    config: &Config,
    solved_by: SolvedBy,
    session: &mut Session,
    context: &mut Context<K>,
    progress: &Progress,
    title: &str,
) -> Result<Focused, RunError> {
    let features = session.features;
    if config.seeds > 1 {
        return focus_with(config, &features, &mut RepeatedMeter::new(config, session), None, context, progress, title);
    }
    let mut meter = SuiteMeter::new(config, solved_by, session);
    focus_with(config, &features, &mut meter, None, context, progress, title)
}

/// Runs Gradual Focus by a fitness, with at most this many measurements. What was found by then counts.
pub(crate) fn run_within<K: RunKind<Event: From<Evaluation>>>(
    config: &Config,
    fitness: &FitnessChoice,
    measurements: usize,
    context: &mut Context<K>,
) -> Result<Discovery, RunError> {
    let mut session = config.experiment.session(context.services())?;
    let features = session.features;
    let progress = context.services().begin_progress(1);
    let mut meter = RatedMeter::new(config, fitness.clone(), config.rater(&mut session)?)?;
    Ok(focus_with(config, &features, &mut meter, Some(measurements), context, &progress, "")?.discovery)
}

/// Runs Gradual Focus: ask, measure, tell, record. Stops before it would make more than `most` measurements.
pub(super) fn focus_with<K: RunKind<Event: From<Evaluation>>>(
    config: &Config,
    features: &Features,
    meter: &mut dyn Meter,
    most: Option<usize>,
    context: &mut Context<K>,
    progress: &Progress,
    title: &str,
) -> Result<Focused, RunError> {
    let vocabulary = features.vocabulary;
    let (mut focus, atoms) = (config.focus(features)?, config.base_atoms(features)?.len());
    let problems = meter.problems();
    let (mut evaluations, mut done, mut nodes) = (Vec::new(), 0, 0_u64);
    while let Some(trial) = focus.ask() {
        // Neutral has no weights to try.
        if most.is_some_and(|most| 1 + done as usize * config.weights.len() > most) {
            break;
        }
        let name = vocabulary.print(trial.feature);
        let ahead = focus.pending().count() as u64;
        progress.set_steps((done + ahead) * problems as u64 * config.weights.len() as u64);
        // Each generation has an atom more than the one before it.
        let last = config.most_atoms.unwrap_or(atoms);
        let generation = format!("generation {} of at most {}", trial.generation(), last.max(trial.generation()));
        progress.message(format!("{title}{generation}, {ahead} to go: {name}"));
        let measured = meter.measure(&trial, name, context.services(), progress)?;
        let Measured { finding, weight, value, is_below, alone, regret, rated, repeats, nodes: searched } = measured;
        let savings = Some(finding.nodes).filter(|_| config.survival() == Survival::Saves && !is_below);
        done += 1;
        nodes = nodes.saturating_add(searched);
        let below = trial.below().filter(|_| is_below);
        let result = below.unwrap_or_else(|| trial.exactly(value));
        // What is told without nodes does not survive where they have to be fewer.
        let verdict = focus.tell(savings.map_or(result, |nodes| result.with_nodes(nodes)));
        let evaluation = Evaluation {
            finding,
            generation: trial.generation(),
            first_parent: trial.parents.map(|parents| vocabulary.print(parents.first_parent)),
            second_parent: trial.parents.map(|parents| vocabulary.facts(parents.second_parent).name.to_string()),
            at_least: trial.at_least().filter(|_| regret.is_none() && rated.is_none()),
            verdict: verdict.name().to_string(),
            weight: (config.weights.len() > 1 && !trial.feature.is_empty()).then(|| weight.to_string()),
            by_best_move: meter.by_best_move(),
            alone,
            regret,
            rated: rated.map(Box::new),
            repeats: repeats.map(Box::new),
        };
        context.record(evaluation.clone())?;
        evaluations.push((Feature::from(trial.feature), evaluation));
    }
    take_latest(meter, &mut evaluations);
    let (outcome, mut skipped) = (focus.outcome(), 0);
    if config.combining.operators.or {
        let grouped = config.combining.vocabulary(features)?;
        let joined = joined::join(config, grouped, &outcome, meter, context, progress, title)?;
        evaluations.extend(joined.evaluations);
        (nodes, skipped) = (nodes.saturating_add(joined.nodes), joined.skipped);
    }
    let mut discovery = Discovery::new(config, problems, &evaluations, &outcome, nodes);
    discovery.skipped += skipped;
    let Classified { classes, similarity } = classify(config, vocabulary, meter, &discovery.output);
    (discovery.classes, discovery.similarity) = (classes, similarity);
    Ok(Focused { discovery, evaluations: evaluations.into_iter().map(|(_, evaluation)| evaluation).collect() })
}

/// Replaces what was known of features by what later comparisons found out.
fn take_latest(meter: &dyn Meter, evaluations: &mut [(Feature, Evaluation)]) {
    for (feature, evaluation) in evaluations {
        let latest = evaluation
            .repeats
            .as_ref()
            .and_then(|then| meter.latest(feature.first(), &evaluation.finding.feature, then));
        if let Some((finding, repeats)) = latest {
            (evaluation.finding, evaluation.repeats) = (finding, Some(Box::new(repeats)));
        }
    }
}

/// Which features change much the same problems or positions.
fn classify(config: &Config, vocabulary: Vocabulary, meter: &dyn Meter, output: &[Evaluation]) -> Classified {
    let places = meter.places();
    if config.graded.is_none() {
        return classes::by_solved(output, &places);
    }
    let features = output.iter().map(|evaluation| evaluation.finding.feature.as_str());
    let changes = features.filter_map(|name| Some((name, meter.regret_changes(vocabulary.parse(name).ok()?)?)));
    classes::by_regret(changes, &places)
}
