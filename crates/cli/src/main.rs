//! `plysmith`: the command line. Arguments become a command; a command prints one result.
//!
//! Results go to standard output, messages to standard error. Exit codes: 0 done, 1 failed, 2 the input is wrong,
//! 3 a check found something wrong, 130 interrupted.

mod arguments;
mod cluster;
mod commands;
mod failure;
mod forms;
mod output;
mod progress;
mod services;
mod signals;
mod stderr;
mod style;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

use plysmith_core::printable::is_unprintable;

use commands::Command;
use output::Output;

/// Learn which moves a game engine should search deeper, and by how much
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
  plysmith discover breakthrough --quick             find features worth extending, in seconds
  plysmith discover breakthrough                     repeat the papers' experiment, in minutes
  plysmith match --a classic+RdTt@0.5 --b classic    test whether a feature wins games
  plysmith tune chess --weights AcK,Rc --quick       learn the weights of two features
  plysmith resume                                    continue the newest interrupted run
  plysmith show 1                                    print the result of run 1

Exit codes: 0 success, 1 failure, 2 invalid input, 3 a check found errors, 130 interrupted.
Runs are stored in the folder PLYSMITH_HOME [default: the platform's data folder].
Platforms: Linux is tested. macOS and Windows are untested; there, external engines run without the guard that \
ends them with plysmith, because it uses Linux calls.";

/// Prints what is wrong with the arguments, or the help that was asked for.
fn refuse(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if text.contains(|letter| letter != '\n' && is_unprintable(letter)) {
        // Quoted from the command line, where a shell may have put the name of any file.
        stderr::say(text.trim_end());
        return ExitCode::from(2);
    }
    error.exit()
}

/// The command line. A negative number behind an option is its value, whether or not it is a possible one: the option
/// says what it expects.
pub fn command() -> clap::Command {
    fn with_negative_numbers(command: clap::Command) -> clap::Command {
        let takes_value = |arg: &clap::Arg| !arg.is_positional() && arg.get_action().takes_values();
        command
            .mut_args(|arg| if takes_value(&arg) { arg.allow_negative_numbers(true) } else { arg })
            .mut_subcommands(with_negative_numbers)
    }
    with_negative_numbers(Arguments::command())
}

fn main() -> ExitCode {
    signals::unblock();
    // Before anything else: this may be the process between a plysmith and an external engine.
    if let Some(code) = plysmith_engine::process::guard::run_if_asked(std::env::args_os()) {
        return code;
    }
    let parsed = command().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
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
