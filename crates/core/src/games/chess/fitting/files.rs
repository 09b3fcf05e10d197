//! Weights as files: those that the program was built with, the guesses, and what a fit has found.

use super::super::evaluation::bounds;
use super::super::evaluation::tables::{self, BUILT_IN_FILE, GAME, MOST};
use super::super::evaluation::terms::{COUNT, Pair};
use super::guesses::guesses;
use crate::weights::{WeightFile, WeightFileError};

/// The weights that this program was built with.
///
/// # Panics
///
/// Never: the tests read the file.
pub fn built_in_file() -> WeightFile {
    WeightFile::read(BUILT_IN_FILE).expect("the program was built with a weight file")
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
