//! The interpreter of evolved programs, and the search that calls it (mate paper, section 4.1).
//!
//! Boards are copied when a move is made, so nothing is undone. Independent of the values that a program computes, the
//! interpreter records mates that are forced against every reply, and a node that is proved won within the moves left
//! has the value 1000. So a program decides where to search, but cannot claim a mate that does not exist.
//!
//! | module | content |
//! | --- | --- |
//! | [`mate_search`] | the search: every move at the root, iterative deepening |
//! | [`framework`] | what a program is embedded in: ours, or the paper's |
//! | `run` | evaluation of a program's expressions |
//! | `moves` | functions that make moves (Table 5) |
//! | `terminals` | terminals (Tables 3 and 6) |
//! | `lazy_node` | a node whose board is made on first use |
//! | `cache` | cached values, cutoff moves and killer moves |
//! | [`node_counter`] | node count, budget and interrupt |
//! | [`proved_mates`] | proved mates, the raw material of proofs |
//! | [`profile`] | how often each element is evaluated |
//! | [`rules`] | legal moves |

mod cache;
pub mod framework;
mod lazy_node;
pub mod mate_search;
mod moves;
pub mod node_counter;
pub mod profile;
pub mod proved_mates;
pub mod rules;
mod run;
mod terminals;

pub use cache::SearchCache;
pub use framework::Framework;
pub use mate_search::{MateResult, MateSearch};
pub use node_counter::NodeCounter;
pub use profile::{NoProfiler, Profiler, VisitCounts};
pub use proved_mates::ProvedMates;
pub use rules::{Moves, legal_moves};
