//! Makes a large store to try the dashboard on: copies of the runs of another store, each with many events.
//!
//! ```sh
//! cargo run --release -p plysmith-web --example large_store -- SOURCE_HOME TARGET_HOME RUNS EVENTS
//! ```
//!
//! Every event waits for the disk; `eatmydata` in front of the command makes it a matter of a minute.

use std::error::Error;

use plysmith_store::{Home, NewRun, Store};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [source, target, runs, events] = words.as_slice() else {
        return Err("expected: SOURCE_HOME TARGET_HOME RUNS EVENTS".into());
    };
    let (runs, events): (usize, u64) = (runs.parse()?, events.parse()?);
    let source = Store::open_to_read(&Home::at(source).store_path())?;
    let target = Store::open(&Home::at(target).store_path())?;
    let mut models = source.runs()?;
    models.retain(|run| run.result.is_some());
    if models.is_empty() {
        return Err("the source has no finished run".into());
    }
    for (number, run) in models.iter().cycle().take(runs).enumerate() {
        let stored = source.events(run.id)?;
        let new = NewRun {
            kind: run.kind.clone(),
            game: run.game.clone(),
            config: run.config.clone(),
            seed: run.seed,
            version: run.version.clone(),
            command: run.command.clone(),
            parent: None,
        };
        let claim = target.create_labelled_run(&new, Some(&format!("copy {number}")))?;
        for (seq, event) in (0..events).zip(stored.iter().cycle()) {
            target.append_event(claim.run(), seq, &event.kind, &event.payload)?;
        }
        target.finish_run(claim.run(), &run.result)?;
    }
    Ok(())
}
