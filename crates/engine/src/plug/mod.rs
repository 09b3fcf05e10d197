//! The plug protocol, both sides of it: the three commands of *Learning Control of Search Extensions* (section 3.2), and a
//! small extension. `docs/plug-protocol.md` describes it for those who write an engine.
//!
//! | module | what |
//! | --- | --- |
//! | [`client`] | drives a plug engine in another process |
//! | [`server`] | makes the built-in engine a plug engine: `plysmith engine --plug` |
//! | `engine_info` | what an engine says about itself, its parameters and its features; read and written here |
//!
//! An engine that knows only the paper's commands must work, so everything else is optional: the first command is
//! `plug 1`, and an engine that does not answer `plugok` in time is driven by the paper's commands alone. `setboard`,
//! `setparam` and `setscheme` have no answer; an engine may write `error …` if it cannot do what it is told, and that is
//! a fault of the next question.

pub mod client;
mod engine_info;
pub mod server;

pub use engine_info::{EngineInfo, FeatureList, plain_parameter};

/// The version of the extension.
pub const VERSION: u32 = 1;
