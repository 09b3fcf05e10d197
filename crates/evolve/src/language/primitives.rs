//! The primitives of the language: functions and terminals, with types and meanings.

use std::fmt;

/// The type of an expression.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Type {
    /// A Boolean, `B` in the paper's tables.
    Boolean,
    /// A real, `F` in the paper's tables.
    Real,
}

/// The set of primitives that programs are made of.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Dialect {
    /// The primitives of the paper.
    Paper,
    /// The primitives of the paper and [`Primitive::Again`].
    Recursive,
    /// All primitives.
    Rich,
}

/// A function or terminal.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "each has its meaning in TABLE")]
pub enum Primitive {
    If3,
    Or2,
    Or3,
    And2,
    And3,
    Smaller,
    Not,
    IfMyMoveExistsSuchThat,
    IfForAllOpponentMoves,
    MakeBestMove,
    MakeAnyOrAllMovesSuchThat,
    IfExistsCheckingMove,
    MyMoveIter,
    IfKingMustMove,
    IfCaptureCloseToKingMove,
    IfPinCloseToKingMove,
    IfAttackingKingMove,
    IfClearingWayMove,
    IfSuicideCheck,
    IsNextMoveForced,
    IsNextMoveForcedWithKing,
    IsPinCloseToKing,
    NumMyPiecesCanCheck,
    DidNumAttackingKingIncrease,
    IsDiscoveredCheck,
    IsDiscoveredProtectedCheck,
    IsCheck,
    OppKingProximityToEdges,
    NumOppPiecesAttacked,
    IsCheckFork,
    NumNotMovesOppKing,
    NumNotMovesOppBigger,
    IsOppKingProtectingPiece,
    EvaluateMaterial,
    IsMaterialChange,
    IsMateInOneOrLess,
    IsOppKingStuck,
    IsOppPiecePinned,
    Again,
    MakeBestMoveInOrder,
    IfPass,
    MovesLeft,
    Attempt,
    NumQuietMoves,
    NumReplies,
    LastMoveDistance,
    IsLastMoveAttacking,
    IsLastMoveCapturable,
}

/// The properties of a primitive.
#[derive(Debug)]
pub struct PrimitiveFacts {
    /// The primitive.
    pub primitive: Primitive,
    /// Its name in the paper.
    pub name: &'static str,
    /// The type of its value.
    pub returns: Type,
    /// The types of its arguments.
    pub arguments: &'static [Type],
    /// The table of the paper that it is from.
    pub source: &'static str,
    /// Its exact meaning.
    pub meaning: &'static str,
}

use Primitive as P;
use Type::{Boolean as B, Real as F};

const TABLE_3: &str = "Table 3";
const TABLE_4: &str = "Table 4";
const TABLE_5: &str = "Table 5";
const TABLE_6: &str = "Table 6";
const OURS: &str = "ours";
const RICH: &str = "rich";

