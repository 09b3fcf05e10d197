//! Alpha-beta search with fractional-ply depth: thesis chapter 2.
//!
//! | file | what |
//! | --- | --- |
//! | `depth` | depth and weights in fixed point |
//! | `score` | scores, forced results, windows |
//! | `control` | what a move costs: the only place that decides over depth |
//! | `alphabeta` | the search function |
//! | `deepening` | one whole search: iteration by iteration, within its limits |
//! | `order` | which move is tried next |
//! | `margins` | when the evaluation alone settles a matter |
//! | `table` | the transposition table |
//! | `eval_terms` | what evaluations have counted before |
//! | `settings` | presets and switchable parts |
//! | `proof` | forced wins proved exhaustively, for suites |

mod alphabeta;
pub mod control;
pub mod deepening;
mod margins;
mod order;
pub mod proof;
mod table;

/// Counts the changes of what a search does for the same settings and seed. Stored measurements carry
/// it, so results of different revisions never mix. Raise it whenever a `plysmith bench` signature changes.
pub const REVISION: u32 = 3;
