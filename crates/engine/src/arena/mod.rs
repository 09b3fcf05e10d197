//! The arena: configurations play each other, in pairs of games from the same opening with colours swapped.
//!
//! | file | what |
//! | --- | --- |
//! | `time_control` | the clocks of a game, and the limits of its moves |
//! | `game_players` | the two players of a game, with their memory and processes |
//! | `openings` | where games begin: seeded, distinct, balanced |
//! | `book` | openings that somebody wrote down |
//! | `adjudication` | when a game ends because both players agree on its result |
//! | `game` | one game, and its record |
//! | `pause` | whether this process was stopped meanwhile |

/// Raised when built-in players with a transposition table play other games with the same search. Since 2 they keep their
/// table during a game.
pub const REVISION: u32 = 2;

pub mod adjudication;
pub mod book;
pub mod game;
pub mod game_players;
pub mod openings;
pub mod pause;
pub mod polyglot;
pub mod time_control;
