//! The kinds of runs: how each is read back from the store, gone on with and printed.

use plysmith_store::Run;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{discover, measure, reproduce};
use crate::failure::Failure;
use crate::output::Output;
use crate::workbench::{Experiment, Workbench};

/// The configuration of a run.
pub enum Config {
    Discover(discover::Config),
    Measure(measure::Config),
    Reproduce(reproduce::Config),
}

impl Config {
    /// Reads back what a run was begun with.
    pub fn read(run: &Run) -> Result<Config, Failure> {
        let config = run.config.clone();
        match run.kind.as_str() {
            discover::KIND => Ok(Config::Discover(decode(run, config)?)),
            measure::KIND => Ok(Config::Measure(decode(run, config)?)),
            reproduce::KIND => Ok(Config::Reproduce(decode(run, config)?)),
            kind => Err(Failure::input(format!("run {} is a '{kind}', which this plysmith does not know", run.id))),
        }
    }

    /// What it is an experiment on.
    pub fn experiment(&self) -> &Experiment {
        match self {
            Config::Discover(config) => &config.experiment,
            Config::Measure(config) => &config.experiment,
            Config::Reproduce(config) => &config.experiment,
        }
    }

    /// The stored events that each stand for one measurement.
    pub fn measurement_events(&self) -> &'static str {
        match self {
            Config::Discover(_) => discover::EVALUATION,
            Config::Measure(_) => measure::MEASUREMENT,
            Config::Reproduce(config) if config.table == reproduce::Table::Table2 => discover::EVALUATION,
            Config::Reproduce(_) => measure::MEASUREMENT,
        }
    }

    /// Does it, or goes on with it.
    pub fn perform(&self, workbench: Workbench, output: &Output) -> Result<(), Failure> {
        match self {
            Config::Discover(config) => discover::perform(config, workbench, output),
            Config::Measure(config) => measure::perform(config, workbench, output),
            Config::Reproduce(config) => reproduce::perform(config, workbench, output),
        }
    }

    /// The result for people.
    pub fn text(&self, run: &Run, result: Value) -> Result<String, Failure> {
        Ok(match self {
            Config::Discover(config) => decode::<discover::Discovery>(run, result)?.text(config.top),
            Config::Measure(_) => decode::<measure::Measured>(run, result)?.text(),
            Config::Reproduce(config) => decode::<reproduce::Reproduction>(run, result)?.text(&config.experiment),
        })
    }
}

fn decode<T: DeserializeOwned>(run: &Run, value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| {
        let message = format!("run {} is not stored as this plysmith ({}) expects", run.id, env!("CARGO_PKG_VERSION"));
        Failure::Failed(anyhow::Error::new(error).context(message))
    })
}
