//! `plysmith show`: one run, as far as it got.

use clap::Args;
use plysmith_core::printable::printable;
use plysmith_runs::kinds::evolve;
use plysmith_runs::listing::{RunLine, find, line};
use plysmith_runs::runs;
use plysmith_runs::time::{duration, local};
use plysmith_store::{Run, Status, Store};

use super::export::write_json;
use crate::arguments::count::count;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::open_store_to_read;
use crate::style::render;

/// Print the settings and the result of a run
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith show 1
  plysmith show last
  plysmith show 1 --json
  plysmith show 3 --generation 12")]
pub struct Arguments {
    /// Number or label of the run; 'last' is the newest
    run: String,

    /// For a run of `plysmith evolve`, print the population of this generation
    #[arg(long, value_name = "N", value_parser = count::<u32>(..))]
    generation: Option<u32>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let store = open_store_to_read()?;
    let run = find(&store, &arguments.run)?;
    if let Some(number) = arguments.generation {
        let generation = evolve::generation(&run, &store.events(run.id)?, number)?;
        return output.print_view(&generation, || generation.view());
    }
    if output.is_json() {
        return output.stream(|out| write_json(&store, &run, out));
    }
    let view = runs::view(&store, &run)?;
    output.write(&header(&store, &run))?;
    output.write_raw(&render(&view))?;
    output.write(&footer(&run))
}

/// When it was begun, how long it took, and how far it is, as far as that is known.
fn timing(line: &RunLine) -> String {
    let mut text = format!("begun {}", local(line.created_at));
    if let Some(seconds) = line.seconds {
        text += &format!(", worked on for {}", duration(seconds));
    }
    if let Some(share) = line.progress {
        text += &format!("; {:.0} % of this phase done", 100.0 * share);
    }
    text
}

/// What the run is.
fn header(store: &Store, run: &Run) -> String {
    let command: Vec<_> = run.command.iter().skip(1).map(|word| printable(word)).collect();
    format!(
        "Run {}{}: plysmith {}\n{}, seed {}, made by plysmith {}\n{}\n\n",
        run.id,
        run.label.as_ref().map_or(String::new(), |label| format!(" ({})", printable(label))),
        command.join(" "),
        run.status,
        run.seed,
        run.version,
        timing(&line(store, run))
    )
}

/// Says how to resume an unfinished run.
fn footer(run: &Run) -> String {
    match run.status {
        Status::Finished => String::new(),
        Status::Running => "\nThe run is in progress.\n".to_string(),
        Status::Interrupted => match runs::can_continue(run) {
            Ok(()) => format!("\nContinue with `plysmith resume {}`.\n", run.id),
            Err(error) => format!("\nNote: {error}\n"),
        },
    }
}
