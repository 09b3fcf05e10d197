//! The atoms: Table 4.6 of the thesis, and five from *Learning Control of Search Extensions* and the literature.
//!
//! The table leaves room, and this is how it is read here:
//!
//! - *Attack a piece* is what the piece that moved does from where it arrives, on the board after the move. For the
//!   king it is wider: the move gives check in any way, because the thesis calls `AcK` the check extension. Castling
//!   moves the king; its rook can give check, but attacks nothing else.
//! - *Re-capture* wants that the move before was a capture, on the square that is captured on now.
//! - *First rank* and so on are seen from the side that moves.
//! - *Move a piece* means the pawn where one promotes.

use std::ops::RangeInclusive;

use cozy_chess::Piece;

use crate::feature::{Atom, AtomFacts, Guidance, Vocabulary};

/// What an atom asks of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// This piece moves.
    Moves(Piece),
    /// It attacks this piece, or gives check.
    Attacks(Piece),
    /// It captures where the opponent has just captured.
    Recaptures,
    /// It arrives on these ranks, counted from 0 at the mover's side.
    Arrives(RangeInclusive<usize>),
    /// It captures this piece.
    Captures(Piece),
    /// The opponent moved this piece last.
    Answers(Piece),
    /// It is the only legal move, out of a check.
    IsForced,
    /// A pawn goes straight ahead and is passed.
    PushesPassed,
    /// A pawn promotes.
    Promotes,
    /// A piece that did not move gives check.
    Discovers,
    /// A lesser piece can capture what moved.
    StepsBeforeLesser,
}

/// What the atoms ask, in the order of [`VOCABULARY`].
const KINDS: [Kind; 34] = [
    Kind::Moves(Piece::King),
    Kind::Moves(Piece::Queen),
    Kind::Moves(Piece::Rook),
    Kind::Moves(Piece::Bishop),
    Kind::Moves(Piece::Knight),
    Kind::Moves(Piece::Pawn),
    Kind::Attacks(Piece::King),
    Kind::Attacks(Piece::Queen),
    Kind::Attacks(Piece::Rook),
    Kind::Attacks(Piece::Bishop),
    Kind::Attacks(Piece::Knight),
    Kind::Attacks(Piece::Pawn),
    Kind::Recaptures,
    Kind::Arrives(0..=3),
    Kind::Arrives(0..=1),
    Kind::Arrives(2..=3),
    Kind::Arrives(4..=7),
    Kind::Arrives(4..=5),
    Kind::Arrives(6..=7),
    Kind::Captures(Piece::Queen),
    Kind::Captures(Piece::Rook),
    Kind::Captures(Piece::Bishop),
    Kind::Captures(Piece::Knight),
    Kind::Captures(Piece::Pawn),
    Kind::Answers(Piece::Queen),
    Kind::Answers(Piece::Rook),
    Kind::Answers(Piece::Bishop),
    Kind::Answers(Piece::Knight),
    Kind::Answers(Piece::Pawn),
    Kind::IsForced,
    Kind::PushesPassed,
    Kind::Promotes,
    Kind::Discovers,
    Kind::StepsBeforeLesser,
];

/// What this atom asks of a move.
#[inline]
pub fn kind(atom: Atom) -> Option<&'static Kind> {
    const { &KINDS }.get(usize::from(atom.0))
}

/// What learners should know. The thesis prints `Pc-RdBb` and `RcK-RdTt`, which name no features of its table; they
/// are read as the nearest that are "obviously not logical".
pub const GUIDANCE: Guidance = Guidance {
    blacklist: &[
        ("PcP-RdBb", "no pawn can move to its first two ranks"),
        ("PcK-RdTt", "the king has no business on the last two ranks"),
        ("PcK-AcK", "a king gives check only by stepping out of a line"),
        ("PcK-AcQ", "a king that attacks a queen stands in check"),
    ],
    overlapping: &[("Ac", "a fork attacks two pieces")],
    paper_groups: &[],
    // Thesis section 4.2.2 divides the learning: this is Table 4.7; Table 4.8 takes `Cc*,Lc*,Rc`.
    base: &["Pc*", "Ac*", "Rc", "Rd*"],
};

