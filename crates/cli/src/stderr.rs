//! Diagnostics on standard error.

use std::io::Write;

use plysmith_core::printable::printable_lines;

use crate::style::{coloured, colours_stderr};

/// Prints a diagnostic to stderr, with control characters from outside escaped. A closed stderr is ignored.
pub fn say(message: impl std::fmt::Display) {
    let message = as_one_message(&message.to_string());
    let message = if colours_stderr() { coloured(&message) } else { message };
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// Every line after the first is indented: a line break in a file's name cannot begin a message of its own.
fn as_one_message(message: &str) -> String {
    let mut lines = Vec::new();
    for (number, line) in printable_lines(message).split('\n').enumerate() {
        let indent = if number == 0 || line.is_empty() || line.starts_with(' ') { "" } else { "  " };
        lines.push(format!("{indent}{line}"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::as_one_message;

    #[test]
    fn a_message_stays_one_message() {
        assert_eq!(
            as_one_message("error: cannot read a\nerror: b\u{1b}[2J"),
            "error: cannot read a\n  error: b\\u{1b}[2J"
        );
        assert_eq!(as_one_message("last lines:\n  one\n  two"), "last lines:\n  one\n  two");
    }
}
