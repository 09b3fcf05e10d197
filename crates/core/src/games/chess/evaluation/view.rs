//! Both sides of a position, seen from one of them.

use super::pieces::Work;
use super::side::Side;

/// A side and its opponent, both seen from the first.
pub struct View<'a> {
    pub us: &'a Side,
    pub them: &'a Side,
    /// What the pieces of the first side attack.
    pub work: &'a Work,
    /// Whether the first side is to move.
    pub to_move: bool,
}
