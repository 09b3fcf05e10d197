//! Runs programs: the interpreter, and the frame it stands in (mate paper, section 4.1).
//!
//! Positions are copied when a move is made, so there is nothing to undo on any path. A place keeps what is proved of it:
//! whatever a program makes of its values, the interpreter notes mates that were reached on every reply, and a place
//! that is won in time is worth 1000. So a program decides where to look, never what is true.
//!
//! | file | what |
//! | --- | --- |
//! | `lazy_node` | a board on the way, made when it is looked at; the counter |
//! | `memory` | what a hunt learned: answers of the program, and moves to try first |
//! | `moves` | the functions that make moves (Table 5) |
//! | `terminals` | what is asked of a board (Tables 3 and 6) |
//! | `mate_search` | the frame: every move at the root, deeper and deeper |

mod cache;
mod lazy_node;
pub mod mate_search;
mod moves;
pub mod node_counter;
pub mod profile;
pub mod proved_mates;
pub mod rules;
mod run;
mod terminals;

pub use mate_search::{MateResult, MateSearch};
pub use node_counter::NodeCounter;
pub use profile::{NoProfiler, Profiler, VisitCounts};
pub use proved_mates::ProvedMates;
pub use rules::{Moves, legal_moves};
