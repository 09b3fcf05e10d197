//! `plysmith measure`: one scheme on a suite.

use clap::Args;
use plysmith_core::games;
use plysmith_core::search::depth::Weight;
use serde::{Deserialize, Serialize};

use super::experiment::{ExperimentArguments, Finding};
use crate::failure::Failure;
use crate::output::{Output, table, thousands};
use crate::progress::Progress;
use crate::workbench::{Experiment, Workbench};

/// Measure schemes: how many problems a search solves with them
#[derive(Debug, Args)]
#[command(after_help = "\
A scheme is one or more features with weights: 'Ud-RdTt@0.5,PP@0.75'. Without '@' a feature weighs 0.5.
'Neutral' is the search without features. Alternatives with one weight are written 'Ud|(PP-Rdt)@0.5'.

Examples:
  plysmith measure breakthrough Neutral RdTt Ud-RdTt
  plysmith measure breakthrough 'RdTt@0.25,Rc-Rdb@0.75' --preset modern --nodes 100000")]
pub struct Arguments {
    /// The game
    game: String,

    /// The schemes
    #[arg(required = true, value_name = "SCHEME")]
    schemes: Vec<String>,

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
    let vocabulary = games::find(&arguments.game)?.vocabulary;
    let canonical =
        |text: &String| Ok::<_, Failure>(vocabulary.print_scheme(&vocabulary.parse_scheme(text, Weight::HALF)?));
    let config = Config {
        experiment: arguments.experiment.resolve(&arguments.game)?,
        schemes: arguments.schemes.iter().map(canonical).collect::<Result<_, _>>()?,
    };
    let workbench = Workbench::begin(KIND, &config.experiment, &config, arguments.experiment.threads.threads)?;
    perform(&config, workbench, output)
}

pub fn perform(config: &Config, mut workbench: Workbench, output: &Output) -> Result<(), Failure> {
    let vocabulary = workbench.game.vocabulary;
    let problems = workbench.problems();
    let progress = Progress::new((config.schemes.len() * problems) as u64);
    let mut findings = Vec::new();
    for text in &config.schemes {
        progress.say(text.clone());
        let scheme = vocabulary.parse_scheme(text, Weight::HALF)?;
        let measurement = workbench.measure(&scheme, None, &progress)?;
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
            "On {} ({} problems, {} nodes each, {}):\n\n{}",
            self.suite,
            self.problems,
            thousands(self.nodes_a_problem),
            self.preset,
            table(&Finding::HEADINGS, rows)
        )
    }
}
