//! UCI, both sides of it.
//!
//! | module | what |
//! | --- | --- |
//! | [`client`] | drives a UCI engine in another process |
//! | [`server`] | makes the built-in engine a UCI engine: `plysmith engine` |

pub mod client;
pub mod server;
