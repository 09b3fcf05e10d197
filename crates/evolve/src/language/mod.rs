//! The language of evolved programs: every function and terminal of the mate paper's Tables 3 to 6, and one of ours.
//!
//! Programs are strongly typed expressions over two types. What the paper leaves open is read in one place, here and in
//! [`TABLE`]:
//!
//! - *Player* is who should mate, *opponent* who should be mated. A program is called after each of the player's moves at
//!   the root, so it begins on the opponent's turn.
//! - Two rows are printed twice in the paper (`IsPinCloseToKing` in Table 3, `Or2` in Table 4); they are here once.
//! - `Smaller` is printed with Boolean arguments. It compares reals here: otherwise no real could ever decide
//!   anything, and of Booleans it would only say `And2(Not(B1), B2)`.
//! - `OppKingProximityToEdges` is about the opponent's king, as its name says, though its text says the player's.
//! - Where a function may make several moves, whoever is on the move picks the one with the best result for him.
//!   `IfMyMoveExistsSuchThat` alone is satisfied with the first: it asks for a move, not for the best.
//! - A function for the player's turn goes to its false branch on the opponent's, as the paper says, and the other way round.
//! - A game that is over, or a hunt in which the player has no move left, has a value of its own: 1000 if the opponent is
//!   mated, else −1000. Every function that makes moves returns it.
//! - With his last move the player makes only checks: nothing else can mate.
//! - [`Primitive::Again`] is ours: the whole program on the board as it stands. The paper's programs must repeat themselves
//!   for each move they look ahead. [`Dialect::Paper`] does without.
//!
//! | file | what |
//! | --- | --- |
//! | `program` | a program as a flat list, and its parts |
//! | `text` | S-expressions |

pub mod primitives;
pub mod program;
pub mod text;

pub use primitives::{Dialect, Primitive, PrimitiveFacts, TABLE, Type};
pub use program::{Node, Program, Real};
pub use text::ProgramError;
