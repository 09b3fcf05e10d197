//! Mate problems: bundled suites, solvers, and the results that the verifier accepted.
//!
//! | file | what |
//! | --- | --- |
//! | `suite` | suites of mates, ranges of lengths, the bundled suites and program |
//! | `solving` | solvers, mate jobs, judged results and summaries by length |
//! | `report` | one position, a suite or a proof, as the `mate` command reports it |
//! | `counts` | mates found and best mates by solver, as matetrack counts them |
//! | `paper_test` | a program in the paper's framework, on problems that it was not evolved on |
//! | `program_profile` | how often each branch of an evolved program is taken |
//! | `engine` | solvers for `go mate N` of the UCI engine |
//! | `external` | UCI engines as solvers |
//! | `reference` | reference solvers: ours, or a UCI engine |

mod counts;
mod engine;
mod external;
mod paper_test;
mod program_profile;
mod reference;
mod report;
mod solving;
mod suite;

pub use counts::MateCounts;
pub use engine::mate_solvers;
pub use external::{EngineMateJob, EngineSolver, MateTrial};
pub use paper_test::{PaperRow, PaperTest};
pub use program_profile::ProgramProfile;
pub use reference::{Budgets, Reference, ReferenceSolver, TWO_ELEMENTS};
pub use report::{CheckedProof, FoundMate, MateSuiteResult, MateSuiteResults};
pub(crate) use solving::SolverWorker;
pub use solving::{
    Judged, LengthSummary, MateJob, Solved, SolverChoice, SolverName, alpha_beta_behaviour, by_length, named, settled,
    solve_all, solve_one,
};
pub use suite::{
    HELD_OUT, MateRange, MateSuite, SEPARATOR, TRAINING, bundled_program, cases_of, read_all_mates, read_mates,
    read_program,
};
