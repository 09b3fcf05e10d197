//! The resulting weights and charts, for other programs.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::result::{Comparison, Tuned};
use crate::failure::Failure;
use plysmith_runs::files::{check_target, write_file};

/// Where results go besides standard output; part of the run, so that `resume` writes them too.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Files {
    /// The weights, as TOML or by the ending as JSON.
    pub out: Option<PathBuf>,
    /// A folder for the charts.
    pub charts: Option<PathBuf>,
    /// Whether files may be written over.
    pub force: bool,
}

/// The names of the two charts.
const CHARTS: [&str; 2] = ["nodes.svg", "weights.svg"];

impl Files {
    /// Whether nothing is to be written.
    pub fn are_none(&self) -> bool {
        *self == Files::default()
    }

    /// Whether all can be written, before work is done for it.
    pub fn check(&self) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            check_target(path, self.force)?;
        }
        if let Some(folder) = &self.charts {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::input(format!("cannot make the folder {}: {error}", folder.display())))?;
            CHARTS.iter().try_for_each(|name| check_target(&folder.join(name), self.force))?;
        }
        Ok(())
    }

    /// Writes them, and says what was written.
    pub fn write(&self, tuned: &Tuned) -> Result<Vec<PathBuf>, Failure> {
        let mut written = Vec::new();
        if let Some(path) = &self.out {
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

fn weights_file(path: &Path, tuned: &Tuned) -> Result<String, Failure> {
    if path.extension().is_some_and(|ending| ending == "json") {
        return Ok(serde_json::to_string_pretty(tuned).map_err(|error| Failure::Failed(error.into()))? + "\n");
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
