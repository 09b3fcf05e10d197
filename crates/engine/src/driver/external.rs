//! What external engines have in common: their content key, and how often a start is tried.

use std::fs::File;
use std::io::{BufReader, Read};
use std::time::Duration;

use plysmith_core::search::Interrupt;
use xxhash_rust::xxh3::Xxh3;

use super::DriverError;
use crate::process::{EngineCommand, EngineError, Patience};

/// The revision of how external engines are measured. A change of what counts as a solution increments it.
pub const REVISION: u32 = 2;

/// What the settings of a job say about the patience: it decides which problems are excluded. The default is not named.
pub fn patience_note(patience: Duration) -> String {
    if Patience(patience) == Patience::default() { String::new() } else { format!("; patience {patience:?}") }
}

/// Attempts to start an engine.
pub const MOST_STARTS: u32 = 3;

/// A key of the content of the program and of the files that its arguments name: of `python3 engine.py` the script counts,
/// too.
pub fn content_key(command: &EngineCommand) -> std::io::Result<String> {
    let mut hasher = Xxh3::new();
    let program = command.resolve().map_err(std::io::Error::other)?;
    let arguments = command.arguments.iter().filter_map(|argument| command.file(argument));
    for path in std::iter::once(program).chain(arguments) {
        let mut input = BufReader::with_capacity(1 << 16, File::open(path)?);
        let mut buffer = [0; 1 << 14];
        loop {
            match input.read(&mut buffer)? {
                0 => break,
                count => hasher.update(&buffer[..count]),
            }
        }
        // Separates the files.
        hasher.update(b"\0file\0");
    }
    Ok(format!("{:032x}", hasher.digest128()))
}

/// Starts an engine, again if it fails, unless that cannot help. None if it was interrupted.
pub fn start_with_retries<T>(
    mut start: impl FnMut() -> Result<T, EngineError>,
    interrupt: &Interrupt<'_>,
) -> Result<Option<T>, DriverError> {
    let mut starts = 0;
    loop {
        if interrupt() {
            return Ok(None);
        }
        starts += 1;
        match start() {
            Ok(engine) => return Ok(Some(engine)),
            Err(error) if starts == MOST_STARTS || error.is_hopeless() => return Err(DriverError::Unusable(error)),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::content_key;

    #[test]
    fn the_key_is_of_the_program_and_of_the_files_it_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("engine.py");
        let key = |text: &str| {
            std::fs::write(&script, text).unwrap();
            content_key(&format!("cat '{}' --quiet", script.display()).parse().unwrap()).unwrap()
        };
        let (one, other) = (key("one"), key("other"));
        assert_ne!(one, other);
        assert_eq!(one, key("one"));
        assert_ne!(one, content_key(&"cat".parse().unwrap()).unwrap());
        assert!(content_key(&"/no/such/engine".parse().unwrap()).is_err());
    }
}
