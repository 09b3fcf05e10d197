//! What `plysmith fit chess` needs to find the weights of the evaluation.
//!
//! Self-play makes samples, quiet positions with the results of their games; each is traced to how often every
//! weight counts in it; regression finds weights under which evaluations predict results best; and those are
//! printed as the source file that the next build plays with. The regression itself is `plysmith-learn`'s.
//!
//! | file | what |
//! | --- | --- |
//! | `guesses` | where fitting began: plain values and formulas of our own |
//! | `selfplay` | one game, and the samples from it |
//! | `sample` | a sample and its text |
//! | `table` | the weights, and the file they stand in |

mod guesses;
mod sample;
mod selfplay;
mod table;

use super::evaluation::judge;
use super::evaluation::sum::Counts;
use super::evaluation::terms::COUNT;
use super::position::Position;
use crate::eval_terms::EvalTermCache;

pub use guesses::guesses;
pub use sample::{Sample, SampleError};
pub use selfplay::{GamePlan, play};
pub use table::{made_by, print, weights};

/// How a position's evaluation comes from the weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The weights that count, each with how often for White less how often for Black.
    pub counts: Vec<(u16, i16)>,
    /// What the weights for the middle and for the end of the game are multiplied with.
    pub shares: [f64; 2],
}

/// Traces a position. Nothing comes of one where the evaluation adds what no weight is in.
pub fn trace(position: &Position) -> Option<Trace> {
    let mut counts = Counts([0; COUNT]);
    let verdict = judge(&position.board, &position.placement, &mut counts, &mut EvalTermCache::default());
    if verdict.drive != 0 {
        return None;
    }
    let counts = (0..).zip(counts.0).filter(|&(_, count)| count != 0).collect();
    Some(Trace { counts, shares: verdict.shares() })
}
