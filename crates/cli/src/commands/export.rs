//! `plysmith export`: a run for other programs.

use std::io::Write;
use std::path::Path;

use clap::{Args, ValueEnum};
use plysmith_core::printable::{printable_json, printable_lines};
use plysmith_runs::kinds::reductions::TableFormat;
use plysmith_runs::listing::find;
use plysmith_runs::{export, pgn};
use plysmith_store::{Run, Store};

use crate::arguments::OutputArguments;
use crate::arguments::pgn::PgnArguments;
use crate::failure::Failure;
use crate::output::{Escaped, Output};
use crate::services::open_store_to_read;

/// Export a run as JSON, CSV or PGN, or a learned table of reductions as code
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith export 1 > run.json
  plysmith export 1 --output run.csv
  plysmith export last --output games.pgn
  plysmith export 2 --output reductions.rs
  plysmith export 3 --format pgn --pgn-comments cutechess --pgn-with nodes
  plysmith export 2 --format openbench")]
pub struct Arguments {
    /// Number or label of the run; 'last' is the newest
    run: String,

    /// Output format [default: by the ending of the file: .json, .csv, .jsonl, .pgn, .txt, .rs, .c, .h; else json]
    #[arg(long, value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    pgn_style: PgnArguments,

    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// The whole run: settings, events and result
    Json,
    /// One row for each measurement or game, with numbers and names only, for pandas and spreadsheets
    Csv,
    /// One row for each measurement or game as JSON, an object a line, with the columns of csv
    Jsonl,
    /// The games of a match or tournament
    Pgn,
    /// A learned table of reductions as conjunctions with amounts in plies
    Text,
    /// A learned table of reductions as Rust constants, in 1024ths of a ply
    Rust,
    /// A learned table of reductions as C constants, in 1024ths of a ply
    C,
    /// Lines for SPSA on OpenBench: 'name, int, value, min, max, C_end, R_end'
    Openbench,
    /// Lines for SPSA on fishtest: 'name,value,min,max,c_end,r_end'
    Fishtest,
}

impl Format {
    /// The format that the ending of a file's name stands for.
    fn of_file(path: Option<&Path>) -> Format {
        let ending = path.and_then(Path::extension).map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("csv") => Format::Csv,
            Some("jsonl" | "ndjson") => Format::Jsonl,
            Some("pgn") => Format::Pgn,
            Some("txt") => Format::Text,
            Some("rs") => Format::Rust,
            Some("c" | "h") => Format::C,
            _ => Format::Json,
        }
    }

    /// What a table is written as.
    fn table(self) -> Option<TableFormat> {
        match self {
            Format::Json | Format::Csv | Format::Jsonl | Format::Pgn => None,
            Format::Text => Some(TableFormat::Text),
            Format::Rust => Some(TableFormat::Rust),
            Format::C => Some(TableFormat::C),
            Format::Openbench => Some(TableFormat::OpenBench),
            Format::Fishtest => Some(TableFormat::Fishtest),
        }
    }
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    arguments.output.check()?;
    let store = open_store_to_read()?;
    let run = find(&store, &arguments.run)?;
    let format = arguments.format.unwrap_or_else(|| Format::of_file(arguments.output.output.as_deref()));
    let produce = |out: &mut dyn Write| match format {
        Format::Json => write_json(&store, &run, out),
        Format::Csv => Ok(export::csv(&store, &run, Escaped::new(out, printable_lines))?),
        Format::Jsonl => Ok(export::json_lines(&store, &run, Escaped::new(out, printable_json))?),
        Format::Pgn => Ok(pgn::write(&store, &run, &arguments.pgn_style.style(), out)?),
        format => {
            let table = export::table(&run, format.table().unwrap_or(TableFormat::Text))?;
            out.write_all(printable_lines(&table).as_bytes()).map_err(|error| Failure::Failed(error.into()))
        }
    };
    if arguments.output.output.is_none() {
        return output.stream(produce);
    }
    // A file is written as a whole or not at all.
    let mut contents = Vec::new();
    produce(&mut contents)?;
    arguments.output.write(&String::from_utf8_lossy(&contents)).map(|_| ())
}

/// Writes a whole run as JSON, an event at a time.
pub fn write_json(store: &Store, run: &Run, out: &mut dyn Write) -> Result<(), Failure> {
    let failed = |error: serde_json::Error| Failure::Failed(error.into());
    let escaped = Escaped::new(&mut *out, printable_json);
    serde_json::to_writer_pretty(escaped, &export::json(store, run)?).map_err(failed)?;
    out.write_all(b"\n").map_err(|error| Failure::Failed(error.into()))
}
