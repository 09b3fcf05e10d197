//! The fifteen base features of Table 1, with the groups and hierarchy of thesis Table 4.2, and a second reading of one.
//!
//! The papers describe each in half a sentence; [`AtomFacts::meaning`] says how it is read here.
//! [`has`] is that reading move by move, square by square. [`select`] gives the same answer for all
//! moves at once: every feature is a mask of destination squares, and only `Bv2` and `PPd` also care
//! which way the step goes.
//!
//! `PPd` reads the papers' words for `PP`, "piece's direction is unhindered towards opponent's back rank", as the direction
//! of the move. With it their frequencies and counts come out closer (docs/experiments.md). It is outside the Base set that
//! discovery begins with, which stays that of the papers.
//!
//! The papers name the ranks of 8×8. On other boards the outer zones stay two ranks deep: no man can move to the first
//! rank, and a move to the last one ends the game, so a zone of that rank alone would contain no move worth extending.
//! The inner zones are what is left of each half.

use std::ops::{BitAnd, BitOr};

use super::board::{Board, NOT_A, NOT_H};
use super::position::{Move, Position};
use crate::feature::{Atom, AtomFacts, Guidance, Vocabulary};
use crate::game::MoveSet;

const UD: Atom = Atom(0);
const PP: Atom = Atom(1);
const RC: Atom = Atom(2);
const C: Atom = Atom(3);
const MS: Atom = Atom(4);
const RDB: Atom = Atom(5);
const RDBT: Atom = Atom(6);
const RDBB: Atom = Atom(7);
const RDT: Atom = Atom(8);
const RDTT: Atom = Atom(9);
const RDTB: Atom = Atom(10);
const EDG: Atom = Atom(11);
const MR: Atom = Atom(12);
const UDP: Atom = Atom(13);
const BV2: Atom = Atom(14);
const PPD: Atom = Atom(15);

/// What learners should know: they begin with the papers' atoms.
pub const GUIDANCE: Guidance = Guidance {
    blacklist: &[],
    overlapping: &[("PP", "PP and PPd are two readings of the same words")],
    // The thesis has one vertical group of six, and Rc with C.
    paper_groups: &[
        ("Rc", "Rc"),
        ("Rdb", "Rdb"),
        ("RdBb", "Rdb"),
        ("RdBt", "Rdb"),
        ("Rdt", "Rdt"),
        ("RdTb", "Rdt"),
        ("RdTt", "Rdt"),
    ],
    base: &["Ud", "PP", "Rc", "C", "Ms", "Rd*", "Edg", "Mr", "Udp", "Bv2"],
};

