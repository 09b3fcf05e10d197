//! The weights as evaluations add them, and those that the program was built with.

use cozy_chess::{Color, Piece, Square};

use super::TUNED;
use super::bounds;
use super::tapered::Tapered;
use super::terms::{COUNT, Group, PIECES, Pair, SQUARES};
use crate::settings::Heuristic;
use crate::weights::{WeightFile, WeightFileError};

/// The game of the files, as in the table of games.
pub const GAME: &str = "chess";

/// The largest weight: what an evaluation can be at most.
pub const MOST: i16 = 9_999;

/// Weights in the form in which evaluations add them.
///
/// Positions refer to the tables that their [`super::Placement`] was counted with, so tables live as long as the program.
#[derive(PartialEq, Eq, Debug)]
pub struct Tables {
    weights: [Tapered; COUNT],
    placed: [[[Tapered; Square::NUM]; Piece::NUM]; Color::NUM],
    /// Tells what these weights put into an `EvalTermCache` from what others did.
    pub salt: u64,
}

/// The file with the weights of [`LEARNED`](super::LEARNED).
pub static LEARNED_FILE: &[u8] = include_bytes!("../../../../data/chess.weights");
/// The file with the weights of [`TUNED`](super::TUNED).
pub static TUNED_FILE: &[u8] = include_bytes!("../../../../data/chess-classic.weights");

/// The weights of [`LEARNED`](super::LEARNED).
pub static LEARNED_TABLES: Tables = Tables::new(&embedded_pairs(LEARNED_FILE), 0);
/// The weights of [`TUNED`](super::TUNED).
pub static TUNED_TABLES: Tables = Tables::new(&embedded_pairs(TUNED_FILE), 1);

impl Tables {
    /// The tables of these weights. The salt is a number that other weights do not have.
    pub const fn new(pairs: &[Pair; COUNT], salt: u64) -> Tables {
        let mut weights = [Tapered::ZERO; COUNT];
        let mut index = 0;
        while index < COUNT {
            weights[index] = Tapered::new(pairs[index].0, pairs[index].1);
            index += 1;
        }
        Tables { weights, placed: place(&weights), salt }
    }

    /// The tables of a weight file.
    pub fn load(file: &WeightFile) -> Result<Tables, WeightFileError> {
        let pairs = pairs(file)?;
        bounds::check(&pairs)?;
        Ok(Tables::new(&pairs, file.key()))
    }

    /// The tables that a heuristic evaluates with.
    #[inline]
    pub fn of(heuristic: Heuristic) -> &'static Tables {
        match heuristic {
            TUNED => &TUNED_TABLES,
            Heuristic::BuiltIn(_) => &LEARNED_TABLES,
            Heuristic::Loaded(weights) => weights.tables().expect("weights of chess that were loaded"),
        }
    }

    /// A weight of a group.
    #[inline(always)]
    pub fn weight(&self, group: Group, index: usize) -> Tapered {
        debug_assert!(index < group.count, "{} has no weight {index}", group.name);
        self.weights[group.first + index]
    }

    /// What a piece of this side is worth to White on this square.
    #[inline(always)]
    pub fn placed(&self, side: Color, piece: Piece, square: Square) -> Tapered {
        self.placed[side as usize][piece as usize][square as usize]
    }
}

/// The form of the files.
pub fn form() -> String {
    format!("terms {COUNT}")
}

/// The weights of a file, if it has the form of this game.
pub fn pairs(file: &WeightFile) -> Result<[Pair; COUNT], WeightFileError> {
    if file.game != GAME {
        return Err(WeightFileError::Game { expected: GAME.to_string(), found: file.game.clone() });
    }
    if file.form != form() {
        return Err(WeightFileError::Form { game: GAME, expected: form(), found: file.form.clone() });
    }
    file.check_numbers(2 * COUNT, MOST)?;
    Ok(std::array::from_fn(|index| (file.numbers[2 * index], file.numbers[2 * index + 1])))
}

/// The place of a piece on a square in the list of weights.
pub const fn weight_of(piece: Piece, square: Square) -> usize {
    SQUARES.first + 64 * piece as usize + square as usize
}

/// What each piece of each side is worth to White on each square: piece and square in one number.
const fn place(weights: &[Tapered; COUNT]) -> [[[Tapered; Square::NUM]; Piece::NUM]; Color::NUM] {
    let mut placed = [[[Tapered::ZERO; Square::NUM]; Piece::NUM]; Color::NUM];
    let mut piece = 0;
    while piece < Piece::NUM {
        let mut square = 0;
        while square < Square::NUM {
            let on_square = Square::index_const(square);
            let kind = Piece::index_const(piece);
            let piece_value = if piece < PIECES.count { weights[PIECES.first + piece] } else { Tapered::ZERO };
            let value = piece_value.plus(weights[weight_of(kind, on_square)]);
            placed[Color::White as usize][piece][square] = value;
            placed[Color::Black as usize][piece][on_square.flip_rank() as usize] = value.negated();
            square += 1;
        }
        piece += 1;
    }
    placed
}

/// The numbers of an embedded file, which are its last bytes. Read by the compiler, so that a search finds its tables
/// where the linker put them; that the whole file is in order is tested.
const fn embedded_pairs(file: &[u8]) -> [Pair; COUNT] {
    let mut pairs = [(0, 0); COUNT];
    let first = file.len() - 4 * COUNT;
    assert!(
        file[first - 2] == b'\n' && file[first - 1] == b'\n',
        "an embedded weight file has another number of weights"
    );
    let mut index = 0;
    while index < COUNT {
        let at = first + 4 * index;
        let middle = i16::from_le_bytes([file[at], file[at + 1]]);
        let end = i16::from_le_bytes([file[at + 2], file[at + 3]]);
        pairs[index] = (middle, end);
        index += 1;
    }
    pairs
}
