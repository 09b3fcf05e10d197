//! The arena: configurations play each other, in pairs of games from the same opening with colours swapped.
//!
//! | file | what |
//! | --- | --- |
//! | `player` | a preset and a scheme: who plays |
//! | `openings` | where games begin: seeded, distinct, balanced |
//! | `book` | openings that somebody wrote down |
//! | `game` | one game, and its record |
//! | `contest` | many games on all cores, in order, none played twice |
//! | `tally` | wins, draws and losses, by colour and by pair |

pub mod book;
pub mod contest;
pub mod game;
pub mod openings;
pub mod player;
pub mod tally;