const fn row(
    primitive: Primitive,
    name: &'static str,
    (returns, arguments): (Type, &'static [Type]),
    source: &'static str,
    meaning: &'static str,
) -> PrimitiveFacts {
    PrimitiveFacts { primitive, name, returns, arguments, source, meaning }
}

/// All functions and terminals, in the order of [`Primitive`]. *Close* means within two squares, as in the paper.
pub const TABLE: &[PrimitiveFacts] = &[
    row(P::If3, "If3", (F, &[B, F, F]), TABLE_4, "the second argument if the first holds, else the third"),
    row(P::Or2, "Or2", (B, &[B, B]), TABLE_4, "whether one holds; they are asked from the left, until one does"),
    row(P::Or3, "Or3", (B, &[B, B, B]), TABLE_4, "whether one holds; they are asked from the left, until one does"),
    row(P::And2, "And2", (B, &[B, B]), TABLE_4, "whether all hold; they are asked from the left, until one does not"),
    row(
        P::And3,
        "And3",
        (B, &[B, B, B]),
        TABLE_4,
        "whether all hold; they are asked from the left, until one does not",
    ),
    row(P::Smaller, "Smaller", (B, &[F, F]), TABLE_4, "whether the first number is smaller"),
    row(P::Not, "Not", (B, &[B]), TABLE_4, "whether it does not hold"),
    row(
        P::IfMyMoveExistsSuchThat,
        "IfMyMoveExistsSuchThat",
        (F, &[B, F, F]),
        TABLE_5,
        "player's turn: makes the first move after which the first argument holds, and gives the second; else the third",
    ),
    row(
        P::IfForAllOpponentMoves,
        "IfForAllOpponentMoves",
        (F, &[B, F, F]),
        TABLE_5,
        "opponent's turn: if the first argument holds after every move, the least second argument after a move; else the third",
    ),
    row(
        P::MakeBestMove,
        "MakeBestMove",
        (F, &[F]),
        TABLE_5,
        "the best result of all moves: the greatest on the player's turn, the least on the opponent's",
    ),
    row(
        P::MakeAnyOrAllMovesSuchThat,
        "MakeAnyOrAllMovesSuchThat",
        (F, &[B, F, F]),
        TABLE_5,
        "the best second argument after those moves after which the first holds; the third if there is no such move",
    ),
    row(
        P::IfExistsCheckingMove,
        "IfExistsCheckingMove",
        (F, &[F, F]),
        TABLE_5,
        "player's turn: the best first argument after a check; else the second",
    ),
    row(
        P::MyMoveIter,
        "MyMoveIter",
        (F, &[B, B, F, F]),
        TABLE_5,
        "player's turn: the third argument after the first move after which the first holds, and after every reply the \
         second; else the fourth",
    ),
    row(
        P::IfKingMustMove,
        "IfKingMustMove",
        (F, &[F, F]),
        TABLE_5,
        "opponent's turn: if only the king can move, the least first argument after a move; else the second",
    ),
    row(
        P::IfCaptureCloseToKingMove,
        "IfCaptureCloseToKingMove",
        (F, &[F, F]),
        TABLE_5,
        "player's turn: the best first argument after a capture close to the opponent's king; else the second",
    ),
    row(
        P::IfPinCloseToKingMove,
        "IfPinCloseToKingMove",
        (F, &[F, F]),
        TABLE_5,
        "player's turn: the best first argument after a move that pins another piece close to the opponent's king; else the second",
    ),
    row(
        P::IfAttackingKingMove,
        "IfAttackingKingMove",
        (F, &[F, F]),
        TABLE_5,
        "player's turn: the best first argument after a move to where the piece attacks the opponent's king or a square \
         beside it; else the second",
    ),
    row(
        P::IfClearingWayMove,
        "IfClearingWayMove",
        (F, &[F, F]),
        TABLE_5,
        "player's turn: the best first argument after a move that lets another piece check next; else the second",
    ),
    row(
        P::IfSuicideCheck,
        "IfSuicideCheck",
        (F, &[B, F, F]),
        TABLE_5,
        "player's turn: the best second argument after a check by a piece that can be captured, after which the first holds; \
         else the third",
    ),
    row(P::IsNextMoveForced, "IsNextMoveForced", (B, &[]), TABLE_3, "opponent's turn, and there is one legal move"),
    row(
        P::IsNextMoveForcedWithKing,
        "IsNextMoveForcedWithKing",
        (F, &[]),
        TABLE_3,
        "1 if it is the opponent's turn and only the king can move, else 0",
    ),
    row(
        P::IsPinCloseToKing,
        "IsPinCloseToKing",
        (B, &[]),
        TABLE_3,
        "a piece of the opponent close to his king is pinned",
    ),
    row(
        P::NumMyPiecesCanCheck,
        "NumMyPiecesCanCheck",
        (F, &[]),
        TABLE_3,
        "how many of the player's pieces have a square from which they would check",
    ),
    row(
        P::DidNumAttackingKingIncrease,
        "DidNumAttackingKingIncrease",
        (B, &[]),
        TABLE_3,
        "more of the player's pieces attack the opponent's king or a square beside it than before the last move",
    ),
    row(
        P::IsDiscoveredCheck,
        "IsDiscoveredCheck",
        (B, &[]),
        TABLE_3,
        "another piece than the one that moved last gives check",
    ),
    row(
        P::IsDiscoveredProtectedCheck,
        "IsDiscoveredProtectedCheck",
        (B, &[]),
        TABLE_3,
        "the same, and that piece is protected",
    ),
    row(P::IsCheck, "IsCheck", (B, &[]), TABLE_6, "the opponent's king is in check"),
    row(
        P::OppKingProximityToEdges,
        "OppKingProximityToEdges",
        (F, &[]),
        TABLE_6,
        "3 if the opponent's king is at an edge of the board, down to 0 in the middle",
    ),
    row(
        P::NumOppPiecesAttacked,
        "NumOppPiecesAttacked",
        (F, &[]),
        TABLE_6,
        "how many of the opponent's pieces close to his king are attacked",
    ),
    row(
        P::IsCheckFork,
        "IsCheckFork",
        (B, &[]),
        TABLE_6,
        "a piece that gives check attacks another piece, not a pawn, as well",
    ),
    row(
        P::NumNotMovesOppKing,
        "NumNotMovesOppKing",
        (F, &[]),
        TABLE_6,
        "how many of the eight steps of the opponent's king are impossible",
    ),
    row(
        P::NumNotMovesOppBigger,
        "NumNotMovesOppBigger",
        (B, &[]),
        TABLE_6,
        "that number is bigger than before the last move",
    ),
    row(
        P::IsOppKingProtectingPiece,
        "IsOppKingProtectingPiece",
        (B, &[]),
        TABLE_6,
        "the opponent's king stands beside one of his pieces or pawns",
    ),
    row(
        P::EvaluateMaterial,
        "EvaluateMaterial",
        (F, &[]),
        TABLE_6,
        "the player's material less the opponent's, in pawns",
    ),
    row(P::IsMaterialChange, "IsMaterialChange", (B, &[]), TABLE_6, "the last move was a capture"),
    row(
        P::IsMateInOneOrLess,
        "IsMateInOneOrLess",
        (B, &[]),
        TABLE_6,
        "the opponent is mated, or it is the player's turn and a move mates",
    ),
    row(
        P::IsOppKingStuck,
        "IsOppKingStuck",
        (B, &[]),
        TABLE_6,
        "every step the opponent's king can make brings it closer to an edge",
    ),
    row(P::IsOppPiecePinned, "IsOppPiecePinned", (B, &[]), TABLE_6, "a piece of the opponent is pinned"),
    row(
        P::Again,
        "Again",
        (F, &[]),
        OURS,
        "the whole program on the board as it stands; 0 if no move was made since the program began",
    ),
    row(
        P::MakeBestMoveInOrder,
        "MakeBestMoveInOrder",
        (F, &[F, F]),
        RICH,
        "the best second argument of all moves; tried first are the moves with the greatest first argument on the player's \
         turn, with the least on the opponent's",
    ),
    row(
        P::IfPass,
        "IfPass",
        (F, &[F, F]),
        RICH,
        "opponent's turn, no check: the first argument after he passes, which proves nothing; else the second",
    ),
    row(P::MovesLeft, "MovesLeft", (F, &[]), RICH, "how many moves the player may still make"),
    row(
        P::Attempt,
        "Attempt",
        (F, &[]),
        RICH,
        "0 at first; whenever all lengths up to N were searched without finding a mate, one more, up to 3",
    ),
    row(
        P::NumQuietMoves,
        "NumQuietMoves",
        (F, &[]),
        RICH,
        "how many of the player's moves since the start of the search gave no check",
    ),
    row(P::NumReplies, "NumReplies", (F, &[]), RICH, "the number of legal moves on the opponent's turn, else 0"),
    row(
        P::LastMoveDistance,
        "LastMoveDistance",
        (F, &[]),
        RICH,
        "opponent's turn: how many king's steps the piece that moved last is away from his king, else 0",
    ),
    row(
        P::IsLastMoveAttacking,
        "IsLastMoveAttacking",
        (B, &[]),
        RICH,
        "opponent's turn, and the piece that moved last attacks his king or a square beside it",
    ),
    row(
        P::IsLastMoveCapturable,
        "IsLastMoveCapturable",
        (B, &[]),
        RICH,
        "opponent's turn, and he could capture the piece that moved last, pins disregarded",
    ),
];

impl Primitive {
    /// The properties of the primitive.
    pub fn facts(self) -> &'static PrimitiveFacts {
        &TABLE[self as usize]
    }

    /// The primitive with this name.
    pub fn find(name: &str) -> Option<Primitive> {
        TABLE.iter().find(|facts| facts.name == name).map(|facts| facts.primitive)
    }

    /// Whether all its arguments are evaluated after a move, also the last one.
    pub fn always_moves(self) -> bool {
        matches!(self, P::MakeBestMove | P::MakeBestMoveInOrder)
    }

    /// Whether it makes moves, or calls something that may.
    pub fn makes_moves(self) -> bool {
        self.facts().source == TABLE_5
            || matches!(self, P::Again | P::IsMateInOneOrLess)
            || matches!(self, P::MakeBestMoveInOrder | P::IfPass)
    }
}

