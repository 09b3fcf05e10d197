//! games
pub mod breakthrough;
