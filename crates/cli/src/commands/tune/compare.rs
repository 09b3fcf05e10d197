//! `plysmith tune … --compare`: all optimisers on the same problems, with equally many evaluations.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::config::{self, MethodConfig};
use super::result::{Comparison, MethodRow};
use super::session::{Session, try_method};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::output::{Output, percent, table, thousands};
use crate::progress;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The problems and the weights; its own method is passed over.
    pub tuning: config::Config,
    pub methods: Vec<MethodConfig>,
    /// Measurements of all training problems that each may ask for.
    pub evaluations: u32,
}

/// What all made of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rivalry {
    pub evaluations: u32,
    pub rows: Vec<MethodRow>,
}

pub const KIND: &str = "compare-optimisers";
const METHOD: &str = "method";

/// Begins a run.
pub fn begin(config: &Config, threads: Option<NonZeroUsize>, output: &Output) -> Result<(), Failure> {
    let session = Session::set_up(&config.tuning, threads)?;
    let experiment = &config.tuning.experiment;
    let journal = Journal::begin(KIND, &experiment.game, experiment.seed, config)?;
    finish(config, session, journal, output)
}

/// Goes on with a run.
pub fn perform(
    config: &Config,
    journal: Journal,
    threads: Option<NonZeroUsize>,
    output: &Output,
) -> Result<(), Failure> {
    finish(config, Session::set_up(&config.tuning, threads)?, journal, output)
}

fn finish(config: &Config, mut session: Session, journal: Journal, output: &Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for method in &config.methods {
        let tuning = config::Config { method: method.clone(), ..config.tuning.clone() };
        let progress = progress::begin(1);
        progress.note(format!("{}:", method.optimiser));
        let row = try_method(&tuning, &mut session, (&journal, &progress), config.evaluations as usize)?;
        drop(progress);
        journal.record(METHOD, &row)?;
        rows.push(row);
    }
    let rivalry = Rivalry { evaluations: config.evaluations, rows };
    let run = journal.run();
    journal.finish(&rivalry)?;
    output.print(&rivalry, || format!("{}\nRun {run}.\n", rivalry.text(config)))
}

impl Rivalry {
    /// For people.
    pub fn text(&self, config: &Config) -> String {
        let experiment = &config.tuning.experiment;
        let names: Vec<_> = config.tuning.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let cells = self.rows.iter().map(|row| {
            let of =
                |comparison: Option<&Comparison>, part: fn(&Comparison) -> String| comparison.map_or("–".into(), part);
            let solved = |one: &Comparison| percent(one.tuned.share());
            let held_out = row.held_out.as_ref();
            vec![
                row.optimiser.clone(),
                row.evaluations.to_string(),
                row.best_in.to_string(),
                of(Some(&row.training), Comparison::change_text),
                solved(&row.training),
                of(held_out, Comparison::change_text),
                of(held_out, solved),
                row.weights.clone(),
            ]
        });
        let headings = [
            "optimiser",
            ">evaluations",
            ">best in iteration",
            ">training nodes",
            ">solved",
            ">held-out nodes",
            ">solved",
            "weights",
        ];
        format!(
            "Optimisers on {} ({} nodes a problem, {}, {} agreement), weights {}, at most {} evaluations each:\n\n{}\n\
             Nodes are compared with those of the start. An evaluation measures all training problems once.\n",
            experiment.suite_name,
            thousands(experiment.nodes),
            experiment.preset,
            config.tuning.policy,
            names.join(" "),
            self.evaluations,
            table(&headings, cells)
        )
    }
}
