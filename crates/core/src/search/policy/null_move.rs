//! The depth of a null-move search.

use crate::depth::Depth;
use crate::settings::Tunables;

/// The depth at which to search the opponent's replies to a pass, where the evaluation is this far above beta.
pub fn null_move_depth(tunables: &Tunables, depth: Depth, advantage: i32) -> Depth {
    let t = tunables;
    let by_eval = (advantage * t.null_move_eval).clamp(0, t.null_move_eval_limit);
    depth.less(t.null_move_base + depth.units() / t.null_move_divisor + by_eval)
}
