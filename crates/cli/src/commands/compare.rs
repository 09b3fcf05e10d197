//! `plysmith compare`: stored runs side by side.

use clap::Args;
use plysmith_runs::compare::compare;
use plysmith_runs::listing::find;

use crate::failure::Failure;
use crate::output::Output;
use crate::services::open_store_to_read;

/// Compare runs: their results, and the settings in which they differ
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith compare 3 7
  plysmith compare baseline last --json")]
pub struct Arguments {
    /// Numbers or labels of two or more runs; 'last' is the newest
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    runs: Vec<String>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let store = open_store_to_read()?;
    let runs = arguments.runs.iter().map(|text| find(&store, text)).collect::<Result<Vec<_>, _>>()?;
    let comparison = compare(&store, &runs)?;
    output.print_view(&comparison, || comparison.view())
}
