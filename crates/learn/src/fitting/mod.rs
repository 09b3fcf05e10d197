//! Logistic regression of game results on a linear evaluation, known as Texel's tuning method.
//!
//! | module | for |
//! | --- | --- |
//! | [`tapered`] | a few hundred weights with a middlegame and an endgame value each, each counted several times |
//! | [`sparse`] | hundreds of thousands of weights, of which a position counts a few |
//! | [`logistic`] | what both share: expected results, losses and slopes |
//!
//! Equal rows give equal weights bit for bit, on every machine and any number of threads: all sums run in a fixed order.

pub mod logistic;
pub mod sparse;
pub mod tapered;

pub use logistic::{expected_result, slope_of_scores};
pub use sparse::{SparseFitting, SparsePlan, SparseRows, sparse_loss};
pub use tapered::{FitData, FitPlan, FitRow, Fitting, GradientPart, Tapered, fit_slope, loss};
