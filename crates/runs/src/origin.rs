//! Where a run comes from: the command that started it, and the label that the user gave it.

use plysmith_core::printable::is_unprintable;

use crate::error::RunError;

/// Where a run comes from. Stored with it; no result depends on it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The command line, word by word; empty if there was none.
    pub command: Vec<String>,
    /// A label for lists of runs.
    pub label: Option<String>,
}

/// No label is longer.
const MOST_LETTERS: usize = 100;

impl From<Vec<String>> for Origin {
    fn from(command: Vec<String>) -> Origin {
        Origin { command, label: None }
    }
}

/// A label as it is stored: without spaces around it. Fails if it is too long, or not one line of text, or could be
/// taken for a run number.
pub fn parse_label(text: &str) -> Result<String, RunError> {
    let label = text.trim();
    let reason = if label.is_empty() {
        "it is empty"
    } else if label.chars().count() > MOST_LETTERS {
        "it has more than 100 characters"
    } else if label.contains(is_unprintable) {
        "it has control characters or several lines"
    } else if label == "last" || label.parse::<i64>().is_ok() {
        "commands would take it for a run number; add a word"
    } else {
        return Ok(label.to_string());
    };
    Err(RunError::input(format!("'{label}' is not a possible label: {reason}")))
}

#[cfg(test)]
mod tests {
    use super::parse_label;

    #[test]
    fn labels_are_one_line_of_text() {
        assert_eq!(parse_label(" king safety, take 2 ").unwrap(), "king safety, take 2");
        for text in ["", " ", "7", "-7", "last", "a\nb", "\u{1b}[2J", &"x".repeat(101)] {
            assert!(parse_label(text).unwrap_err().to_string().contains("is not a possible label"), "{text:?}");
        }
    }
}
