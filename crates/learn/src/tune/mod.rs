//! Learning the weights of features or engine options: *Learning Control of Search Extensions* (Björnsson and
//! Marsland), and two methods younger than it.
//!
//! An [`Optimiser`] is asked for a batch of weights and told what each needs to solve the same problems. It sees no
//! engine, file, thread or clock, and the same answers always lead to the same batches: a run is resumed by telling
//! a fresh optimiser what is known already. All arithmetic is of the kind that every machine does alike (no logarithm,
//! power or sine), so a run can even be gone on with on another one.
//!
//! | file | what |
//! | --- | --- |
//! | `space` | what is tuned: names, ranges, steps; weights in thousandths |
//! | `score` | what a batch is told: nodes and solved problems |
//! | `gradient` | the paper's coordinate gradient, as printed or divided by delta |
//! | `spsa` | simultaneous perturbation: the gradient along random directions |
//! | `adaptation` | matrix adaptation: an evolution strategy that learns the shape of the valley |
//! | `method` | their names, and how each is set up |
//! | `tuning` | one run: when it ends, and the best weights so far |
//! | `effect` | what each weight alone has changed, if anything |
//! | `holdout` | training and held-out problems, and what carries over from one to the other |

pub mod adaptation;
pub mod effect;
pub mod gradient;
pub mod holdout;
pub mod method;
pub mod score;
pub mod space;
pub mod spsa;
pub mod tuning;

use plysmith_core::parameter::Weights;
use score::Score;

/// Chooses which weights to try next.
pub trait Optimiser: std::fmt::Debug {
    /// The batch to measure, never empty. Asking again without telling gives the same.
    fn ask(&self) -> &[Weights];

    /// Takes a score for each of the batch, all over the same problems, and moves on.
    ///
    /// # Panics
    /// If there is not one score for each of the batch.
    fn tell(&mut self, scores: &[Score]) -> Step;
}

/// What an optimiser made of a batch.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Which of the batch stands for this iteration in reports. In the first iteration it is always the start.
    pub chosen: usize,
    /// Whether the next batch could not tell anything new.
    pub converged: bool,
}
