//! The kinds of runs: how each is read back from the store, gone on with and printed.

use std::num::NonZeroUsize;

use plysmith_store::{Event, Run};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::contest::{GAME, GameEvent};
use super::experiment::Finding;
use super::{discover, evolve, matches, mate_table, measure, reproduce, tournament, tune};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::output::{Output, table};
use crate::workbench::Workbench;

/// The configuration of a run.
pub enum Config {
    Discover(discover::Config),
    Measure(measure::Config),
    Reproduce(reproduce::Config),
    Match(matches::Config),
    Tournament(tournament::Config),
    Evolve(evolve::Config),
    MateTable(mate_table::Config),
    Tune(tune::Config),
    Compare(tune::compare::Config),
}

/// What a measurement has in every kind of run.
const FINDING_COLUMNS: &[&str] = &["feature", "solved", "tried", "nodes", "mean_depth", "mean_height", "frequencies"];
/// What a game has.
const GAME_COLUMNS: &[&str] = &["contest", "number", "white", "black", "winner", "end", "position", "nodes", "seed"];

/// What an iteration of a tuning has.
const ITERATION_COLUMNS: &[&str] = &[
    "optimiser",
    "iteration",
    "weights",
    "nodes",
    "solved",
    "problems",
    "relative",
    "held_out_nodes",
    "held_out_solved",
    "held_out_problems",
];

impl Config {
    /// Reads back what a run was begun with.
    pub fn read(run: &Run) -> Result<Config, Failure> {
        let config = run.config.clone();
        match run.kind.as_str() {
            discover::KIND => Ok(Config::Discover(decode(run, config)?)),
            measure::KIND => Ok(Config::Measure(decode(run, config)?)),
            reproduce::KIND => Ok(Config::Reproduce(decode(run, config)?)),
            matches::KIND => Ok(Config::Match(decode(run, config)?)),
            tournament::KIND => Ok(Config::Tournament(decode(run, config)?)),
            evolve::KIND => Ok(Config::Evolve(decode(run, config)?)),
            mate_table::KIND => Ok(Config::MateTable(decode(run, config)?)),
            tune::KIND => Ok(Config::Tune(decode(run, config)?)),
            tune::compare::KIND => Ok(Config::Compare(decode(run, config)?)),
            kind => Err(Failure::input(format!("run {} is a '{kind}', which this plysmith does not know", run.id))),
        }
    }

    /// The stored events that are the run's data, and their fields for a table.
    pub fn rows(&self) -> (&'static str, &'static [&'static str]) {
        match self {
            Config::Discover(_) => (discover::EVALUATION, FINDING_COLUMNS),
            Config::Measure(_) => (measure::MEASUREMENT, FINDING_COLUMNS),
            Config::Reproduce(config) if config.table == reproduce::Table::Table2 => {
                (discover::EVALUATION, FINDING_COLUMNS)
            }
            Config::Reproduce(_) => (measure::MEASUREMENT, FINDING_COLUMNS),
            Config::Match(_) | Config::Tournament(_) => (GAME, GAME_COLUMNS),
            Config::Evolve(_) => (evolve::GENERATION, evolve::COLUMNS),
            Config::MateTable(_) => (mate_table::PROBLEM, mate_table::COLUMNS),
            Config::Tune(_) | Config::Compare(_) => (tune::ITERATION, ITERATION_COLUMNS),
        }
    }

    /// Does it, or goes on with it.
    pub fn perform(&self, journal: Journal, threads: Option<NonZeroUsize>, output: &Output) -> Result<(), Failure> {
        let workbench = |journal, experiment| Workbench::resume(journal, experiment, threads);
        match self {
            Config::Discover(config) => {
                discover::perform(config, workbench(journal, &config.experiment)?, threads, output)
            }
            Config::Measure(config) => measure::perform(config, workbench(journal, &config.experiment)?, output),
            Config::Reproduce(config) => reproduce::perform(config, workbench(journal, &config.experiment)?, output),
            Config::Match(config) => matches::perform(config, journal, threads, output),
            Config::Tournament(config) => tournament::perform(config, journal, threads, output),
            Config::Evolve(config) => evolve::perform(config, journal, threads, output),
            Config::MateTable(config) => mate_table::perform(config, journal, threads, output),
            Config::Tune(config) => tune::perform(config, journal, threads, output),
            Config::Compare(config) => tune::compare::perform(config, journal, threads, output),
        }
    }

    /// The result for people.
    pub fn text(&self, run: &Run, result: Value) -> Result<String, Failure> {
        Ok(match self {
            Config::Discover(config) => decode::<discover::Discovery>(run, result)?.text(config.top),
            Config::Measure(_) => decode::<measure::Measured>(run, result)?.text(),
            Config::Reproduce(config) => decode::<reproduce::Reproduction>(run, result)?.text(&config.experiment),
            Config::Match(config) => decode::<matches::MatchResult>(run, result)?.text(&config.play),
            Config::Tournament(config) => decode::<tournament::TournamentResult>(run, result)?.text(config),
            Config::Evolve(_) => decode::<evolve::Evolved>(run, result)?.text(),
            Config::MateTable(_) => decode::<mate_table::MateTable>(run, result)?.text(),
            Config::Tune(config) => decode::<tune::Tuned>(run, result)?.text(config.figure1),
            Config::Compare(config) => decode::<tune::compare::Rivalry>(run, result)?.text(config),
        })
    }

    /// What there is of an unfinished run, for people.
    pub fn text_so_far(&self, events: &[Event]) -> Result<String, Failure> {
        let (kind, _) = self.rows();
        let rows = events.iter().filter(|event| event.kind == kind);
        match self {
            Config::Discover(_) | Config::Measure(_) | Config::Reproduce(_) => {
                let findings = rows.map(Event::decode).collect::<Result<Vec<Finding>, _>>()?;
                let list = table(&Finding::HEADINGS, findings.iter().map(Finding::cells));
                Ok(format!("{} measurements so far:\n\n{list}", findings.len()))
            }
            Config::Tune(config) | Config::Compare(tune::compare::Config { tuning: config, .. }) => {
                let iterations = rows.map(Event::decode).collect::<Result<Vec<tune::IterationRow>, _>>()?;
                let names: Vec<_> = config.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
                Ok(format!("{} iterations so far:\n\n{}", iterations.len(), tune::rows_text(&names, &iterations)))
            }
            Config::Match(_) | Config::Tournament(_) => {
                let games = rows.map(Event::decode).collect::<Result<Vec<GameEvent>, _>>()?;
                Ok(format!("{} games so far; `plysmith export RUN --format pgn` has them\n", games.len()))
            }
            Config::Evolve(_) => Ok(evolve::text_so_far(&rows.map(Event::decode).collect::<Result<Vec<_>, _>>()?)),
            Config::MateTable(_) => Ok(format!("{} problems tried so far\n", rows.count())),
        }
    }
}

fn decode<T: DeserializeOwned>(run: &Run, value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| {
        let message = format!("run {} is not stored as this plysmith ({}) expects", run.id, env!("CARGO_PKG_VERSION"));
        Failure::Failed(anyhow::Error::new(error).context(message))
    })
}
