//! The pure heart of Plysmith: games, move features, fractional-ply search and suites.
//!
//! Nothing here touches a file, a clock, a thread or a random source that was not seeded by the
//! caller. Only this crate is generic over the game; everything above sees positions and moves as
//! text through the table in [`games`].

pub mod conform;
pub mod decimal;
pub mod depth;
pub mod eval_terms;
pub mod feature;
pub mod game;
pub mod games;
pub mod generate;
pub mod move_set;
pub mod outcome;
pub mod parameter;
pub mod pgn;
pub mod problem;
pub mod random;
pub mod score;
pub mod search;
pub mod settings;
pub mod suite;

pub use decimal::Thousandths;
