//! Everything that runs: searches on all cores, measured and remembered.
//!
//! | file | what |
//! | --- | --- |
//! | `lab` | measures a scheme on a suite: in parallel, settled early, never twice |
//! | `measurement` | what a measurement says, and the memo that keeps it |
//! | `workshop` | makes suites, and proves them again, on all cores |
//! | `parallel` | numbered jobs on all cores, results in order |

pub mod lab;
pub mod measurement;
pub mod parallel;
pub mod workshop;
