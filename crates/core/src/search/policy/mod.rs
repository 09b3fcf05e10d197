//! Depth policies: how deep each move is searched.
//!
//! | file | what |
//! | --- | --- |
//! | `plan` | the trait [`DepthPolicy`], and the [`Plan`] of a move |
//! | `scheme` | extensions by move features |
//! | `control` | any scheme: reductions, realization probabilities, atoms of the search state |
//! | `null_move` | the depth after a pass |
//! | `reductions` | late-move reductions, a layer on top of another policy |

mod control;
mod logarithm;
mod null_move;
mod plan;
mod reductions;
mod scheme;

pub use control::{ControlPolicy, ControlTable};
pub use null_move::null_move_depth;
pub use plan::{DepthPolicy, LateMove, MoveContext, Plan};
pub use reductions::Reductions;
pub use scheme::{Classes, SchemePolicy};
