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
pub const GUARDED: Heuristic = Heuristic::BuiltIn(2);
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

/// Read when they are first asked for. None while no weights have been fitted: the file is empty then.
static EMBEDDED: LazyLock<Option<Embedded>> = LazyLock::new(|| {
    const FILE: &[u8] = include_bytes!("../../../../../data/breakthrough.weights");
    if FILE.is_empty() {
        return None;
    }
    let file = WeightFile::read(FILE).expect("a test reads data/breakthrough.weights");
    let table = Patterns::from_numbers(8, 8, &file.numbers).expect("a test counts the numbers of the table");
    Some(Embedded { table, key: file.key() })
});

/// The content key of the weights that a heuristic was built with, if it is learned.
pub fn embedded_key(heuristic: Heuristic) -> Option<u64> {
    (heuristic == PATTERNS).then(|| EMBEDDED.as_ref().map_or(0, |embedded| embedded.key))
}

/// The value for the side to move.
#[inline(always)]
pub fn evaluate<B: Board>(position: &Position<B>, heuristic: Heuristic) -> Score {
    let units = match heuristic {
        MATERIAL => MAN * position.surplus,
        ADVANCE => rows_up(position.us) - rows_up(position.board.flip(position.them)),
        GUARDED => guarded(position),
        _ => learned(position.board, position.us, position.them, heuristic).unwrap_or_else(|| guarded(position)),
    };
    Score::evaluation(units)
}

#[inline(always)]
fn guarded<B: Board>(position: &Position<B>) -> i32 {
    let safe = position.us & !position.threatened();
    let their_safe = position.them & !position.attacked();
    MAN * position.surplus + rows_up(safe) - rows_up(position.board.flip(their_safe))
}

/// The evaluation function that a position is really evaluated with.
pub fn used<B: Board>(position: &Position<B>, wanted: Heuristic) -> Heuristic {
    match wanted {
        MATERIAL | ADVANCE | GUARDED => wanted,
        _ if fitting_table(position.board, wanted).is_some() => wanted,
        _ => GUARDED,
    }
}

/// The value by a table of patterns; none if the table is for boards of another size.
// Not inlined, and given values instead of a position: a search with another heuristic keeps its positions in registers.
#[inline(never)]
fn learned<B: Board>(board: B, us: u64, them: u64, heuristic: Heuristic) -> Option<i32> {
    fitting_table(board, heuristic).map(|table| table.evaluate(us, them))
}

/// The table of a learned evaluation, if it is for boards of this size.
#[inline(always)]
fn fitting_table<B: Board>(board: B, heuristic: Heuristic) -> Option<&'static Patterns> {
    let table = match heuristic {
        Heuristic::Loaded(weights) => weights.tables::<Patterns>(),
        Heuristic::BuiltIn(_) => EMBEDDED.as_ref().map(|embedded| &embedded.table),
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
        if let Some(embedded) = EMBEDDED.as_ref() {
            let file = WeightFile::read(include_bytes!("../../../../../data/breakthrough.weights")).unwrap();
            assert_eq!((file.game.as_str(), file.form.as_str()), ("breakthrough", "patterns 8x8"));
            assert_eq!(file.numbers, embedded.table.numbers());
            assert_eq!(embedded_key(PATTERNS), Some(file.key()));
        }
        assert_eq!(embedded_key(super::GUARDED), None);
    }
}
