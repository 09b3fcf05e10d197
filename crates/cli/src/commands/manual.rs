//! `plysmith manual`: man pages and completion scripts, in the folders where systems look for them.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::{Shell, generate};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;

/// Write man pages, and completion scripts for all shells
#[derive(Debug, Args)]
#[command(after_help = "\
The files go where man, bash, zsh and fish look for them below a folder 'share'. Files of earlier versions are replaced. A \
single completion script is printed by `plysmith completions`.

Examples:
  plysmith manual ~/.local/share
  sudo plysmith manual /usr/local/share")]
pub struct Arguments {
    /// Folder to write to, made if need be
    folder: PathBuf,
}

#[derive(Serialize)]
struct Written {
    files: Vec<PathBuf>,
}

/// Where a shell looks for the script, below a folder `share`.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/plysmith"),
    (Shell::Zsh, "zsh/site-functions/_plysmith"),
    (Shell::Fish, "fish/vendor_completions.d/plysmith.fish"),
];

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let mut files = Vec::new();
    for (shell, name) in COMPLETIONS {
        let mut script = Vec::new();
        generate(shell, &mut crate::command(), "plysmith", &mut script);
        files.push(write(&arguments.folder, name, &script)?);
    }
    let mut command = crate::command();
    command.build();
    write_pages(&command, &arguments.folder, &mut files)?;
    let written = Written { files };
    output.print(&written, || {
        let count = written.files.len() - COMPLETIONS.len();
        let folder = arguments.folder.display();
        format!("wrote {count} man pages and {} completion scripts below {folder}\n", COMPLETIONS.len())
    })
}

/// Writes the page of a command, and those of its subcommands.
fn write_pages(command: &clap::Command, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_string();
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered.map_err(|error| Failure::Failed(error.into()))?;
    files.push(write(folder, &format!("man/man1/{name}.1"), &page)?);
    command.get_subcommands().filter(|sub| !sub.is_hide_set()).try_for_each(|sub| write_pages(sub, folder, files))
}

fn write(folder: &Path, name: &str, contents: &[u8]) -> Result<PathBuf, Failure> {
    let path = folder.join(name);
    let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, contents));
    made.map_err(|error| Failure::input(format!("cannot write {}: {error}", path.display())))?;
    Ok(path)
}
