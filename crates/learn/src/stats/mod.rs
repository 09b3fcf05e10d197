//! Statistics of game results: Elo differences with error bars, confidence intervals and the SPRT; and of problems solved.
//!
//! The formulas are those of fishtest and fastchess, and the results agree to all printed digits: `tests/stats.rs` holds
//! their test vectors. Two games from one opening with colours swapped are one pair. The two results of a pair are
//! correlated through the opening, so paired games should be counted as pairs ([`Penta`]).
//!
//! | module | content |
//! | --- | --- |
//! | [`outcomes`] | counts of games ([`Wdl`]) and of game pairs ([`Penta`]), and their text forms |
//! | [`elo`] | logistic and normalized Elo with error bars, likelihood of superiority (LOS) |
//! | [`credible`] | Bayesian intervals for fewer than 100 pairs |
//! | [`rank`] | rank correlations with bootstrap intervals |
//! | [`scale`] | conversion between score and Elo |
//! | [`intervals`] | confidence intervals of a win rate |
//! | [`paired`] | two candidates on the same problems |
//! | [`repeated`] | two candidates on the same problems, with several seeds |
//! | [`sequence`] | means of paired differences, tested as the data come |
//! | [`sprt`] | sequential probability ratio test: log-likelihood ratio, bounds, verdict |
//! | [`foretold`] | what a sequential test will do, and the unbiased estimate after it |
//! | `corridor` | Brownian motion between two bounds, for `foretold` |
//! | `likelihood` | maximum-likelihood distribution of outcomes under a hypothesis, for `sprt` |
//! | `normal` | the normal distribution |

mod corridor;
pub mod credible;
pub mod elo;
pub mod foretold;
pub mod intervals;
mod likelihood;
pub(crate) mod normal;
pub mod outcomes;
pub mod paired;
pub mod rank;
pub mod repeated;
pub mod scale;
pub mod sequence;
pub mod sprt;

pub use elo::{EloEstimate, likelihood_of_superiority, logistic_elo, normalized_elo};
pub use foretold::{Foretold, GamesToCome, Unbiased};
pub use intervals::{Interval, normal_interval, wilson_interval};
pub use normal::quantile;
pub use outcomes::{Outcomes, OutcomesError, Penta, Wdl};
pub use paired::PairedCounts;
pub use repeated::{RepeatedCounts, observations_needed};
pub use scale::{elo_of_score, expected_score};
pub use sequence::{ConfidenceSequence, RunningMean, Sign};
pub use sprt::{Bounds, EloModel, ErrorRates, Hypotheses, Sprt, SprtError, SprtVerdict};
