//! PROVHEAD

use std::collections::HashMap;

use cozy_chess::Move;

/// What mates were found, by the key of the board with the player to move: how, and within how many moves.
pub type ProvedMates = HashMap<u64, (Move, u8)>;
