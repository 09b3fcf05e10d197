//! `plysmith export`: a run for other programs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use plysmith_store::RunId;

use super::kind::Config;
use crate::failure::Failure;
use crate::files::{check_target, write_file};
use crate::output::Output;
use crate::workbench::open_store;

/// Export a run: all of it as JSON, or its measurements as CSV
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith export 1 > run.json
  plysmith export 1 --format csv --output run.csv")]
pub struct Arguments {
    /// The run's number
    run: String,

    /// What to write
    #[arg(long, value_enum, default_value = "json")]
    format: Format,

    /// Where to [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write over a file that exists
    #[arg(long)]
    force: bool,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    Json,
    Csv,
}

/// What a measurement has in every kind of run.
const COLUMNS: &[&str] = &["feature", "solved", "tried", "nodes", "mean_depth", "mean_height", "frequencies"];

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let id: RunId = arguments.run.parse()?;
    if let Some(path) = &arguments.output {
        check_target(path, arguments.force)?;
    }
    let store = open_store()?;
    let contents = match arguments.format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&store.export_json(id)?);
            json.map_err(|error| Failure::Failed(error.into()))? + "\n"
        }
        Format::Csv => {
            let config = Config::read(&store.run(id)?)?;
            let mut csv = Vec::new();
            store.export_csv(id, config.measurement_events(), COLUMNS, &mut csv)?;
            String::from_utf8_lossy(&csv).into_owned()
        }
    };
    match &arguments.output {
        Some(path) => write_file(path, &contents, arguments.force),
        None => output.write(&contents),
    }
}