/// The atoms in the order of the constants above.
pub const VOCABULARY: Vocabulary = Vocabulary::of_game(&[
    AtomFacts {
        name: "Ud",
        group: "Ud",
        parent: None,
        threshold_safe: true,
        meaning: "No enemy man can capture on the destination square.",
        example: ("8/8/3p4/8/4P3/8/8/8 w", "e4f5"),
    },
    AtomFacts {
        name: "PP",
        group: "PP",
        parent: None,
        threshold_safe: true,
        meaning: "No man of either side stands ahead of the destination on its file.",
        example: ("8/2p5/4p3/8/3P4/8/8/8 w", "d4d5"),
    },
    AtomFacts {
        name: "Rc",
        group: "C",
        parent: None,
        threshold_safe: true,
        meaning: "Captures the man that the opponent moved last.",
        example: ("8/8/3p4/8/4P3/3P4/8/8 b", "d6d5 e4d5"),
    },
    AtomFacts {
        name: "C",
        group: "C",
        parent: None,
        threshold_safe: true,
        meaning: "Captures a man.",
        example: ("8/8/3p4/4P3/8/8/8/8 w", "e5d6"),
    },
    AtomFacts {
        name: "Ms",
        group: "Ms",
        parent: None,
        threshold_safe: true,
        meaning: "More than half of the squares around the destination (8, on the rim 5, in the corner 3) hold own men \
                  after the move.",
        example: ("7p/8/8/2PPP3/2P1P3/3P4/8/8 w", "d3d4"),
    },
    AtomFacts {
        name: "Rdb",
        group: "Vertically",
        parent: None,
        threshold_safe: false,
        meaning: "The destination is in the own half of the board. The middle rank of an odd number belongs to it.",
        example: ("8/8/p7/8/8/3P4/8/8 w", "d3d4"),
    },
    AtomFacts {
        name: "RdBt",
        group: "Vertically",
        parent: Some("Rdb"),
        threshold_safe: true,
        meaning: "The destination is in the own half, beyond the second rank: on 8×8, on the third or fourth rank. A board of \
                  four ranks has no such square.",
        example: ("8/8/p7/8/8/3P4/8/8 w", "d3e4"),
    },
    AtomFacts {
        name: "RdBb",
        group: "Vertically",
        parent: Some("Rdb"),
        threshold_safe: true,
        meaning: "The destination is on the first or second rank.",
        example: ("8/8/p7/8/8/8/8/3P4 w", "d1d2"),
    },
    AtomFacts {
        name: "Rdt",
        group: "Vertically",
        parent: None,
        threshold_safe: false,
        meaning: "The destination is in the opponent's half of the board.",
        example: ("8/8/p7/8/3P4/8/8/8 w", "d4d5"),
    },
    AtomFacts {
        name: "RdTt",
        group: "Vertically",
        parent: Some("Rdt"),
        threshold_safe: true,
        meaning: "The destination is on one of the last two ranks: on 8×8, on the seventh or eighth.",
        example: ("8/8/3P4/p7/8/8/8/8 w", "d6c7"),
    },
    AtomFacts {
        name: "RdTb",
        group: "Vertically",
        parent: Some("Rdt"),
        threshold_safe: true,
        meaning: "The destination is in the opponent's half, before the last two ranks: on 8×8, on the fifth or sixth rank. \
                  Boards of four and five ranks have no such square.",
        example: ("8/8/p7/3P4/8/8/8/8 w", "d5d6"),
    },
    AtomFacts {
        name: "Edg",
        group: "Horizontal",
        parent: None,
        threshold_safe: false,
        meaning: "The destination is on one of the outer files: on 8×8, a, b, g and h; on narrower boards one on each side.",
        example: ("8/8/p7/8/2P5/8/8/8 w", "c4b5"),
    },
    AtomFacts {
        name: "Mr",
        group: "Horizontal",
        parent: None,
        threshold_safe: true,
        meaning: "The destination is not on one of the outer files: on 8×8, on c, d, e or f.",
        example: ("8/8/p7/8/2P5/8/8/8 w", "c4d5"),
    },
    AtomFacts {
        name: "Udp",
        group: "Udp",
        parent: None,
        threshold_safe: true,
        meaning: "The destination cannot be captured on and an enemy man stands straight ahead of it: the man is about to \
                  walk around it.",
        example: ("8/8/3p4/8/3P4/8/8/8 w", "d4d5"),
    },
    AtomFacts {
        name: "Bv2",
        group: "Bv2",
        parent: None,
        threshold_safe: true,
        meaning: "After the move an enemy man stands straight ahead and an own man straight behind: a wall of two.",
        example: ("8/8/3p4/8/3PP3/8/8/8 w", "e4d5"),
    },
    AtomFacts {
        name: "PPd",
        group: "PP",
        parent: None,
        threshold_safe: true,
        meaning: "No man of either side stands ahead of the destination in the direction of the move: on its file, or on the \
                  diagonal up to the edge. The destination is not on the last rank.",
        example: ("8/2p5/4p3/8/3P4/8/8/8 w", "d4c5"),
    },
]);

/// How many atoms the papers have. Fingerprints are computed on the examples of these: with one more, the keys of every
/// stored result would change.
pub const PAPERS_ATOMS: usize = 15;

/// A set of moves: destinations by the way of the step, so that a bit's place is the move's code.
/// No move is in the last word; with four, every code of two bits is an index.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Destinations([u64; 4]);

impl Destinations {
    #[inline(always)]
    fn by_step(left: u64, straight: u64, right: u64) -> Destinations {
        Destinations([left, straight, right, 0])
    }

