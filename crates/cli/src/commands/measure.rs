//! `plysmith measure`: one scheme on a suite.

use clap::Args;
use plysmith_core::depth::Weight;
use plysmith_core::feature::Vocabulary;
use plysmith_engine::driver::{Candidate, Conditions, Weights};
use serde::{Deserialize, Serialize};

use super::experiment::{ExperimentArguments, Finding, exclusions};
use crate::failure::Failure;
use crate::foreign::EngineArguments;
use crate::output::{Output, table, thousands};
use crate::progress::Progress;
use crate::workbench::{Experiment, Plan, Workbench};

/// Measure schemes: how many problems a search solves with them
#[derive(Debug, Args)]
#[command(after_help = "\
A scheme is one or more features with weights: 'Ud-RdTt@0.5,PP@0.75'. Without '@' a feature weighs 0.5.
'Neutral' is the search without features. Alternatives with one weight are written 'Ud|(PP-Rdt)@0.5'.

Examples:
  plysmith measure breakthrough Neutral RdTt Ud-RdTt
  plysmith measure breakthrough 'RdTt@0.25,Rc-Rdb@0.75' --preset modern --nodes 100000
  plysmith measure chess --engine 'uci:glaurung' --mapping examples/glaurung.toml --suite my.epd '1 1 1 1 1 1'")]
pub struct Arguments {
    /// The game
    game: String,

    /// The schemes; of a foreign engine that takes weights, one number for each, like '1 0.5'
    #[arg(required = true, value_name = "SCHEME")]
    schemes: Vec<String>,

    #[command(flatten)]
    engine: EngineArguments,

    #[command(flatten)]
    experiment: ExperimentArguments,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    pub experiment: Experiment,
    pub schemes: Vec<String>,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub suite: String,
    pub problems: usize,
    pub preset: String,
    pub nodes_a_problem: u64,
    pub findings: Vec<Finding>,
}

pub const KIND: &str = "measure";
pub const MEASUREMENT: &str = "measurement";

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let experiment = match arguments.engine.resolve()? {
        Some(engine) => arguments.experiment.resolve_foreign(Some(&arguments.game), engine)?,
        None => arguments.experiment.resolve(&arguments.game)?,
    };
    let opened = experiment.open()?;
    let vocabulary = opened.features.vocabulary;
    let conditions = Conditions { suite: String::new(), nodes: experiment.nodes, seed: experiment.seed };
    let canonical = |text: &String| {
        let candidate = parse(vocabulary, text)?;
        // What cannot be measured is refused before there is a run.
        opened.subject.job(&candidate, &conditions)?;
        Ok::<_, Failure>(print(vocabulary, &candidate))
    };
    let schemes = arguments.schemes.iter().map(canonical).collect::<Result<_, _>>()?;
    let config = Config { experiment, schemes };
    let plan = Plan { kind: KIND, experiment: &config.experiment, threads: arguments.experiment.threads.threads };
    let workbench = Workbench::begin_opened(plan, opened, &config)?;
    perform(&config, workbench, output)
}

/// A candidate: weights where all of it are numbers, else a scheme.
fn parse(vocabulary: Vocabulary, text: &str) -> Result<Candidate, Failure> {
    match text.parse::<Weights>() {
        Ok(weights) if !weights.0.is_empty() => Ok(Candidate::Weights(weights)),
        _ => Ok(Candidate::Scheme(vocabulary.parse_scheme(text, Weight::HALF)?)),
    }
}

fn print(vocabulary: Vocabulary, candidate: &Candidate) -> String {
    match candidate {
        Candidate::Weights(weights) => weights.to_string(),
        Candidate::Scheme(scheme) => vocabulary.print_scheme(scheme),
    }
}

pub fn perform(config: &Config, mut workbench: Workbench, output: &Output) -> Result<(), Failure> {
    let vocabulary = workbench.features.vocabulary;
    let problems = workbench.problems();
    let progress = Progress::new((config.schemes.len() * problems) as u64);
    let mut findings = Vec::new();
    for text in &config.schemes {
        progress.say(text.clone());
        let measurement = workbench.measure_candidate(&parse(vocabulary, text)?, None, &progress)?;
        progress.finish_part(problems as u64);
        let finding = Finding::new(text.clone(), &measurement, workbench.lab.suite());
        workbench.record(MEASUREMENT, &finding)?;
        findings.push(finding);
    }
    drop(progress);
    let Experiment { suite_name, preset, nodes, .. } = config.experiment.clone();
    let measured = Measured { suite: suite_name, problems, preset, nodes_a_problem: nodes, findings };
    workbench.finish(&measured)?;
    output.print(&measured, || measured.text())
}

impl Measured {
    /// For people.
    pub fn text(&self) -> String {
        let rows = self.findings.iter().map(Finding::cells);
        format!(
            "On {} ({} problems, {} nodes each, {}):\n\n{}{}",
            self.suite,
            self.problems,
            thousands(self.nodes_a_problem),
            self.preset,
            table(&Finding::HEADINGS, rows),
            exclusions(&self.findings)
        )
    }
}
