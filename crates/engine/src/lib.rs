//! Everything that runs: searches on all cores, measured and remembered.
//!
//! | file | what |
//! | --- | --- |
//! | `arena` | games between configurations |
//! | `driver` | whatever can be measured, behind one trait: built-in engines and foreign ones |
//! | `measurement` | what a measurement says, and the memo that keeps it |
//! | `selfplay` | games that the weights of an evaluation are fitted to |
//! | `protocol` | an engine that is talked to in text, like UCI |
//! | `process` | a foreign engine as a process that cannot hurt us |
//! | `plug` | the plug protocol, both sides of it: the paper's three commands and a little more |
//! | `uci` | a UCI client: what a foreign engine is asked, and what it answers |
//! | `parallel` | numbered jobs on all cores, results in order |

pub mod arena;
pub mod driver;
pub mod lines;
pub mod measurement;
pub mod parallel;
pub mod player;
pub mod plug;
pub mod process;
pub mod selfplay;
pub mod timed_search;
pub mod uci;