/// The atoms, in the order of the thesis's table.
pub const VOCABULARY: Vocabulary = Vocabulary::of_game(&[
    atom("PcK", "Pc", "Moves the king, also to castle.", ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1d2")),
    atom("PcQ", "Pc", "Moves a queen.", ("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "d1d5")),
    atom("PcR", "Pc", "Moves a rook.", ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a4")),
    atom("PcB", "Pc", "Moves a bishop.", ("4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", "c1f4")),
    atom("PcN", "Pc", "Moves a knight.", ("4k3/8/8/8/8/8/8/1N2K3 w - - 0 1", "b1c3")),
    atom("PcP", "Pc", "Moves a pawn, also to promote it.", ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4")),
    atom("AcK", "Ac", "Gives check, in whichever way.", ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8")),
    atom(
        "AcQ",
        "Ac",
        "The piece that moved attacks an enemy queen from its new square.",
        ("3qk3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1d1"),
    ),
    atom(
        "AcR",
        "Ac",
        "The piece that moved attacks an enemy rook from its new square.",
        ("r3k3/8/8/8/8/8/8/4KB2 w - - 0 1", "f1g2"),
    ),
    atom(
        "AcB",
        "Ac",
        "The piece that moved attacks an enemy bishop from its new square.",
        ("4kb2/8/8/8/5N2/8/8/4K3 w - - 0 1", "f4g6"),
    ),
    atom(
        "AcN",
        "Ac",
        "The piece that moved attacks an enemy knight from its new square.",
        ("4k3/8/2n5/8/8/8/8/4KB2 w - - 0 1", "f1b5"),
    ),
    atom(
        "AcP",
        "Ac",
        "The piece that moved attacks an enemy pawn from its new square.",
        ("4k3/5p2/8/8/8/8/8/4KB2 w - - 0 1", "f1c4"),
    ),
    atom(
        "Rc",
        "Rc",
        "Captures the piece that has just captured.",
        ("4k3/8/3p4/4n3/8/5N2/8/4K3 w - - 0 1", "f3e5 d6e5"),
    ),
    zone("Rdb", None, "The destination is in the own half of the board.", "a2a4"),
    zone("RdBb", Some("Rdb"), "The destination is on the first or second rank.", "a2b2"),
    zone("RdBt", Some("Rdb"), "The destination is on the third or fourth rank.", "a2a3"),
    zone("Rdt", None, "The destination is in the opponent's half of the board.", "a2a5"),
    zone("RdTb", Some("Rdt"), "The destination is on the fifth or sixth rank.", "a2a6"),
    zone("RdTt", Some("Rdt"), "The destination is on the seventh or eighth rank.", "a2a7"),
    atom("CcQ", "Cc", "Captures a queen.", ("3qk3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8")),
    atom("CcR", "Cc", "Captures a rook.", ("4k3/8/8/r7/8/8/8/R3K3 w - - 0 1", "a1a5")),
    atom("CcB", "Cc", "Captures a bishop.", ("4k3/8/b7/8/8/8/8/R3K3 w - - 0 1", "a1a6")),
    atom("CcN", "Cc", "Captures a knight.", ("4k3/8/8/n7/8/8/8/R3K3 w - - 0 1", "a1a5")),
    atom("CcP", "Cc", "Captures a pawn, also en passant.", ("4k3/8/8/p7/8/8/8/R3K3 w - - 0 1", "a1a5")),
    atom("LcQ", "Lc", "The opponent moved a queen last.", ("3qk3/8/8/8/8/8/8/4K3 b - - 0 1", "d8d5 e1e2")),
    atom("LcR", "Lc", "The opponent moved a rook last.", ("r3k3/8/8/8/8/8/8/4K3 b - - 0 1", "a8a4 e1e2")),
    atom("LcB", "Lc", "The opponent moved a bishop last.", ("2b1k3/8/8/8/8/8/8/4K3 b - - 0 1", "c8f5 e1e2")),
    atom("LcN", "Lc", "The opponent moved a knight last.", ("1n2k3/8/8/8/8/8/8/4K3 b - - 0 1", "b8c6 e1e2")),
    atom(
        "LcP",
        "Lc",
        "The opponent moved a pawn last, or promoted it.",
        ("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", "e7e5 e1e2"),
    ),
    atom(
        "Fr",
        "Fr",
        "Forced reply: the only legal move, out of a check.",
        ("4r1k1/8/8/1B6/8/8/6PP/7K b - - 0 1", "e8e1 b5f1"),
    ),
    atom(
        "Pp",
        "Pp",
        "Passed-pawn push: a pawn goes straight ahead, and no enemy pawn is ahead of where it arrives, on its file or \
         the files beside it. On any rank: combine it with one.",
        ("4k3/8/8/3P4/8/p7/8/4K3 w - - 0 1", "d5d6"),
    ),
    atom("Pr", "Pr", "A pawn promotes, to whichever piece.", ("7k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q")),
    atom(
        "Dc",
        "Dc",
        "Discovered check: a piece that did not move attacks the king after the move; the piece that moved may as well.",
        ("4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1", "e4c5"),
    ),
    atom(
        "Al",
        "Al",
        "Goes where a lesser enemy piece attacks it (pawn < knight = bishop < rook < queen), pinned or not.",
        ("4k3/8/2p5/8/8/8/8/3QK3 w - - 0 1", "d1d5"),
    ),
]);

/// An atom without a wider one. The table calls no atom safe for threshold pruning.
const fn atom(
    name: &'static str,
    group: &'static str,
    meaning: &'static str,
    example: (&'static str, &'static str),
) -> AtomFacts {
    AtomFacts { name, group, parent: None, threshold_safe: false, meaning, example }
}

/// A zone of ranks; all are shown by a rook that sets out from a2.
const fn zone(
    name: &'static str,
    parent: Option<&'static str>,
    meaning: &'static str,
    example: &'static str,
) -> AtomFacts {
    let example = ("4k3/8/8/8/8/8/R7/4K3 w - - 0 1", example);
    AtomFacts { name, group: "Vertically", parent, threshold_safe: false, meaning, example }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, Kind, VOCABULARY, kind};

    /// Names and kinds stand in two lists; the letter of the piece and the zones show that they run alike.
    #[test]
    fn names_are_those_of_their_kinds() {
        assert_eq!(VOCABULARY.moves.len(), KINDS.len());
        for atom in VOCABULARY.atoms() {
            let name = VOCABULARY.facts(atom).name;
            let (group, piece) = match kind(atom).unwrap() {
                Kind::Moves(piece) => ("Pc", Some(*piece)),
                Kind::Attacks(piece) => ("Ac", Some(*piece)),
                Kind::Captures(piece) => ("Cc", Some(*piece)),
                Kind::Answers(piece) => ("Lc", Some(*piece)),
                Kind::Recaptures => ("Rc", None),
                Kind::Arrives(_) => ("Vertically", None),
                Kind::IsForced => ("Fr", None),
                Kind::PushesPassed => ("Pp", None),
                Kind::Promotes => ("Pr", None),
                Kind::Discovers => ("Dc", None),
                Kind::StepsBeforeLesser => ("Al", None),
            };
            assert_eq!(VOCABULARY.facts(atom).group, group, "{name}");
            if let Some(piece) = piece {
                assert_eq!(name, format!("{group}{}", piece.to_string().to_uppercase()));
            }
        }
    }
}
