//! `plysmith show`: one run, as far as it got.

use clap::Args;
use plysmith_store::{Run, RunId, Status, Store};

use super::evolve;
use super::kind::Config;
use crate::failure::Failure;
use crate::services::open_store;
use crate::output::Output;

/// Show a run: its settings and what it found
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith show 1
  plysmith show 1 --json
  plysmith show 3 --generation 12          who lived then, in a run of `plysmith evolve`")]
pub struct Arguments {
    /// The run's number
    run: String,

    /// Of an evolution, the population of this generation
    #[arg(long, value_name = "N")]
    generation: Option<u32>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let store = open_store()?;
    let id: RunId = arguments.run.parse()?;
    let run = store.run(id)?;
    if let Some(number) = arguments.generation {
        let generation = evolve::generation(&run, &store.events(id)?, number)?;
        return output.print(&generation, || generation.text());
    }
    let text = text(&store, &run)?;
    output.print(&store.export_json(id)?, || text)
}

fn text(store: &Store, run: &Run) -> Result<String, Failure> {
    let config = Config::read(run)?;
    let command: Vec<_> = run.command.iter().skip(1).map(String::as_str).collect();
    let text = format!(
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
    let so_far = config.text_so_far(&store.events(run.id)?)?;
    let next = match run.status {
        Status::Running => "It is being worked on.".to_string(),
        _ => format!("Go on with `plysmith resume {}`.", run.id),
    };
    Ok(format!("{text}{so_far}\n{next}\n"))
}
