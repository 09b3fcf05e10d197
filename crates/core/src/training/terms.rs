//! What a game whose evaluation is a sum of its own terms gives a fit. Games without such an evaluation have patterns.

use crate::settings::Heuristic;
use crate::weights::{WeightFile, WeightFileError};

/// How the weights of a game's own evaluation are fitted.
#[derive(Copy, Clone, Debug)]
pub struct TermFit {
    /// Weights that were written down by hand: the first round plays with them, and every fit begins with them. Each has a
    /// number for the middle of the game and one for its end.
    pub guesses: fn() -> WeightFile,
    /// How the evaluation of a position comes from its weights. None for a position where it adds what no weight is in,
    /// and for a text that is no position.
    pub trace: fn(&str, Heuristic) -> Option<Trace>,
    /// The file with these weights, which the second argument names the maker of.
    pub file: fn(&[[f64; 2]], &str) -> Result<WeightFile, WeightFileError>,
}

/// How a position's evaluation comes from the weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The weights that count, each with how often for White less how often for Black.
    pub counts: Vec<(u16, i16)>,
    /// What the weights for the middle and for the end of the game are multiplied with.
    pub shares: [f64; 2],
}
