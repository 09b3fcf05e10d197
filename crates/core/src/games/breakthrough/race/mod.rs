//! Decided races: a man that cannot be stopped and reaches the last row first.
//!
//! Whatever is to capture or block a runner must stand in the cone before it, as many columns aside as rows ahead or
//! fewer. One enemy there is not enough: the runner goes past it. So with one at most, and no own man in the way, the
//! runner gets home, unless it is captured before it runs; what remains is to count who is faster. The rule was
//! checked against exhaustive search (`conform`, and the tests below).

mod table;

use super::board::Board;
use super::position::Position;
use crate::outcome::Outcome;

/// The result for the side to move and the plies it takes at most, if a runner decides.
#[inline]
pub fn race_result<B: Board>(position: &Position<B>) -> Option<(Outcome, u32)> {
    let &Position { board, us, them, .. } = position;
    let rows = board.rows();
    // What the fastest man of each side needs if nothing stands in its way. No man is on its last row yet.
    let ours = rows - 1 - (63 - us.leading_zeros()) / 8;
    let theirs = them.trailing_zeros() / 8;
    if ours <= theirs {
        let steps = (us << 8 & !them | position.attacked()) & !us & board.squares();
        let uncaptured = steps & !position.threatened();
        if let Some(moves) = fastest_runner(board, uncaptured, [us, them], theirs - 1) {
            return Some((Outcome::Win, 2 * moves + 1));
        }
    } else {
        let uncaptured = them & !position.attacked();
        let [them, us, uncaptured] = [them, us, uncaptured].map(|men| board.flip(men));
        if let Some(moves) = fastest_runner(board, uncaptured, [them, us], ours - 1) {
            return Some((Outcome::Loss, 2 * moves));
        }
    }
    None
}

/// The moves that the fastest unstoppable man on one of these squares needs, if they are no more than `most`. None of
/// them can be captured by the opponent, who is to move. The side that they belong to comes first, and plays upward.
#[inline]
fn fastest_runner<B: Board>(board: B, squares: u64, [us, them]: [u64; 2], most: u32) -> Option<u32> {
    let goal = board.rows() - 1;
    let mut rest = squares & !board.rows_below(goal - most.min(goal));
    while rest != 0 {
        let square = 63 - rest.leading_zeros();
        let rows = goal - square / 8;
        let cone = CONES[square as usize];
        let defenders = cone & them;
        let columns = [square % 8, board.columns() - 1 - square % 8];
        if cone & us == 0
            && (defenders & defenders.wrapping_sub(1) == 0
                || rows <= table::MOST_ROWS && table::gets_home(square, rows, columns, defenders))
        {
            return Some(rows);
        }
        rest ^= 1 << square;
    }
    None
}

/// By square: all squares ahead that are no more columns aside than rows ahead.
static CONES: [u64; 64] = {
    let mut cones = [0; 64];
    let mut square: usize = 0;
    while square < 64 {
        let mut other = square + 1;
        while other < 64 {
            let rows = other / 8 - square / 8;
            if (other % 8).abs_diff(square % 8) <= rows {
                cones[square] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    cones
};

#[cfg(test)]
mod tests {
    use super::super::board::AnySize;
    use super::super::position::Position;
    use crate::game::Game;
    use crate::outcome::Outcome;
    use crate::random::Random;
    use crate::search::proof::Prover;

    fn race_result(text: &str) -> Option<(Outcome, u32)> {
        Position::<AnySize>::parse(text).unwrap().race_result()
    }

    #[test]
    fn runners_are_seen_from_both_sides() {
        // Who moves first is home first; one enemy in the cone does not stop a runner, two do.
        assert_eq!(race_result("3p4/8/8/3P4/p7/8/8/8 w"), Some((Outcome::Win, 5)));
        assert_eq!(race_result("3p4/8/8/3P4/p7/8/8/8 b"), Some((Outcome::Win, 5)));
        assert_eq!(race_result("2pp4/8/8/3P4/p7/8/8/8 w"), None);
        assert_eq!(race_result("3p4/8/8/3P4/8/p7/8/8 w"), Some((Outcome::Loss, 4)), "the other is faster");
        // A step ahead even with the other to move, unless it can be captured now.
        assert_eq!(race_result("8/8/3P4/8/p7/8/8/8 b"), Some((Outcome::Loss, 4)));
        assert_eq!(race_result("8/4p3/3P4/8/p7/8/8/8 b"), None);
    }

    /// Predicted results are right, and within the predicted plies: against exhaustive search.
    #[test]
    fn predicted_results_come_true() {
        let mut random = Random::for_purpose(1, "races");
        let mut found = [0; 2];
        for round in 0..6_000 {
            let (columns, rows) = [(4, 4), (5, 5), (6, 5), (5, 6)][round % 4];
            let Some(position) = scattered(columns, rows, &mut random) else { continue };
            let Some((outcome, plies)) = position.race_result() else { continue };
            let mut prover = Prover::default();
            match outcome {
                Outcome::Win => {
                    found[0] += 1;
                    assert!(prover.shortest_win(&position, plies).is_some(), "{position} is not won in {plies}");
                }
                _ => {
                    found[1] += 1;
                    for m in position.legal_moves() {
                        let next = position.play(m);
                        let wins = next.terminal_result().is_none() && prover.shortest_win(&next, plies - 1).is_some();
                        assert!(wins, "{position} is not lost in {plies} after {}", position.print_move(m));
                    }
                }
            }
        }
        assert!(found[0] > 500 && found[1] > 100, "{found:?}");
    }

    /// A few men anywhere, if none is on its last row yet.
    fn scattered(columns: usize, rows: usize, random: &mut Random) -> Option<Position<AnySize>> {
        let mut squares = vec!['.'; columns * rows];
        for man in ['P', 'p'] {
            for _ in 0..1 + random.below(4) {
                squares[random.below(columns * rows)] = man;
            }
        }
        let text: Vec<String> = squares.chunks(columns).map(|row| row.iter().collect()).collect();
        let side = if random.below(2) == 0 { "w" } else { "b" };
        let position = Position::parse(&format!("{} {side}", text.join("/").replace('.', "1"))).ok()?;
        (position.terminal_result().is_none() && !position.legal_moves().is_empty()).then_some(position)
    }
}
