//! The depth of searches that decide about a node before its own search.

use crate::depth::Depth;
use crate::settings::Tunables;

/// A ply, in thousandths.
const PLY: i32 = 1000;

/// The depth of the positions that multi-cut pruning searches: after one of the node's moves.
pub fn multi_cut_depth(tunables: &Tunables, depth: Depth) -> Depth {
    depth.less(PLY + tunables.multi_cut_reduction)
}

/// The depth at which the moves beside the table's are searched, to see whether that one is singular: half of the node's,
/// less half a ply.
pub fn singular_depth(depth: Depth) -> Depth {
    depth.less((depth.units() + PLY) / 2)
}

/// The depth at which a position far below alpha is searched by limited razoring: a ply less; none if its depth is not the
/// one at which that is done.
pub fn razored_depth(tunables: &Tunables, depth: Depth) -> Option<Depth> {
    let most = tunables.limited_razor_depth;
    (most - PLY < depth.units() && depth.units() <= most).then(|| depth.less(PLY))
}