impl Dialect {
    /// The primitives of the dialect.
    pub fn primitives(self) -> impl Iterator<Item = &'static PrimitiveFacts> {
        TABLE.iter().filter(move |facts| match facts.source {
            OURS => self != Dialect::Paper,
            RICH => self == Dialect::Rich,
            _ => true,
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Boolean => "Boolean",
            Type::Real => "real",
        })
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dialect::Paper => "paper",
            Dialect::Recursive => "recursive",
            Dialect::Rich => "rich",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, TABLE};

    #[test]
    fn the_table_is_in_the_order_of_the_primitives() {
        for (place, facts) in TABLE.iter().enumerate() {
            assert_eq!(facts.primitive as usize, place, "{}", facts.name);
            assert_eq!(format!("{:?}", facts.primitive), facts.name);
        }
    }

    #[test]
    fn the_papers_tables_are_complete() {
        let count = |source| TABLE.iter().filter(|facts| facts.source == source).count();
        assert_eq!(["Table 3", "Table 4", "Table 5", "Table 6"].map(count), [7, 7, 12, 12]);
        let [paper, recursive, rich] =
            [Dialect::Paper, Dialect::Recursive, Dialect::Rich].map(|dialect| dialect.primitives().count());
        assert_eq!((recursive, rich), (paper + 1, TABLE.len()));
    }
}
