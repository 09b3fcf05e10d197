//! The three evaluation functions of thesis appendix A.4, and one that is learned.
//!
//! The value of the three for one side is what it is for the other with its sign turned around. So a position can be
//! evaluated from either side, and leaves need not be turned around ([`value_after`]). What is learned is not like that.

use std::sync::LazyLock;

use super::board::{Board, FromSize};
use super::position::{Move, Position};
use crate::game::Game;
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
    let file = WeightFile::read(include_bytes!("../../../data/breakthrough.weights"))
        .expect("a test reads data/breakthrough.weights");
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

/// The value of the position after a move that does not end the game, for the side that made it.
#[inline(always)]
pub fn value_after<B: FromSize>(position: &Position<B>, m: Move, heuristic: Heuristic) -> Score {
    // Most leaves are those of the papers' set-up, so that one is inlined.
    let units = match heuristic {
        GUARDED => guarded_after(position, m),
        Heuristic::BuiltIn(index) if heuristic != PATTERNS => handcrafted(&moved(position, m), index),
        _ => -learned(&position.play(m), heuristic),
    };
    Score::evaluation(units)
}

/// The men after a move, still seen from the side that made it.
#[inline(always)]
fn moved<B: Board>(position: &Position<B>, m: Move) -> Position<B> {
    let (us, them) = (position.us ^ m.squares(), position.them & !m.destination());
    Position { us, them, surplus: position.surplus + position.captures(m), ..*position }
}

/// The value by a heuristic of the papers, for the side whose men play upward.
// A function of its own that calls no other: in one function with the learned evaluation, a classic search takes 2 % more
// instructions.
#[inline(never)]
fn handcrafted<B: Board>(position: &Position<B>, index: u8) -> i32 {
    match Heuristic::BuiltIn(index) {
        MATERIAL => MAN * position.surplus,
        ADVANCE => rows_ahead(position.board, position.us, position.them),
        _ => guarded(position),
    }
}

/// The value by [`GUARDED`].
#[inline(always)]
fn guarded<B: Board>(position: &Position<B>) -> i32 {
    let &Position { board, us, them, surplus, .. } = position;
    MAN * surplus + rows_ahead(board, us & !position.threatened(), them & !position.attacked())
}

/// The value by [`GUARDED`] after a move, for the side that made it.
// Few moves capture: after all others the same squares are threatened, which is computed once for all moves of a node.
#[inline(always)]
fn guarded_after<B: Board>(position: &Position<B>, m: Move) -> i32 {
    let after = moved(position, m);
    let threatened = if after.them == position.them { position.threatened() } else { after.threatened() };
    MAN * after.surplus + rows_ahead(after.board, after.us & !threatened, after.them & !after.attacked())
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

/// The sum of the rows that our men have behind them, less that of theirs.
#[inline(always)]
fn rows_ahead<B: Board>(board: B, ours: u64, theirs: u64) -> i32 {
    // The number of a row is added up bit by bit. On eight rows, a bit that our man has on a row is one that theirs does not
    // have, so one count does for both sides: our men where the bit is set, and squares without theirs where it is not. Our
    // men stand on squares without theirs.
    let count = |unset: u64| (!theirs & (ours | unset)).count_ones() as i32;
    let ones = count(0x00ff_00ff_00ff_00ff);
    let twos = count(0x0000_ffff_0000_ffff);
    let fours = count(0x0000_0000_ffff_ffff);
    // A bit is not set on half of the squares. On fewer rows, theirs have fewer behind them.
    let missing = (8 - board.rows()) * theirs.count_ones();
    ones + 2 * twos + 4 * fours - 7 * 32 + missing as i32
}

#[cfg(test)]
mod tests {
    use super::super::board::{AnySize, Board};
    use super::{EMBEDDED, PATTERNS, embedded_key, rows_ahead};
    use crate::random::Random;
    use crate::weights::WeightFile;

    /// Rows counted man by man, as the thesis defines them.
    fn rows_by_man(board: AnySize, ours: u64, theirs: u64) -> i32 {
        let rows = |men: u64| (0..64).filter(|square| men >> square & 1 == 1).map(|square| square / 8).sum::<i32>();
        rows(ours) - rows(board.flip(theirs))
    }

    #[test]
    fn rows_are_those_of_every_man() {
        let mut random = Random::new(1);
        for (columns, rows) in (4..=8).flat_map(|columns| (4..=8).map(move |rows| (columns, rows))) {
            let board = AnySize::new(columns, rows).unwrap();
            for _ in 0..200 {
                let ours = random.next_seed() & board.squares();
                let theirs = random.next_seed() & board.squares() & !ours;
                assert_eq!(rows_ahead(board, ours, theirs), rows_by_man(board, ours, theirs), "{board:?}");
            }
        }
    }

    /// Panics if the file that the program is built with is broken.
    #[test]
    fn the_embedded_weights_are_those_of_this_game() {
        let file = WeightFile::read(include_bytes!("../../../data/breakthrough.weights")).unwrap();
        assert_eq!((file.game.as_str(), file.form.as_str()), ("breakthrough", "patterns 8x8"));
        assert_eq!(file.numbers, EMBEDDED.table.numbers());
        assert_eq!(embedded_key(PATTERNS), Some(file.key()));
        assert_eq!(embedded_key(super::GUARDED), None);
    }
}
