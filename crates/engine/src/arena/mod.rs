//! The arena: configurations play each other, in pairs of games from the same opening with colours swapped.
//!
//! | file | what |
//! | --- | --- |
//! | `player` | a preset and a scheme: who plays |
//! | `participant` | who takes part: such a player, or a foreign engine |
//! | `pace` | what a move may take: nodes, or time by a clock |
//! | `seat` | a participant at the board, choosing moves |
//! | `openings` | where games begin: seeded, distinct, balanced |
//! | `book` | openings that somebody wrote down |
//! | `game` | one game, and its record |

pub mod book;
pub mod game;
pub mod openings;
pub mod pace;
pub mod participant;
pub mod player;
pub mod seat;
