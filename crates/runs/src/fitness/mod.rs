//! Fitnesses: what candidates are rated by.
//!
//! | file | what |
//! | --- | --- |
//! | `sample` | what one search of one problem or position says of a candidate |
//! | `measures` | the trait [`Fitness`]: what a sample costs; its implementations, and their text form |
//! | `rating` | the samples of a candidate; means with intervals, and paired comparisons |
//! | `rater` | who takes samples: of a problem suite, or of a graded suite |
//!
//! One measurement yields all samples that its suite has; the fitness decides what candidates are compared by.

mod measures;
mod rater;
mod rating;
mod sample;

pub use measures::{Fitness, FitnessChoice, SuiteKind, UnknownFitness};
pub(crate) use rater::seed_list;
pub use rater::{GradedFitness, GradedRater, ProblemRater, Rater, check};
pub use rating::{Estimate, Rating};
pub use sample::Sample;
