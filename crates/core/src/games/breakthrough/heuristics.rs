//! The three evaluation functions of thesis appendix A.4, and one that is learned.
//!
//! The three count men by row without a population-count instruction, which the oldest processors that
//! releases run on do not have: eight counts are made side by side in the bytes of one word, and one
//! multiplication adds them up with their weights.

use std::sync::LazyLock;

use super::board::Board;
use super::position::Position;
use crate::patterns::Patterns;
use crate::score::Score;
use crate::settings::Heuristic;
use crate::weights::WeightFile;

/// Names, in the order of the constants below.
pub const NAMES: &[&str] = &["material", "advance", "guarded", "patterns"];

/// The more men the better.
pub const MATERIAL: Heuristic = Heuristic::BuiltIn(0);
/// The further every man is the better, whatever becomes of it.
pub const ADVANCE: Heuristic = Heuristic::BuiltIn(1);
/// Men count, and so does how far those are that cannot be captured at once (appendix A.3).
pub const GUARDED: Heuristic = Heuristic::BuiltIn(GUARDED_INDEX);
const GUARDED_INDEX: u8 = 2;
/// Patterns in small windows of the standard board, with weights that `scripts/fit-breakthrough` learned by self-play.
/// Boards of other sizes are evaluated as by [`GUARDED`].
pub const PATTERNS: Heuristic = Heuristic::BuiltIn(3);

/// What a man is worth in rows of advancement.
const MAN: i32 = 10;

/// The weights of [`PATTERNS`].
struct Embedded {
    table: Patterns,
    /// What stands for their content.
    key: u64,
}

/// Read when they are first asked for.
static EMBEDDED: LazyLock<Embedded> = LazyLock::new(|| {
    let file = WeightFile::read(include_bytes!("../../../../../data/breakthrough.weights")).expect("a test reads data/breakthrough.weights");
    let table = Patterns::from_numbers(8, 8, &file.numbers).expect("a test counts the numbers of the table");
    Embedded { table, key: file.key() }
});

/// The content key of the weights that a heuristic was built with, if it is learned.
pub fn embedded_key(heuristic: Heuristic) -> Option<u64> {
    (heuristic == PATTERNS).then(|| EMBEDDED.key)
}

/// The value for the side to move.
#[inline(always)]
pub fn evaluate<B: Board>(position: &Position<B>, heuristic: Heuristic) -> Score {
    let units = match heuristic {
        Heuristic::BuiltIn(index) if heuristic != PATTERNS => handcrafted(position, index),
        _ => learned(position, heuristic),
    };
    Score::evaluation(units)
}

/// The value by a heuristic of the papers.
// A function of its own that calls no other: in one function with the learned evaluation, a classic search takes 2 % more
// instructions.
#[inline(never)]
fn handcrafted<B: Board>(position: &Position<B>, index: u8) -> i32 {
    let (us, them) = (position.us, position.them);
    match Heuristic::BuiltIn(index) {
        MATERIAL => MAN * position.surplus,
        ADVANCE => rows_up(us) - rows_up(position.board.flip(them)),
        _ => {
            let safe = us & !position.threatened();
            let their_safe = them & !position.attacked();
            MAN * position.surplus + rows_up(safe) - rows_up(position.board.flip(their_safe))
        }
    }
}

/// The evaluation function that a position is really evaluated with.
pub fn used<B: Board>(position: &Position<B>, wanted: Heuristic) -> Heuristic {
    match wanted {
        MATERIAL | ADVANCE | GUARDED => wanted,
        _ if fitting_table(position.board, wanted).is_some() => wanted,
        _ => GUARDED,
    }
}

/// The value by a table of patterns, or as by [`GUARDED`] if the table is for boards of another size.
#[inline(never)]
fn learned<B: Board>(position: &Position<B>, heuristic: Heuristic) -> i32 {
    match fitting_table(position.board, heuristic) {
        Some(table) => table.evaluate(position.us, position.them),
        None => handcrafted(position, GUARDED_INDEX),
    }
}

/// The table of a learned evaluation, if it is for boards of this size.
#[inline(always)]
fn fitting_table<B: Board>(board: B, heuristic: Heuristic) -> Option<&'static Patterns> {
    let table = match heuristic {
        Heuristic::Loaded(weights) => weights.tables::<Patterns>(),
        Heuristic::BuiltIn(_) => Some(&EMBEDDED.table),
    };
    table.filter(|table| table.is_for(board.columns(), board.rows()))
}

/// The sum of the rows that men who play upward have behind them.
#[inline]
fn rows_up(squares: u64) -> i32 {
    // The multiplication adds up all bytes in the highest one, each times its weight; the weights stand
    // in the opposite order. It fits: 16 men have at most 7 rows behind them each.
    const WEIGHTS: u64 = 0x0001_0203_0405_0607;
    (counts_by_row(squares).wrapping_mul(WEIGHTS) >> 56) as i32
}

/// The number of squares in each row, one byte each.
#[inline]
fn counts_by_row(squares: u64) -> u64 {
    let pairs = squares - (squares >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

#[cfg(test)]
mod tests {
    use super::{EMBEDDED, PATTERNS, embedded_key};
    use crate::weights::WeightFile;

    /// Panics if the file that the program is built with is broken.
    #[test]
    fn the_embedded_weights_are_those_of_this_game() {
        let file = WeightFile::read(include_bytes!("../../../../../data/breakthrough.weights")).unwrap();
        assert_eq!((file.game.as_str(), file.form.as_str()), ("breakthrough", "patterns 8x8"));
        assert_eq!(file.numbers, EMBEDDED.table.numbers());
        assert_eq!(embedded_key(PATTERNS), Some(file.key()));
        assert_eq!(embedded_key(super::GUARDED), None);
    }
}
