//! Diagnostics on standard error.

use std::io::Write;

/// Prints a diagnostic to stderr. A closed stderr is ignored.
pub fn say(message: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{message}");
}
