//! `plysmith`: the command line. What was typed becomes a command; a command prints one result.
//!
//! Standard output is data, standard error is talk. Exit codes: 0 done, 1 failed, 2 the input is wrong,
//! 3 a check found something wrong, 130 interrupted.

mod arguments;
mod commands;
mod failure;
mod output;
mod progress;
mod services;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use commands::Command;
use output::Output;

/// A workbench that learns search control for game engines.
#[derive(Debug, Parser)]
#[command(name = "plysmith", version, disable_help_subcommand = true, after_help = EXAMPLES)]
struct Arguments {
    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  plysmith discover breakthrough --quick    a first taste: features worth extending, in seconds
  plysmith discover breakthrough            the papers' experiment
  plysmith match --a classic+RdTt@0.5 --b classic
                                            does a feature win games?
  plysmith resume                           go on with what was interrupted
  plysmith show 1                           look at a run again

Exit codes: 0 done, 1 failed, 2 wrong input, 3 a check found something wrong, 130 interrupted.
Runs are kept in the folder PLYSMITH_HOME, or in the platform's data folder.";

fn main() -> ExitCode {
    // Before anything else: this may be the process between a plysmith and a foreign engine.
    if let Some(code) = plysmith_engine::process::guard::run_if_asked(std::env::args_os()) {
        return code;
    }
    let arguments = Arguments::parse();
    let output = Output::new(arguments.json);
    let result = match arguments.command {
        Some(command) => command.run(&output),
        None => commands::overview::run(&output),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}
