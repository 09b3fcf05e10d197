//! Gradual Focus by ∨ at work, on what Gradual Focus by ∧ evaluated: ask, measure, tell, record.

use plysmith_core::feature::{Feature, Vocabulary};
use plysmith_learn::focus::FocusOutcome;
use plysmith_learn::focus::alternatives::{Alternatives, AlternativesSettings, AlternativesTrial};

use super::meter::{Measured, Meter};
use super::{Config, Evaluation};
use crate::error::RunError;
use crate::kind::{Context, RunKind};
use crate::progress::Progress;

/// What was joined.
#[derive(Default)]
pub(super) struct Joined {
    /// Every evaluation, in order.
    pub evaluations: Vec<(Feature, Evaluation)>,
    /// Features that were not evaluated, because a part of them had failed.
    pub skipped: usize,
    /// Nodes of all.
    pub nodes: u64,
}

/// Joins what was found.
pub(super) fn join<K: RunKind<Event: From<Evaluation>>>(
    config: &Config,
    vocabulary: Vocabulary,
    found: &FocusOutcome,
    meter: &mut dyn Meter,
    context: &mut Context<K>,
    progress: &Progress,
    title: &str,
) -> Result<Joined, RunError> {
    let settings = AlternativesSettings { epsilon: config.epsilon, most: config.combining.most_alternatives };
    let mut alternatives = Alternatives::new(vocabulary, found, settings);
    let (mut joined, problems) = (Joined::default(), meter.problems());
    while let Some(trial) = alternatives.ask().cloned() {
        let name = vocabulary.print_feature(&trial.feature);
        let (done, ahead) = (found.evaluations() + joined.evaluations.len(), alternatives.pending());
        progress.set_steps(((done + ahead) * problems * config.weights.len()) as u64);
        progress.message(format!("{title}alternatives, {ahead} to go: {name}"));
        let at_least = (!config.exact).then_some(trial.at_least);
        let measured = meter.measure_alternatives(&trial.feature, name, at_least, context.services(), progress)?;
        let verdict = alternatives.tell((!measured.is_below).then_some(measured.value));
        joined.nodes = joined.nodes.saturating_add(measured.nodes);
        let evaluation = evaluation(config, vocabulary, &trial, measured, verdict.name());
        context.record(evaluation.clone())?;
        joined.evaluations.push((trial.feature, evaluation));
    }
    joined.skipped = alternatives.skipped();
    Ok(joined)
}

fn evaluation(
    config: &Config,
    vocabulary: Vocabulary,
    trial: &AlternativesTrial,
    measured: Measured,
    verdict: &str,
) -> Evaluation {
    Evaluation {
        finding: measured.finding,
        generation: trial.feature.alternatives().count(),
        first_parent: Some(vocabulary.print_feature(&trial.first_parent)),
        second_parent: Some(vocabulary.print(trial.second_parent)),
        at_least: Some(trial.at_least),
        verdict: verdict.to_string(),
        weight: (config.weights.len() > 1).then(|| measured.weight.to_string()),
        by_best_move: false,
        alone: None,
        regret: None,
        rated: None,
        repeats: None,
    }
}
