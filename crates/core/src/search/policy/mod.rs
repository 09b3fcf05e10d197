//! Depth policies: how deep each move is searched.
//!
//! | file | what |
//! | --- | --- |
//! | `plan` | the trait [`DepthPolicy`], and the [`Plan`] of a move |
//! | `scheme` | extensions by move features |
//! | `control` | any scheme: reductions, realization probabilities, atoms of the search state |
//! | `any` | the two above as one type, for searches that are recorded |
//! | `null_move` | the depth after a pass, and of its verification |
//! | `look_ahead` | the depth of searches that decide about a node before its own search |
//! | `reductions` | late-move reductions, a layer on top of another policy |

mod any;
mod control;
mod logarithm;
mod look_ahead;
mod null_move;
mod plan;
mod reductions;
mod scheme;

pub use any::AnyPolicy;
pub use control::{ControlPolicy, ControlTable};
pub use look_ahead::{multi_cut_depth, razored_depth, singular_depth};
pub use null_move::{null_move_depth, verification_depth};
pub use plan::{DepthPolicy, LateMove, MoveContext, Plan};
pub use reductions::Reductions;
pub use scheme::{Classes, SchemePolicy};
