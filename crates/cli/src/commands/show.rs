//! `plysmith show`: one run, as far as it got.

use clap::Args;
use plysmith_store::{Run, RunId, Status, Store};

use super::experiment::Finding;
use super::kind::Config;
use crate::failure::Failure;
use crate::output::{Output, table, thousands};
use crate::workbench::open_store;

/// Show a run: its settings and what it found
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith show 1
  plysmith show 1 --json")]
pub struct Arguments {
    /// The run's number
    run: String,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let store = open_store()?;
    let id: RunId = arguments.run.parse()?;
    let run = store.run(id)?;
    let text = text(&store, &run)?;
    output.print(&store.export_json(id)?, || text)
}

fn text(store: &Store, run: &Run) -> Result<String, Failure> {
    let config = Config::read(run)?;
    let experiment = config.experiment();
    let command: Vec<_> = run.command.iter().skip(1).map(String::as_str).collect();
    let mut text = format!(
        "Run {}: plysmith {}\n{}, seed {}, made by plysmith {}\n\n",
        run.id,
        command.join(" "),
        run.status,
        run.seed,
        run.version
    );
    if let Some(result) = &run.result {
        return Ok(text + &config.text(run, result.clone())?);
    }
    let events = store.events(run.id)?;
    let findings: Vec<Finding> = events
        .iter()
        .filter(|event| event.kind == config.measurement_events())
        .map(|event| event.decode())
        .collect::<Result<_, _>>()?;
    text += &format!(
        "{} measurements so far on {} ({} nodes a problem, {}):\n\n",
        findings.len(),
        experiment.suite_name,
        thousands(experiment.nodes),
        experiment.preset
    );
    text += &table(&Finding::HEADINGS, findings.iter().map(Finding::cells));
    text += &match run.status {
        Status::Running => "\nIt is being worked on.\n".to_string(),
        _ => format!("\nGo on with `plysmith resume {}`.\n", run.id),
    };
    Ok(text)
}
