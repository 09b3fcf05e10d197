//! `plysmith show`: one run, as far as it got.

use clap::Args;
use plysmith_core::printable::printable;
use plysmith_runs::kinds::evolve;
use plysmith_runs::runs;
use plysmith_store::{Run, Status, Store};

use super::export::write_json;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::open_store_to_read;

/// Print the settings and the result of a run
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith show 1
  plysmith show 1 --json
  plysmith show 3 --generation 12")]
pub struct Arguments {
    /// Number of the run
    run: String,

    /// For a run of `plysmith evolve`, print the population of this generation
    #[arg(long, value_name = "N")]
    generation: Option<u32>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let store = open_store_to_read()?;
    let run = store.run(arguments.run.parse()?)?;
    if let Some(number) = arguments.generation {
        let generation = evolve::generation(&run, &store.events(run.id)?, number)?;
        return output.print(&generation, || generation.view().to_string());
    }
    if output.is_json() {
        return output.stream(|out| write_json(&store, &run, out));
    }
    output.write(&text(&store, &run)?)
}

fn text(store: &Store, run: &Run) -> Result<String, Failure> {
    let command: Vec<_> = run.command.iter().skip(1).map(|word| printable(word)).collect();
    let header = format!(
        "Run {}: plysmith {}\n{}, seed {}, made by plysmith {}\n\n",
        run.id,
        command.join(" "),
        run.status,
        run.seed,
        run.version
    );
    let body = runs::view(store, run)?.to_string();
    let footer = match run.status {
        Status::Finished => String::new(),
        Status::Running => "\nThe run is in progress.\n".to_string(),
        Status::Interrupted => match runs::can_continue(run) {
            Ok(()) => format!("\nContinue with `plysmith resume {}`.\n", run.id),
            Err(error) => format!("\nNote: {error}\n"),
        },
    };
    Ok(header + &body + &footer)
}
