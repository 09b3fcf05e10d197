//! Learning the weights of features or engine options: *Learning Control of Search Extensions* (Björnsson and
//! Marsland), plus SPSA and an evolution strategy.
//!
//! An [`Optimiser`] is asked for a batch of weights and told the score of each on the same problems. It uses no engine,
//! file, thread or clock, and equal scores always lead to equal batches: a run is resumed by telling a new optimiser the
//! stored scores. Optimisers use only arithmetic that IEEE 754 defines exactly (no logarithm, power or sine), so a run
//! can be resumed on another machine.
//!
//! | module | content |
//! | --- | --- |
//! | [`space`] | the tuned parameters: names, ranges, steps, starts |
//! | [`score`] | the score of a candidate: nodes and solved problems |
//! | [`optimiser`] | the trait that all optimisers implement |
//! | [`gradient`] | coordinate gradient descent of the paper, as printed or divided by delta |
//! | [`spsa`] | simultaneous perturbation stochastic approximation |
//! | [`matrix_adaptation`] | matrix adaptation evolution strategy, a variant of CMA-ES |
//! | [`kind`] | the optimisers by name |
//! | [`tuning`] | one run: stop criteria and the best weights so far |
//! | [`effect`] | the effect of each single weight |
//! | [`holdout`] | training and held-out problems |

pub mod effect;
pub mod gradient;
pub mod holdout;
pub mod kind;
pub mod matrix_adaptation;
pub mod optimiser;
pub mod score;
pub mod space;
pub mod spsa;
pub mod tuning;

pub use effect::{Effect, Effects};
pub use gradient::{Gradient, GradientSettings, GradientUpdate, RateSchedule};
pub use holdout::{HoldOutSplit, PairedChange, overfits_after};
pub use kind::{OptimiserKind, OptimiserSettings, UnknownOptimiser};
pub use matrix_adaptation::MatrixAdaptation;
pub use optimiser::{Optimiser, OptimiserStep};
pub use score::SuiteScore;
pub use space::{ParameterSpace, ParameterSpaceError};
pub use spsa::{Spsa, SpsaSettings};
pub use tuning::{BestWeights, Iteration, StopReason, Tuning, TuningLimits};
