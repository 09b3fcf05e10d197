//! Search.
pub mod depth;
