//! The language of evolved programs: all functions and terminals of the mate paper's Tables 3 to 6, and additions.
//!
//! Programs are strongly typed expressions over Booleans and reals. Interpretation where the paper is silent or
//! inconsistent; [`TABLE`] has the exact meaning of each primitive:
//!
//! - The *player* should mate, the *opponent* should be mated. A program is called after each of the player's moves at
//!   the root, so it starts on the opponent's turn.
//! - Two rows are printed twice in the paper (`IsPinCloseToKing` in Table 3, `Or2` in Table 4); here they occur once.
//! - `Smaller` is printed with Boolean arguments. Here it compares reals: otherwise no real could influence a decision,
//!   and on Booleans it would just be `And2(Not(B1), B2)`.
//! - `OppKingProximityToEdges` is about the opponent's king, as its name says, although its description says the
//!   player's.
//! - A function that makes several moves returns the best result for the side to move. `IfMyMoveExistsSuchThat` takes the
//!   first suitable move: it asks for a move, not for the best one. In the paper's framework, so do all functions named
//!   `If…`, which "make that move".
//! - A function for the player's turn takes its false branch on the opponent's turn, as the paper says, and vice versa.
//! - If the game is over, or the player has no move left, the value is 1000 if the opponent is mated, else −1000. Every
//!   function that makes moves returns it.
//! - With his last move the player makes only checks, because nothing else can mate; not in the paper's framework, which
//!   limits no number of moves.
//! - [`Primitive::Again`] is an addition: it calls the whole program on the current board. Programs of the paper must
//!   repeat themselves for each move they look ahead. [`Dialect::Paper`] does not have it.
//! - [`Dialect::Rich`] has more: how many moves are left, the number of the attempt, questions about the last move that
//!   need no board, a pass, and an order of moves.
//!
//! | module | content |
//! | --- | --- |
//! | [`primitives`] | functions and terminals, with types and meanings |
//! | [`program`] | a program as a flat list of nodes |
//! | [`text`] | the text form: S-expressions |

pub mod primitives;
pub mod program;
pub mod text;

pub use primitives::{Dialect, Primitive, PrimitiveFacts, TABLE, Type};
pub use program::{Node, Program, Real};
pub use text::ProgramError;
