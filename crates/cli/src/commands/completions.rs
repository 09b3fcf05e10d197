//! `plysmith completions`: completion scripts for shells.

use clap::Args;
use clap_complete::{Shell, generate};

use crate::failure::Failure;
use crate::output::Output;

/// Print a shell completion script
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  plysmith completions bash > ~/.local/share/bash-completion/completions/plysmith")]
pub struct Arguments {
    /// Shell
    shell: Shell,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut crate::command(), "plysmith", &mut script);
    output.write_raw(&String::from_utf8_lossy(&script))
}