    /// Every way to these squares.
    #[inline(always)]
    fn to(squares: u64) -> Destinations {
        Destinations([squares; 4])
    }
}

impl MoveSet<Move> for Destinations {
    #[inline(always)]
    fn contains(&self, m: Move) -> bool {
        self.0[m.step_index()] >> m.to() & 1 != 0
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.0[..3].iter().fold(0, |all, set| all | set) == 0
    }
}

impl BitAnd for Destinations {
    type Output = Destinations;

    #[inline(always)]
    fn bitand(self, other: Destinations) -> Destinations {
        Destinations(std::array::from_fn(|step| self.0[step] & other.0[step]))
    }
}

impl BitOr for Destinations {
    type Output = Destinations;

    #[inline(always)]
    fn bitor(self, other: Destinations) -> Destinations {
        Destinations(std::array::from_fn(|step| self.0[step] | other.0[step]))
    }
}

/// All legal moves.
#[inline]
pub fn all_moves<B: Board>(position: &Position<B>) -> Destinations {
    let squares = position.board.squares() & !position.us;
    Destinations::by_step(
        position.us << 7 & NOT_H & squares,
        position.us << 8 & !position.them & squares,
        position.us << 9 & NOT_A & squares,
    )
}

/// All moves with this feature.
#[inline]
pub fn select<B: Board>(position: &Position<B>, atom: Atom) -> Destinations {
    match atom {
        BV2 | PPD => select_by_step(position, atom),
        _ => Destinations::to(destinations(position, atom)),
    }
}

/// All moves with a feature that depends on the way of the step.
#[inline(never)]
fn select_by_step<B: Board>(position: &Position<B>, atom: Atom) -> Destinations {
    if atom == PPD {
        return unhindered(position);
    }
    // A straight step leaves the square behind the man empty.
    let wall = position.them >> 8 & position.us << 8;
    Destinations::by_step(wall, 0, wall)
}

/// All destinations of moves with any other feature. Not inlined: the optimiser would compute every feature beforehand.
#[inline(never)]
fn destinations<B: Board>(position: &Position<B>, atom: Atom) -> u64 {
    let board = position.board;
    match atom {
        UD => !position.threatened(),
        PP => !behind_any(position.us | position.them),
        RC => position.last,
        C => position.them,
        MS => massed(position),
        RDB => board.rows_in(0..board.half()),
        RDBB => board.rows_in(0..2),
        RDBT => board.rows_in(2..board.half()),
        RDT => board.rows_in(board.half()..board.rows()),
        RDTB => board.rows_in(board.half()..board.rows() - 2),
        RDTT => board.rows_in(board.rows() - 2..board.rows()),
        EDG => board.edges(),
        MR => !board.edges(),
        UDP => position.them >> 8 & !position.threatened(),
        _ => 0,
    }
}

/// Whether the move has this feature, square by square.
pub fn has<B: Board>(position: &Position<B>, m: Move, atom: Atom) -> bool {
    let scene = Scene::after(position, m);
    let (column, row) = (scene.column, scene.row);
    let (columns, rows) = (position.board.columns() as i32, position.board.rows() as i32);
    let in_own_half = 2 * row < rows;
    let (in_first_two, in_last_two) = (row < 2, row >= rows - 2);
    let on_edge = column < columns / 4 || column >= columns - columns / 4;
    let threatened = scene.enemy(column - 1, row + 1) || scene.enemy(column + 1, row + 1);
    match atom {
        UD => !threatened,
        PP => (row + 1..rows).all(|ahead| !scene.own(column, ahead) && !scene.enemy(column, ahead)),
        RC => position.last == 1 << m.to(),
        C => position.them >> m.to() & 1 == 1,
        MS => {
            let around: Vec<_> = scene.neighbours(columns, rows).collect();
            2 * around.iter().filter(|&&(x, y)| scene.own(x, y)).count() > around.len()
        }
        RDB => in_own_half,
        RDBB => in_first_two,
        RDBT => in_own_half && !in_first_two,
        RDT => !in_own_half,
        RDTB => !in_own_half && !in_last_two,
        RDTT => in_last_two,
        EDG => on_edge,
        MR => !on_edge,
        UDP => !threatened && scene.enemy(column, row + 1),
        BV2 => scene.enemy(column, row + 1) && scene.own(column, row - 1),
        PPD => {
            let aside = column - i32::from(m.from() % 8);
            let is_free = |ahead: i32| {
                let column = column + aside * ahead;
                !scene.own(column, row + ahead) && !scene.enemy(column, row + ahead)
            };
            row < rows - 1 && (1..rows - row).all(is_free)
        }
        _ => false,
    }
}

