//! `plysmith export`: a run for other programs.

use clap::{Args, ValueEnum};
use plysmith_core::printable::{printable_json, printable_lines};
use plysmith_runs::{export, pgn};
use plysmith_store::RunId;

use crate::arguments::OutputArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::open_store_to_read;

/// Export a run as JSON, CSV or PGN
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith export 1 > run.json
  plysmith export 1 --format csv --output run.csv")]
pub struct Arguments {
    /// Number of the run
    run: String,

    /// Output format
    #[arg(long, value_enum, default_value = "json")]
    format: Format,

    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// The whole run: settings, events and result
    Json,
    /// One row for each measurement or game
    Csv,
    /// The games of a match or tournament
    Pgn,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let id: RunId = arguments.run.parse()?;
    arguments.output.check()?;
    let store = open_store_to_read()?;
    let run = store.run(id)?;
    let contents = match arguments.format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&export::json(&store, &run)?);
            let json = json.map_err(|error| Failure::Failed(error.into()))? + "\n";
            printable_json(&json).into_owned()
        }
        Format::Csv => {
            let mut csv = Vec::new();
            export::csv(&store, &run, &mut csv)?;
            printable_lines(&String::from_utf8_lossy(&csv)).into_owned()
        }
        Format::Pgn => pgn::print(&store, &run)?,
    };
    if arguments.output.write(&contents)? { Ok(()) } else { output.write_raw(&contents) }
}
