//! Weights and charts as files for other programs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use plysmith_core::printable::{is_unprintable, printable_json};

use super::files::{CHARTS, Files};
use super::result::{Comparison, Tuned};
use crate::error::RunError;
use crate::files::write_file;

/// Writes the files; returns their paths.
pub(super) fn write(files: &Files, tuned: &Tuned) -> Result<Vec<PathBuf>, RunError> {
    let mut written = Vec::new();
    if let Some(path) = &files.weights {
        write_file(path, &weights_file(path, tuned)?, files.force)?;
        written.push(path.clone());
    }
    if let Some(folder) = &files.charts {
        for (name, chart) in CHARTS.iter().zip(tuned.charts()) {
            let path = folder.join(name);
            write_file(&path, &chart.svg(), files.force)?;
            written.push(path);
        }
    }
    Ok(written)
}

fn weights_file(path: &Path, tuned: &Tuned) -> Result<String, RunError> {
    if path.extension().is_some_and(|ending| ending == "json") {
        let json = serde_json::to_string_pretty(tuned).map_err(RunError::failed)? + "\n";
        return Ok(printable_json(&json).into_owned());
    }
    Ok(toml(tuned))
}

/// The weights as TOML. Comments say how they were found.
fn toml(tuned: &Tuned) -> String {
    let mut text = format!(
        "# Weights of {} on {}, {} nodes per problem, by {}.\n",
        comment(&tuned.game),
        comment(&tuned.suite),
        tuned.nodes_a_problem,
        tuned.optimiser
    );
    let (cost, solved) = (tuned.words().cost(), tuned.words().solved());
    let change = |of: &Comparison| {
        format!("{:+.2} % {cost}, {} to {} {solved}", 100.0 * of.change, of.start.solved, of.tuned.solved)
    };
    let _ = writeln!(text, "# Training: {}", change(&tuned.training));
    if let Some(held_out) = &tuned.held_out {
        let _ = writeln!(text, "# Held out: {}", change(held_out));
    }
    for (name, value) in [("preset", &tuned.setting.preset), ("scheme", &tuned.setting.scheme)] {
        if let Some(value) = value {
            let _ = writeln!(text, "{name} = {}", quoted(value));
        }
    }
    if !tuned.setting.commands.is_empty() {
        let lines: Vec<_> = tuned.setting.commands.iter().map(|line| format!("  {},\n", quoted(line))).collect();
        let _ = writeln!(text, "commands = [\n{}]", lines.concat());
    }
    text += "\n[weights]\n";
    for weight in &tuned.weights {
        let note = if weight.is_idle { " # no effect seen" } else { "" };
        let _ = writeln!(text, "{} = {}{note}", quoted(&weight.name), weight.value);
    }
    text
}

/// Text for a comment, which ends with its line.
fn comment(text: &str) -> String {
    text.replace(is_unprintable, " ")
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if is_unprintable(letter) => {
                let _ = write!(quoted, "\\U{:08x}", letter as u32);
            }
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_are_quoted_as_toml_wants_it() {
        assert_eq!(quoted("Check \"PV\"\\\n"), r#""Check \"PV\"\\\U0000000a""#);
    }
}