/// Squares with a man somewhere ahead on the same file.
#[inline]
fn behind_any(men: u64) -> u64 {
    let mut below = men >> 8;
    below |= below >> 8;
    below |= below >> 16;
    below | below >> 32
}

/// Steps with nothing ahead of them in their own direction that do not end the game.
#[inline]
fn unhindered<B: Board>(position: &Position<B>) -> Destinations {
    let men = position.us | position.them;
    let before_goal = position.board.squares() & !position.board.goal();
    Destinations::by_step(
        before_goal & !behind_on_ray(men, 7, NOT_A),
        before_goal & !behind_any(men),
        before_goal & !behind_on_ray(men, 9, NOT_H),
    )
}

/// Squares with a man somewhere on the ray that goes up by `shift`, which can be stepped along from the squares of `open`.
#[inline]
fn behind_on_ray(men: u64, shift: u32, open: u64) -> u64 {
    let mut below = men >> shift & open;
    let mut through = open;
    // A ray has at most seven squares ahead: 1 + 2 + 4.
    for distance in [shift, 2 * shift] {
        below |= below >> distance & through;
        through &= through >> distance;
    }
    below | below >> (4 * shift) & through
}

/// Squares that a man can step to and find most of the squares around it held by its own side.
#[inline]
fn massed<B: Board>(position: &Position<B>) -> u64 {
    let us = position.us;
    let (left, right) = (us >> 1 & NOT_H, us << 1 & NOT_A);
    // Eight neighbours are added up in binary, one bit plane per power of two.
    let neighbours = [left, right, us << 8, us >> 8, left << 8, left >> 8, right << 8, right >> 8];
    let (mut ones, mut twos, mut fours, mut eights) = (0, 0, 0, 0);
    for plane in neighbours {
        let carry = ones & plane;
        ones ^= plane;
        let carry_on = twos & carry;
        twos ^= carry;
        eights |= fours & carry_on;
        fours ^= carry_on;
    }
    // The square that the man comes from is always among them and will be empty: one more is needed.
    let six = eights | (fours & twos);
    let four = eights | fours;
    let three = four | (twos & ones);
    let (vertical, horizontal) = position.board.rims();
    let (corner, rim) = (vertical & horizontal, vertical ^ horizontal);
    (six & !(vertical | horizontal)) | (four & rim) | (three & corner)
}

/// The board after a move, for the definitions: whose man stands on a square, by coordinates.
struct Scene {
    us: u64,
    them: u64,
    column: i32,
    row: i32,
}

impl Scene {
    fn after<B: Board>(position: &Position<B>, m: Move) -> Scene {
        let to = 1 << m.to();
        Scene {
            us: position.us & !(1 << m.from()) | to,
            them: position.them & !to,
            column: i32::from(m.to() % 8),
            row: i32::from(m.to() / 8),
        }
    }

    fn own(&self, column: i32, row: i32) -> bool {
        on_board(self.us, column, row)
    }

    fn enemy(&self, column: i32, row: i32) -> bool {
        on_board(self.them, column, row)
    }

    fn neighbours(&self, columns: i32, rows: i32) -> impl Iterator<Item = (i32, i32)> {
        let (column, row) = (self.column, self.row);
        (column - 1..=column + 1)
            .flat_map(move |x| (row - 1..=row + 1).map(move |y| (x, y)))
            .filter(move |&(x, y)| (x, y) != (column, row) && (0..columns).contains(&x) && (0..rows).contains(&y))
    }
}

fn on_board(men: u64, column: i32, row: i32) -> bool {
    (0..8).contains(&column) && (0..8).contains(&row) && men >> (8 * row + column) & 1 == 1
}
