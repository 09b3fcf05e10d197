//! Skips that are seen: what a machine cannot test is printed past the capture of the test harness, and `./test` counts it.
//!
//! Shared by the tests of all crates, by its path.
#![allow(dead_code, reason = "not every test program needs both")]

use std::path::{Path, PathBuf};

/// Says on standard error, past the capture of the test harness, that something was not tested and why. `./test` counts
/// these lines.
pub fn skipped(test: &str, reason: &str) {
    use std::io::Write;
    // Not `eprintln!`: that is captured for a test that passes.
    let _ = writeln!(std::io::stderr(), "\nSKIPPED {test}: {reason}");
}

/// A file of public data, which is not part of the project: in the folder `PLYSMITH_DATA`, by default `../shared/data`
/// beside the project. Says that the test is skipped if it is not there.
pub fn public_data(test: &str, name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("PLYSMITH_DATA").map_or_else(beside, PathBuf::from);
    let file = folder.join(name);
    if !file.is_file() {
        skipped(test, &format!("there is no {name} in {}; set PLYSMITH_DATA to its folder", folder.display()));
        return None;
    }
    Some(file)
}
