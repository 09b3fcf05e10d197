//! `plysmith completions`: what makes a shell complete our words.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::failure::Failure;
use crate::output::Output;

/// Print a script that makes a shell complete plysmith's commands
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  plysmith completions bash > ~/.local/share/bash-completion/completions/plysmith")]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut crate::Arguments::command(), "plysmith", &mut script);
    output.write(&String::from_utf8_lossy(&script))
}
