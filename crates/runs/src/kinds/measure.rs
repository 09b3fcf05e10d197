//! `measure`: schemes, or weights of an external engine, on a suite.

use plysmith_core::depth::Weight;
use plysmith_core::feature::Vocabulary;
use plysmith_engine::driver::{Candidate, Conditions, Weights};
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::experiment::{Experiment, OpenedSubject, Session};
use crate::finding::{Finding, exclusions, finding_rows, findings_table, meaning_of_columns, partial_findings};
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::services::Services;
use crate::solution_policy::SolutionPolicy;
use crate::view::View;

/// The run kind.
pub struct Measure;

/// What to measure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// On what.
    pub experiment: Experiment,
    /// Schemes or weights, in the words of the engine that is measured.
    pub schemes: Vec<String>,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A scheme was measured.
    Measurement(Finding),
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The suite's name.
    pub suite: String,
    /// Its number of problems.
    pub problems: usize,
    /// The engine.
    pub preset: String,
    /// Node limit for each problem.
    pub nodes_a_problem: u64,
    /// When a problem counted as solved; none in runs of versions that did not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SolutionPolicy>,
    /// One for each scheme.
    pub findings: Vec<Finding>,
}

impl Config {
    /// Checks that the engine can be given these schemes, and stores them in their canonical spelling.
    pub fn new(experiment: Experiment, schemes: &[String], opened: &OpenedSubject) -> Result<Config, RunError> {
        let vocabulary = opened.features.vocabulary;
        let conditions = Conditions { suite: String::new(), nodes: experiment.nodes, seed: experiment.seed };
        let canonical = |text: &String| {
            let candidate = parse_candidate(vocabulary, text)?;
            opened.subject.job(&candidate, &conditions)?;
            Ok::<_, RunError>(print_candidate(vocabulary, &candidate))
        };
        let schemes = schemes.iter().map(canonical).collect::<Result<_, _>>()?;
        Ok(Config { experiment, schemes })
    }
}

impl RunKind for Measure {
    const NAME: &'static str = "measure";
    type Config = Config;
    type Event = Event;
    type Output = Measured;
    type Prepared = Session;

    fn identity(config: &Config) -> Identity {
        config.experiment.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        config.experiment.basis()
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.experiment.validate()
    }

    fn prepare(config: &Config, services: &Services) -> Result<Session, RunError> {
        config.experiment.session(services)
    }

    fn run(config: &Config, mut session: Session, context: &mut Context<Measure>) -> Result<Measured, RunError> {
        let services = context.services().clone();
        let (vocabulary, problems) = (session.features.vocabulary, session.problems());
        let progress = services.begin_progress((config.schemes.len() * problems) as u64);
        let mut findings = Vec::new();
        for text in &config.schemes {
            progress.message(text);
            let measurement = session.measure(&parse_candidate(vocabulary, text)?, None, &progress, &services)?;
            progress.finish_part(problems as u64);
            let finding = session.finding(text.clone(), &measurement);
            let finding = finding.with_best_moves(&measurement, session.runner.suite());
            context.record(Event::Measurement(finding.clone()))?;
            findings.push(finding);
        }
        let Experiment { suite, nodes, policy, .. } = &config.experiment;
        let (suite, preset) = (suite.name.clone(), config.experiment.engine_text());
        Ok(Measured { suite, problems, preset, nodes_a_problem: *nodes, policy: *policy, findings })
    }

    fn view(config: &Config, measured: &Measured) -> View {
        View::new()
            .text(format!("On {}:\n\n", config.experiment.conditions()))
            .table(findings_table(&measured.findings))
            .text(meaning_of_columns(&measured.findings))
            .text(exclusions(&measured.findings))
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        partial_findings(events.iter().map(|Event::Measurement(finding)| finding))
    }

    fn rows(config: &Config) -> Rows {
        finding_rows("measurement", config.experiment.policy)
    }
}

/// A candidate: weights if the text consists of numbers, else a scheme.
fn parse_candidate(vocabulary: Vocabulary, text: &str) -> Result<Candidate, RunError> {
    match text.parse::<Weights>() {
        Ok(weights) if !weights.0.is_empty() => Ok(Candidate::Weights(weights)),
        _ => Ok(Candidate::Scheme(vocabulary.parse_scheme(text, Weight::HALF)?)),
    }
}

fn print_candidate(vocabulary: Vocabulary, candidate: &Candidate) -> String {
    match candidate {
        Candidate::Weights(weights) => weights.to_string(),
        Candidate::Scheme(scheme) => vocabulary.print_scheme(scheme),
    }
}
