//! Mate problems: bundled suites, solvers, and the results that the verifier accepted.
//!
//! | file | what |
//! | --- | --- |
//! | `suite` | suites of mates, ranges of lengths, the bundled suites and program |
//! | `solving` | solvers, mate jobs, judged results and summaries by length |
//! | `engine` | solvers for `go mate N` of the UCI engine |

mod engine;
mod solving;
mod suite;

pub use engine::mate_solvers;
pub use solving::{
    Judged, LengthSummary, MateJob, Solved, SolverChoice, SolverName, by_length, named, settled, solve_all, solve_one,
};
pub use suite::{HELD_OUT, MateRange, MateSuite, TRAINING, bundled_program, cases_of, read_mates, read_program};
