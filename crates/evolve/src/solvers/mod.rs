//! Who can solve mate problems: the reference solvers and evolved programs, all behind one trait.
//!
//! A solver claims; [`verify_claim`] has every claim proved as a tree and verified, whoever made it. What a solver proved
//! itself is verified as it is; for the others df-pn finds the tree, and its nodes are not counted as theirs.
//!
//! | file | what |
//! | --- | --- |
//! | `exhaustive` | the mate paper's Figure 1 |
//! | `alphabeta` | core's modern search |
//! | `dfpn` | depth-first proof-number search with a table |
//! | `evolved` | a program in its frame |

pub mod alphabeta;
pub mod claim;
pub mod dfpn;
pub mod evolved;
pub mod exhaustive;
pub mod solver;

pub use alphabeta::AlphaBeta;
pub use claim::{ClaimVerdict, verify_claim};
pub use dfpn::{Decision, DfPn, DfPnSearch};
pub use evolved::Evolved;
pub use exhaustive::Exhaustive;
pub use solver::{MateAnswer, MateQuery, Solver, shortest_mate};
