//! Weight files by name: settings with `heuristic=FILE` are read here, because core touches no files.
//!
//! The canonical text of such settings has the content behind the name of the file: `modern,heuristic=FILE#KEY`. Whoever
//! reads it again, such as a stored run that is resumed, gets the same weights or an error.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use plysmith_core::games::GameInfo;
use plysmith_core::settings::{Heuristic, Settings, SettingsError};
use plysmith_core::weights::{LoadedWeights, WeightFile, WeightFileError};
use thiserror::Error;

/// A weight file that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WeightsError {
    /// A name that settings cannot contain.
    #[error("weight file '{0}': its name may not contain ',', '+' or '#', which separate settings; rename the file")]
    Name(String),
    /// It cannot be read.
    #[error("weight file '{file}': {reason}; give the name of a file that 'plysmith fit' wrote")]
    Read {
        /// The name.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// The weights of a stored text cannot be read.
    #[error(
        "weight file '{file}': {reason}; its weights {key:016x} are needed: put the file back, or begin anew with another"
    )]
    Missing {
        /// The name.
        file: String,
        /// The content.
        key: u64,
        /// What the system says.
        reason: String,
    },
    /// It has other weights than a stored text says.
    #[error(
        "weight file '{file}': its weights are now {found:016x}, but {expected:016x} are needed; put the former file \
         back, or begin anew with this one"
    )]
    Changed {
        /// The name.
        file: String,
        /// The content that is needed.
        expected: u64,
        /// The content of the file.
        found: u64,
    },
    /// It is too large.
    #[error("weight file '{file}': it is larger than {} MiB; give the name of a file that 'plysmith fit' wrote", MOST_BYTES >> 20)]
    TooLarge {
        /// The name.
        file: String,
    },
    /// Not weights of this game.
    #[error("weight file '{file}': {error}")]
    Content {
        /// The name.
        file: String,
        /// The error.
        error: WeightFileError,
    },
}

/// No weight file is larger: those of an 8×8 board have less than one MiB.
const MOST_BYTES: u64 = 64 << 20;
/// Characters that separate settings from each other, from a scheme and from a key.
const SEPARATORS: [char; 3] = [',', '+', '#'];

/// Reads search settings, and the weight file that they name.
pub fn parse_settings(game: &GameInfo, text: &str) -> Result<Settings, SettingsError> {
    game.presets.parse(text, |name| find(game, name).map_err(|error| SettingsError::Weights(error.to_string())))
}

/// Reads stored search settings without their weight file, for views of a run; see [`load_named`].
pub fn parse_stored_settings(game: &GameInfo, text: &str) -> Result<Settings, SettingsError> {
    game.presets.parse(text, |name| {
        let with_key = split_key(name).map_err(|error| SettingsError::Weights(error.to_string()))?;
        Ok(with_key.map(|(file, key)| LoadedWeights::named(game.name, file, key)))
    })
}

/// Loads what stored settings name, unless it is loaded: before a search with them.
pub fn load_named(game: &GameInfo, settings: &Settings) -> Result<(), WeightsError> {
    match settings.heuristic {
        Heuristic::Loaded(weights) if !weights.is_loaded() => {
            load_again(game, weights.label(), weights.key()).map(drop)
        }
        _ => Ok(()),
    }
}

/// Loads a weight file.
pub fn load(game: &GameInfo, file: &str) -> Result<LoadedWeights, WeightsError> {
    let weights = read(file)?;
    game.load_weights(&weights, file).map_err(|error| WeightsError::Content { file: file.to_string(), error })
}

/// Reads a weight file of any game.
pub fn read(file: &str) -> Result<WeightFile, WeightsError> {
    check_name(file)?;
    let error = |error: io::Error| WeightsError::Read { file: file.to_string(), reason: error.to_string() };
    let mut bytes = Vec::new();
    // What is not a file may be endless.
    File::open(Path::new(file)).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)).map_err(error)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(WeightsError::TooLarge { file: file.to_string() });
    }
    WeightFile::read(&bytes).map_err(|error| WeightsError::Content { file: file.to_string(), error })
}

/// The weights that settings name: as `FILE`, or as `FILE#KEY`. None if there is no such file.
fn find(game: &GameInfo, name: &str) -> Result<Option<LoadedWeights>, WeightsError> {
    if let Some(weights) = LoadedWeights::find(game.name, name) {
        return Ok(Some(weights));
    }
    match split_key(name)? {
        Some((file, key)) => load_again(game, file, key).map(Some),
        None if !Path::new(name).exists() => Ok(None),
        None => load(game, name).map(Some),
    }
}

