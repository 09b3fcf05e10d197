//! What `plysmith fit chess` needs to find the weights of the evaluation.
//!
//! Self-play makes samples, quiet positions with the results of their games; each is traced to how often every
//! weight counts in it; regression finds weights under which evaluations predict results best; and those are
//! written to the file that the next round or the next build plays with. The regression itself is `plysmith-learn`'s.
//!
//! | file | what |
//! | --- | --- |
//! | `guesses` | where fitting began: plain values and formulas of our own |
//! | `selfplay` | one game, and the samples from it |
//! | `sample` | a sample and its text |
//! | `files` | weights as files |
//! | `table` | weights as text |

mod files;
mod guesses;
mod sample;
mod selfplay;
mod table;

use super::evaluation::judge;
use super::evaluation::sum::Counts;
use super::evaluation::tables::Tables;
use super::evaluation::terms::COUNT;
use super::position::Position;
use crate::eval_terms::EvalTermCache;
use crate::settings::Heuristic;

pub use files::{built_in_file, file_of_fit, file_of_guesses, weights_of};
pub use guesses::guesses;
pub use sample::{Sample, SampleError};
pub use selfplay::{GamePlan, play};
pub use table::print;

/// How a position's evaluation comes from the weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The weights that count, each with how often for White less how often for Black.
    pub counts: Vec<(u16, i16)>,
    /// What the weights for the middle and for the end of the game are multiplied with.
    pub shares: [f64; 2],
}

/// Traces a position. Nothing comes of one where the evaluation adds what no weight is in.
///
/// The shares depend on which side is ahead, since an advantage that wins nothing is scaled down. The heuristic says
/// which one is. So a trace depends on the weights that a round began with, and not on those of the program.
pub fn trace(position: &Position, heuristic: Heuristic) -> Option<Trace> {
    let mut counts = Counts([0; COUNT]);
    let placement = position.placement.with_tables(Tables::of(heuristic), &position.board);
    let verdict = judge(&position.board, &placement, &mut counts, &mut EvalTermCache::default());
    if verdict.drive != 0 {
        return None;
    }
    let counts = (0..).zip(counts.0).filter(|&(_, count)| count != 0).collect();
    Some(Trace { counts, shares: verdict.shares() })
}
