//! Solvers of mate problems: reference solvers and evolved programs behind one trait.
//!
//! A solver claims a mate; [`verify_claim`] checks every claim by a proof tree. A proof that comes with the answer is
//! verified as it is; otherwise df-pn searches for one, and its nodes are not counted.
//!
//! | module | content |
//! | --- | --- |
//! | [`solver`] | the trait, its query and its answer |
//! | [`claim`] | verification of claimed mates |
//! | [`exhaustive`] | the basic algorithm of the mate paper, Figure 1 |
//! | [`alphabeta`] | the modern search of core |
//! | [`dfpn`] | depth-first proof-number search |
//! | [`evolved`] | an evolved program |

pub mod alphabeta;
pub mod claim;
pub mod dfpn;
pub mod evolved;
pub mod exhaustive;
pub mod solver;

pub use alphabeta::AlphaBeta;
pub use claim::{ClaimVerdict, verify_claim};
pub use dfpn::{Decision, DfPn, DfPnSearch, ShortestQuery};
pub use evolved::Evolved;
pub use exhaustive::Exhaustive;
pub use solver::{MateAnswer, MateQuery, ShortestMate, Solver, shortest_mate};
