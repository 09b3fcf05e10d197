//! Mates that a search has proved, from which a proof tree is built.

use std::collections::HashMap;

use cozy_chess::Move;

/// Proved mates by the hash key of the board, with the player to move: the mating move, and within how many moves.
pub type ProvedMates = HashMap<u64, (Move, u8)>;
