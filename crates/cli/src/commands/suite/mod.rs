//! `plysmith suite`: makes suites, checks them, and selects from them.

mod check;
mod generate;
mod select;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::output::Output;

/// Generate, check and filter suites of problems
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Generate(generate::Arguments),
    Check(check::Arguments),
    Select(select::Arguments),
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    match &arguments.action {
        Action::Generate(arguments) => generate::run(arguments, output),
        Action::Check(arguments) => check::run(arguments, output),
        Action::Select(arguments) => select::run(arguments, output),
    }
}
