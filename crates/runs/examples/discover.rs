//! Discovers features without the command line: opens a suite, runs Gradual Focus on a few atoms, cancels the run after
//! its first evaluation, resumes it, and prints the table.
//!
//! `cargo run --release --example discover -- my.suite` uses your own suite.

use std::path::Path;
use std::sync::Arc;

use plysmith_core::games;
use plysmith_runs::kinds::discover::{Config, Discover};
use plysmith_runs::suites::read_suite;
use plysmith_runs::{Experiment, RunError, Services, resume, start};
use plysmith_store::{Home, Store};

/// Runs the example.
pub fn main() -> Result<(), RunError> {
    let home = Home::at(std::env::temp_dir().join(format!("plysmith-example-{}", std::process::id())));
    let services = Services::new(Arc::new(Store::open(&home.store_path())?));

    let game = games::find("breakthrough")?;
    let mut experiment = Experiment { nodes: 2_000, ..Experiment::bundled(game)? };
    if let Some(file) = std::env::args().nth(1).filter(|argument| Path::new(argument).is_file()) {
        experiment.suite = read_suite(Some(game), Path::new(&file), false, &|note| eprintln!("{note}"))?.suite;
    }
    experiment.suite.problems.truncate(30);
    let atoms = ["Ud", "PP", "RdTt", "Rdt"].map(String::from).to_vec();
    let config = Config { base: atoms, ..Config::new(experiment, &game.into())? };

    let mut handle = start::<Discover>(config, &services)?;
    while handle.new_events()?.is_empty() && !handle.is_over() {
        std::thread::yield_now();
    }
    handle.cancel();
    let run = handle.run();
    match handle.join() {
        Ok(discovery) => println!("finished before it could be cancelled: {} evaluations", discovery.evaluations),
        Err(RunError::Cancelled(_)) => println!("{}", resume(run, &services)?.view),
        Err(error) => return Err(error),
    }
    std::fs::remove_dir_all(home.folder()).map_err(RunError::failed)
}
