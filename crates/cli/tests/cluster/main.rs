//! Clusters: the real broker, the real program, processes that are killed.
//!
//! | file | what |
//! | --- | --- |
//! | `runs` | runs on a cluster give what they give here; workers that lie or leave; status |
//! | `chaos` | the same while workers, broker, network and coordinator fail |
//! | `input` | wrong addresses, credentials and streams; a broker that is full; messages from strangers |
//! | `broker`, `proxy` | a broker for each test, and a network that can be cut |

mod broker;
mod chaos;
mod input;
mod proxy;
mod runs;
#[path = "../../../core/tests/skipped/mod.rs"]
mod skipped;
#[path = "../it/support.rs"]
#[allow(dead_code, unused_imports, reason = "shared with the other tests of the program")]
mod support;
