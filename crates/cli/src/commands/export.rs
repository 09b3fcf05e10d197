//! `plysmith export`: a run for other programs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use plysmith_store::RunId;

use super::kind::Config;
use super::pgn;
use crate::failure::Failure;
use plysmith_runs::files::{check_target, write_file};
use crate::services::open_store;
use crate::output::Output;

/// Export a run: all of it as JSON, its measurements or games as CSV, its games as PGN
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
    /// All of it
    Json,
    /// One row for each measurement or game
    Csv,
    /// The games of a match or tournament
    Pgn,
}

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
            let (kind, columns) = config.rows();
            store.export_csv(id, kind, columns, &mut csv)?;
            String::from_utf8_lossy(&csv).into_owned()
        }
        Format::Pgn => pgn::print(&store.run(id)?, &store.events(id)?)?,
    };
    match &arguments.output {
        Some(path) => write_file(path, &contents, arguments.force),
        None => output.write(&contents),
    }
}
