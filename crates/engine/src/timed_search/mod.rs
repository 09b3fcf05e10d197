//! Searches under a clock.
//!
//! | file | what |
//! | --- | --- |
//! | `time_budget` | how much time a move may take, and when a search has had enough |
//! | `lag` | how long this process is kept from running |
//! | `lazy_smp` | several threads on one position |

pub mod lag;
pub mod lazy_smp;
pub mod time_budget;
