//! The depth of a null-move search, and of the search that verifies it.

use crate::depth::Depth;
use crate::game::Game;
use crate::settings::{Techniques, Tunables};

/// The depth at which to search the opponent's replies to a pass, where the evaluation is this far above beta.
pub fn null_move_depth<G: Game, T: Techniques>(
    techniques: T,
    tunables: &Tunables,
    position: &G,
    depth: Depth,
    advantage: i32,
) -> Depth {
    let t = tunables;
    if techniques.adaptive_null_move() {
        return depth.less(adaptive_reduction(t, depth, position.has_few_pieces()));
    }
    let by_eval = (advantage * t.null_move_eval).clamp(0, t.null_move_eval_limit);
    depth.less(t.null_move_base + depth.units() / t.null_move_divisor + by_eval)
}

/// Adaptive null-move pruning (Heinz 1999): R = 3 at great depth, otherwise R = 2, and the ply of the pass itself. With few
/// pieces on the board the depth must be greater.
fn adaptive_reduction(tunables: &Tunables, depth: Depth, has_few_pieces: bool) -> i32 {
    let shallow = match has_few_pieces {
        true => tunables.adaptive_null_sparse_depth,
        false => tunables.adaptive_null_depth,
    };
    if depth.units() > shallow { 4000 } else { 3000 }
}

/// The depth at which a null move that failed high is verified (Tabibi and Netanyahu 2002); none where it is not. They
/// verify at any depth, a ply less deep; beyond endings that costs more than it gains.
pub fn verification_depth(tunables: &Tunables, depth: Depth, has_few_pieces: bool) -> Option<Depth> {
    let is_wanted = has_few_pieces || depth.units() >= tunables.verification_min_depth;
    is_wanted.then(|| depth.less(tunables.verification_reduction).max(Depth::plies(1)))
}

#[cfg(test)]
mod tests {
    use super::{adaptive_reduction, verification_depth};
    use crate::depth::Depth;
    use crate::settings::Tunables;

    #[test]
    fn the_reduction_of_adaptive_null_move_depends_on_depth_and_material() {
        let reduction = |plies, few| adaptive_reduction(&Tunables::DEFAULT, Depth::plies(plies), few);
        assert_eq!([2, 6, 7, 8, 9].map(|plies| reduction(plies, false)), [3000, 3000, 4000, 4000, 4000]);
        assert_eq!([2, 6, 7, 8, 9].map(|plies| reduction(plies, true)), [3000, 3000, 3000, 3000, 4000]);
    }

    #[test]
    fn verification_is_for_few_pieces_and_great_depth() {
        let depth = |plies, few| verification_depth(&Tunables::DEFAULT, Depth::plies(plies), few);
        assert_eq!([depth(1, true), depth(9, true)], [Some(Depth::plies(1)), Some(Depth::plies(8))]);
        assert_eq!([depth(11, false), depth(12, false)], [None, Some(Depth::plies(11))]);
    }
}
