//! Shards: the jobs of a run in files, for machines that share nothing with the run but a folder, or not even that.
//!
//! [`plan`] writes the jobs of a run into files, [`work_on`] does those of one file anywhere, and [`merge`] brings the
//! results into the store, under the keys under which the run looks for them. Then the run is resumed and finds them.
//! Jobs, keys and results are those of a run on one machine.
//!
//! | file | what |
//! | --- | --- |
//! | `lines` | files of JSON lines with checksums |
//! | `form` | what the lines of shards and of results say |
//! | `plan` | from a run to shards |
//! | `work` | from a shard to results; continues where it was killed |
//! | `merge` | from results to the store |
//! | `kinds` | jobs and results of any kind, checked |

mod form;
mod kinds;
mod lines;
mod merge;
mod plan;
mod work;

pub use merge::{Merged, merge};
pub use plan::{Planned, ShardFiles, plan, plan_with};
pub use work::{Worked, results_path, work_on};
