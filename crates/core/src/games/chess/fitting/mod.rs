//! What `plysmith fit chess` needs to find the weights of the evaluation.
//!
//! Each position is traced to how often every weight counts in it; regression finds weights under which evaluations
//! predict results best; and those are written to the file that the next round or the next build plays with. Games and
//! rounds are those of every game, and the regression is `plysmith-learn`'s.
//!
//! | file | what |
//! | --- | --- |
//! | `guesses` | where fitting begins: plain values and formulas of our own |
//! | `files` | weights as files |
//! | `table` | weights as text |

mod files;
mod guesses;
mod table;

use super::evaluation::judge;
use super::evaluation::sum::Counts;
use super::evaluation::tables::Tables;
use super::evaluation::terms::COUNT;
use super::position::Position;
use crate::eval_terms::EvalTermCache;
use crate::game::Game;
use crate::settings::Heuristic;
use crate::training::{TermFit, Trace};

#[cfg(test)]
pub use files::learned_file;
pub use files::{embedded_file, file_of_fit, file_of_guesses, weights_of};
pub use guesses::guesses;
pub use table::print;

/// How the weights are fitted.
pub const TERMS: TermFit = TermFit {
    guesses: file_of_guesses,
    trace: |text, heuristic| trace(&Position::parse(text).ok()?, heuristic),
    file: file_of_fit,
};

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
