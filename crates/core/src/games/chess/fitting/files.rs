//! Weights as files: those that the program was built with, the guesses, and what a fit has found.

use super::super::evaluation::bounds;
use super::super::evaluation::tables::{self, GAME, LEARNED_FILE, MOST, TUNED_FILE};
use super::super::evaluation::terms::{COUNT, Pair};
use super::super::evaluation::{LEARNED, TUNED};
use super::guesses::guesses;
use crate::settings::Heuristic;
use crate::weights::{WeightFile, WeightFileError};

/// The weights that this program was built with for a heuristic; none if it has none.
///
/// # Panics
///
/// Never: the tests read the files.
pub fn embedded_file(heuristic: Heuristic) -> Option<WeightFile> {
    let file = match heuristic {
        LEARNED => LEARNED_FILE,
        TUNED => TUNED_FILE,
        _ => return None,
    };
    Some(WeightFile::read(file).expect("the program was built with a weight file"))
}

/// The weights of `modern`.
#[cfg(test)]
pub fn learned_file() -> WeightFile {
    embedded_file(LEARNED).expect("LEARNED has weights")
}

/// The guesses, to begin with.
pub fn file_of_guesses() -> WeightFile {
    to_file(&guesses(), "guesses".to_string())
}

/// The weights that a fit has found, rounded to whole numbers. Refuses what evaluations could not add up.
pub fn file_of_fit(fitted: &[[f64; 2]], made_by: &str) -> Result<WeightFile, WeightFileError> {
    let whole: Vec<Pair> = fitted.iter().map(|pair| (rounded(pair[0]), rounded(pair[1]))).collect();
    let file = to_file(&whole, made_by.to_string());
    bounds::check(&tables::pairs(&file)?)?;
    Ok(file)
}

/// The weights of a file, each for the middle and the end of the game.
pub fn weights_of(file: &WeightFile) -> Result<[Pair; COUNT], WeightFileError> {
    tables::pairs(file)
}

fn to_file(weights: &[Pair], made_by: String) -> WeightFile {
    let numbers = weights.iter().flat_map(|&(middle, end)| [middle, end]).collect();
    WeightFile { game: GAME.to_string(), form: tables::form(), made_by, numbers }
}

fn rounded(weight: f64) -> i16 {
    weight.round().clamp(f64::from(-MOST), f64::from(MOST)) as i16
}

#[cfg(test)]
mod tests {
    use super::super::super::evaluation::tables::Tables;
    use super::{COUNT, TUNED, embedded_file, file_of_fit, file_of_guesses, learned_file, weights_of};
    use crate::weights::WeightFile;

    #[test]
    fn files_read_back_and_can_be_played_with() {
        for file in [learned_file(), embedded_file(TUNED).unwrap(), file_of_guesses()] {
            assert_eq!(WeightFile::read(&file.to_bytes()), Ok(file.clone()));
            assert!(Tables::load(&file).is_ok());
        }
        assert_ne!(learned_file().key(), file_of_guesses().key());
        assert_ne!(learned_file().key(), embedded_file(TUNED).unwrap().key());
    }

    #[test]
    fn fitted_weights_are_rounded_and_those_that_cannot_be_added_up_are_refused() {
        let mut fitted = [[0.0; 2]; COUNT];
        fitted[4] = [899.5, -0.4];
        fitted[COUNT - 1] = [-7.6, 1e9];
        let file = file_of_fit(&fitted, "plysmith fit chess").unwrap();
        let weights = weights_of(&file).unwrap();
        assert_eq!((weights[4], weights[COUNT - 1]), ((900, 0), (-8, 9_999)));
        assert_eq!(file.made_by, "plysmith fit chess");
        fitted[4] = [5_000.0; 2];
        let error = file_of_fit(&fitted, "x").unwrap_err().to_string();
        assert!(error.contains("75000") && error.contains("pieces: pawn"), "{error}");
        assert!(file_of_fit(&fitted[1..], "x").is_err());
    }
}
