//! What the results of games say about the difference in strength, and when they say enough.
//!
//! | file | what |
//! | --- | --- |
//! | `outcomes` | counts of games and of pairs of games, and their text forms |
//! | `elo` | Elo and normalized Elo with error bars, likelihood of superiority |
//! | `intervals` | confidence intervals of a plain win rate |
//! | `sprt` | the sequential test: log-likelihood ratio, bounds, verdict |
//! | `likelihood` | the most likely distribution of outcomes under a hypothesis, for `sprt` |
//! | `normal` | the normal distribution |
//!
//! The formulas are those of the match runners that engine authors use (fishtest, fastchess), and give
//! the same numbers to all printed digits: `tests/stats.rs` holds their test vectors. Two games from
//! the same opening with colours swapped are one pair. Its two results depend on each other through the
//! opening, so pairs should be counted as pairs ([`outcomes::Penta`]) where they are played.

pub mod elo;
pub mod intervals;
mod likelihood;
mod normal;
pub mod outcomes;
pub mod sprt;