/// Loads a weight file whose content is known.
fn load_again(game: &GameInfo, file: &str, key: u64) -> Result<LoadedWeights, WeightsError> {
    let read = read(file).map_err(|error| match error {
        WeightsError::Read { file, reason } => WeightsError::Missing { file, key, reason },
        other => other,
    })?;
    if read.key() != key {
        return Err(WeightsError::Changed { file: file.to_string(), expected: key, found: read.key() });
    }
    game.load_weights(&read, file).map_err(|error| WeightsError::Content { file: file.to_string(), error })
}

/// The file and the key of `FILE#KEY`; none if there is no key.
fn split_key(name: &str) -> Result<Option<(&str, u64)>, WeightsError> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let Some((file, key)) = name.rsplit_once('#') else { return Ok(None) };
    match u64::from_str_radix(key, 16) {
        Ok(number) if key.len() == 16 && key.bytes().all(is_digit) => {
            check_name(file)?;
            Ok(Some((file, number)))
        }
        _ => Err(WeightsError::Name(name.to_string())),
    }
}

fn check_name(file: &str) -> Result<(), WeightsError> {
    let is_wrong = file.contains(SEPARATORS) || file.contains(char::is_control);
    if is_wrong { Err(WeightsError::Name(file.to_string())) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use plysmith_core::games::{self, GameInfo};
    use plysmith_core::patterns::Patterns;
    use plysmith_core::weights::WeightFile;
    use tempfile::TempDir;

    use super::{load_named, parse_settings, parse_stored_settings};
    use crate::player::BuiltInPlayer;

    fn game() -> &'static GameInfo {
        games::find("breakthrough").unwrap()
    }

    fn weights(number: i16) -> WeightFile {
        WeightFile {
            game: "breakthrough".to_string(),
            form: "patterns 4x4".to_string(),
            made_by: "a test".to_string(),
            numbers: vec![number; Patterns::count(4, 4)],
        }
    }

    fn written(folder: &TempDir, weights: &WeightFile) -> PathBuf {
        let path = folder.path().join("a file.weights");
        fs::write(&path, weights.to_bytes()).unwrap();
        path
    }

    #[test]
    fn the_canonical_text_has_the_content_and_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder, &weights(1));
        let file = path.display();
        let settings = parse_settings(game(), &format!("modern,heuristic={file},LmrBase=350")).unwrap();
        let text = game().print_settings(&settings);
        assert_eq!(text, format!("modern,heuristic={file}#{:016x},LmrBase=350", weights(1).key()));
        fs::remove_file(&path).unwrap();
        assert_eq!(parse_settings(game(), &text), Ok(settings), "loaded weights need no file");
        let player = BuiltInPlayer::parse(game(), &format!("{text}+Ud@0.5")).unwrap();
        assert_eq!(player.print(game()), format!("{text}+Ud@0.5"));
    }

    #[test]
    fn stored_settings_are_loaded_before_they_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(&folder, &weights(2));
        let text = format!("modern,heuristic={}#{:016x}", path.display(), weights(2).key());
        fs::remove_file(&path).unwrap();
        let stored = parse_stored_settings(game(), &text).unwrap();
        assert_eq!(game().print_settings(&stored), text);
        let missing = load_named(game(), &stored).unwrap_err().to_string();
        assert!(missing.contains("put the file back") && missing.contains(&format!("{:016x}", weights(2).key())));
        assert_eq!(parse_settings(game(), &text).unwrap_err().to_string(), missing, "what was only named is not there");

        written(&folder, &weights(3));
        let changed = load_named(game(), &stored).unwrap_err().to_string();
        for part in
            [path.to_str().unwrap(), &format!("{:016x}", weights(2).key()), &format!("{:016x}", weights(3).key())]
        {
            assert!(changed.contains(part), "no '{part}' in {changed}");
        }
        written(&folder, &weights(2));
        assert_eq!(load_named(game(), &stored), Ok(()));
        assert_eq!(parse_settings(game(), &text), Ok(stored));
    }

    #[test]
    fn names_without_a_file_are_no_heuristics() {
        let error = |text: &str| parse_settings(game(), text).unwrap_err().to_string();
        assert!(
            error("modern,heuristic=best")
                .starts_with("'best' is not a heuristic of this game; expected one of material")
        );
        assert!(error("modern,heuristic=").starts_with("'' is not a heuristic"));
        assert!(error("modern,heuristic=x#12").contains("its name may not contain ',', '+' or '#'"));
        assert!(error("modern,heuristic=.").contains("weight file '.': "), "a folder");
    }
}
