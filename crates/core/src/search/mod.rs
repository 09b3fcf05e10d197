//! Alpha-beta search with fractional-ply depth: thesis chapter 2.
//!
//! | file | what |
//! | --- | --- |
//! | `task`, `report` | what to search and when to stop; what was found |
//! | `workspace` | memory that searches use one after the other |
//! | `deepening` | one whole search: iteration by iteration, within its limits |
//! | `context` | the state of a search in progress |
//! | `node` | the search function |
//! | `lean` | the same search with fewer instructions, where no technique is on |
//! | `quiescence` | the search of tactical moves where no depth is left |
//! | [`policy`] | how deep each move is searched: the only part that decides over depth |
//! | `state` | atoms of the search state, for policies that ask for them |
//! | `pruning` | when the evaluation, a pass or a shallow search decides |
//! | `look_ahead` | searches of less depth before a node's own: multi-cut pruning, singular extensions |
//! | `order` | which move is searched next |
//! | `table` | the transposition table and the evaluation cache |
//! | `trace`, `recorder`, `tree` | searches that record their tree, and the tree |
//! | [`proof`] | forced wins proved exhaustively, for suites |

mod context;
mod deepening;
mod lean;
mod look_ahead;
mod node;
mod order;
pub mod policy;
pub mod proof;
mod pruning;
mod quiescence;
mod recorder;
mod report;
mod state;
mod table;
mod task;
mod trace;
mod tree;
mod workspace;

pub use deepening::{search, search_observed, search_recorded};
pub use report::{End, Observer, Report};
pub use task::{Interrupt, Limit, MAX_HEIGHT, Root, STRETCH, Sight, Task, Watch};
pub use trace::{Reason, Step};
pub use tree::{SearchTree, TreeBound, TreeNode};
pub use workspace::{NoMemory, Workspace};

/// Counts the changes of what a search does for the same settings and seed. Stored measurements carry
/// it, so results of different revisions never mix. Raise it whenever a `plysmith bench` signature changes, unless only a
/// feature or an evaluation has changed: keys contain what these do ([`crate::fingerprint`]).
///
/// 6: moves that cost more than a ply are searched again if they raise alpha; a weight of one ply exempts from nothing;
/// with evasions and without captures first, moves that win at once are not skipped.
pub const REVISION: u32 = 6;
