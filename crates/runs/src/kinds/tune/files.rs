//! Weights and charts as files for other programs.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf, absolute};

use serde::{Deserialize, Serialize};

use super::result::{Comparison, Tuned};
use crate::error::RunError;
use crate::files::{check_target, write_file};

/// Files to write. Part of the run, so that `resume` writes them too.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Files {
    /// The weights, as TOML, or as JSON if the name ends in `.json`.
    #[serde(rename = "out")]
    pub weights: Option<PathBuf>,
    /// A folder for the charts.
    pub charts: Option<PathBuf>,
    /// Whether files may be replaced.
    pub force: bool,
}

/// The names of the two charts.
const CHARTS: [&str; 2] = ["nodes.svg", "weights.svg"];

impl Files {
    /// Files with absolute paths, so that a run can be resumed from another folder.
    pub fn new(weights: Option<&Path>, charts: Option<&Path>, force: bool) -> Result<Files, RunError> {
        let from_here = |path: &Path| {
            absolute(path).map_err(|error| RunError::input(format!("cannot write {}: {error}", path.display())))
        };
        Ok(Files { weights: weights.map(from_here).transpose()?, charts: charts.map(from_here).transpose()?, force })
    }

    /// Whether no file is to be written.
    pub(super) fn are_none(&self) -> bool {
        *self == Files::default()
    }

    /// Fails if a file cannot be written, before work is done for it.
    pub(super) fn check(&self) -> Result<(), RunError> {
        if let Some(path) = &self.weights {
            check_target(path, self.force)?;
        }
        if let Some(folder) = &self.charts {
            fs::create_dir_all(folder)
                .map_err(|error| RunError::input(format!("cannot make the folder {}: {error}", folder.display())))?;
            CHARTS.iter().try_for_each(|name| check_target(&folder.join(name), self.force))?;
        }
        Ok(())
    }

    /// Writes the files; returns their paths.
    pub(super) fn write(&self, tuned: &Tuned) -> Result<Vec<PathBuf>, RunError> {
        let mut written = Vec::new();
        if let Some(path) = &self.weights {
            write_file(path, &weights_file(path, tuned)?, self.force)?;
            written.push(path.clone());
        }
        if let Some(folder) = &self.charts {
            for (name, chart) in CHARTS.iter().zip(tuned.charts()) {
                let path = folder.join(name);
                write_file(&path, &chart.svg(), self.force)?;
                written.push(path);
            }
        }
        Ok(written)
    }
}

fn weights_file(path: &Path, tuned: &Tuned) -> Result<String, RunError> {
    if path.extension().is_some_and(|ending| ending == "json") {
        return Ok(serde_json::to_string_pretty(tuned).map_err(RunError::failed)? + "\n");
    }
    Ok(toml(tuned))
}

/// The weights as TOML. What it came from stands in comments.
fn toml(tuned: &Tuned) -> String {
    let mut text = format!(
        "# Weights of {} on {}, {} nodes a problem, by {}.\n",
        comment(&tuned.game),
        comment(&tuned.suite),
        tuned.nodes_a_problem,
        tuned.optimiser
    );
    let change = |of: &Comparison| {
        format!("{:+.2} % nodes, {} to {} solved", 100.0 * of.change, of.start.solved, of.tuned.solved)
    };
    let _ = writeln!(text, "# Training: {}", change(&tuned.training));
    if let Some(held_out) = &tuned.held_out {
        let _ = writeln!(text, "# Held out: {}", change(held_out));
    }
    if let Some(scheme) = &tuned.setting.scheme {
        let _ = writeln!(text, "scheme = {}", quoted(scheme));
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
    text.replace(|letter: char| letter.is_control(), " ")
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", letter as u32);
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
        assert_eq!(quoted("Check \"PV\"\\\n"), r#""Check \"PV\"\\\u000a""#);
    }
}
