use super::super::board::{AnySize, Board, NOT_A, NOT_H};
use super::super::position::{Position, Side};
use super::fastest_runner;
use crate::game::Game;
use crate::outcome::Outcome;
use crate::random::Random;
use crate::search::proof::Prover;

fn race_result(text: &str) -> Option<(Outcome, u32)> {
    Position::<AnySize>::parse(text).unwrap().race_result()
}

#[test]
fn runners_are_seen_from_both_sides() {
    // Who moves first is home first; one enemy in the cone does not stop a runner, two can.
    assert_eq!(race_result("3p4/8/8/3P4/p7/8/8/8 w"), Some((Outcome::Win, 5)));
    assert_eq!(race_result("3p4/8/8/3P4/p7/8/8/8 b"), Some((Outcome::Win, 5)));
    assert_eq!(race_result("3p4/8/8/3P4/8/p7/8/8 w"), Some((Outcome::Loss, 4)), "the other is faster");
    // A step ahead even with the other to move, unless it can be captured now.
    assert_eq!(race_result("8/8/3P4/8/p7/8/8/8 b"), Some((Outcome::Loss, 4)));
    assert_eq!(race_result("8/4p3/3P4/8/p7/8/8/8 b"), None);
    // Two defenders stop a runner if they stand well, and five do not if they stand badly.
    assert_eq!(race_result("2pp4/8/3P4/8/8/8/8/P7 b"), None);
    assert_eq!(race_result("pp3p1p/8/3P4/8/8/8/8/P7 w"), Some((Outcome::Win, 3)));
}

/// Predicted results are right, and within the predicted plies: against exhaustive search.
#[test]
fn predicted_results_come_true() {
    let mut random = Random::for_purpose(1, "races");
    let mut found = [0; 2];
    let sizes = [(4, 4), (5, 5), (6, 5), (5, 6), (6, 6), (4, 7), (8, 5), (8, 8)];
    for round in 0..40_000 {
        let (columns, rows) = sizes[round % sizes.len()];
        let most = 1 + random.below(if rows == 8 { 4 } else { 8 });
        let Some(position) = scattered(columns, rows, most, &mut random) else { continue };
        if let Some((outcome, plies)) = position.race_result() {
            found[usize::from(outcome == Outcome::Loss)] += 1;
            check(&position, outcome, plies);
        }
    }
    assert!(found[0] > 10_000 && found[1] > 2_000, "{found:?}");
}

/// All places of a runner and two defenders on small boards, with either side to move.
#[test]
fn two_defenders_are_judged_right() {
    let mut found = 0;
    for (columns, rows) in [(4, 4), (4, 6), (5, 5), (6, 5), (6, 6)] {
        let board = AnySize::new(columns, rows).unwrap();
        let squares = || (0..64).filter(|square| board.squares() >> square & 1 == 1);
        let pairs =
            squares().flat_map(|one| squares().filter(move |&two| two > one).map(move |two| 1 << one | 1 << two));
        for (us, them) in squares().flat_map(|runner| pairs.clone().map(move |pair: u64| (1 << runner, pair))) {
            if us & (them | board.goal()) != 0 || them & board.row(0) != 0 {
                continue;
            }
            let flipped = Position::new(board, board.flip(them), board.flip(us), Side::Black);
            for position in [Position::new(board, us, them, Side::White), flipped] {
                if let Some((outcome, plies)) = position.race_result() {
                    check(&position, outcome, plies);
                    found += 1;
                }
            }
        }
    }
    assert!(found > 20_000, "{found}");
}

/// Near the goal a runner is predicted to get home if and only if it does. The exhaustive search of the rules cannot say
/// so: there the opponent has to move a defender if it has no other man.
#[test]
fn runners_near_their_goal_are_judged_exactly() {
    let mut random = Random::for_purpose(1, "runners");
    let mut found = [0; 2];
    for columns in 4..=8 {
        for round in 0..4_000 {
            let runner = (3 + random.below(2) as i32, random.below(columns) as i32);
            let squares = (4..7).flat_map(|row| (0..columns as i32).map(move |column| (row, column)));
            let defenders: Vec<Square> = squares.filter(|_| random.below(2 + round % 5) == 0).collect();
            let bits = |men: &[Square]| men.iter().fold(0, |bits, &(row, column)| bits | 1 << (8 * row + column));
            let [us, them] = [bits(&[runner]), bits(&defenders)];
            let attacked = them >> 7 & NOT_A | them >> 9 & NOT_H;
            if us & (them | attacked) == 0 {
                let board = AnySize::new(columns, 7).unwrap();
                let is_home = gets_home(columns as i32, runner, &defenders);
                let predicted = fastest_runner(board, us, [us, them], 7);
                assert_eq!(predicted, is_home.then_some(6 - runner.0 as u32), "{runner:?} {defenders:?}");
                found[usize::from(is_home)] += 1;
            }
        }
    }
    assert!(found[0] > 2_000 && found[1] > 2_000, "{found:?}");
}

/// A row and a column.
type Square = (i32, i32);

/// Whether a runner gets home in the last of seven rows, slowly: the opponent moves a defender or none.
fn gets_home(columns: i32, runner: Square, defenders: &[Square]) -> bool {
    let is_attacked =
        |(row, column): Square| [-1, 1].iter().any(|aside| defenders.contains(&(row + 1, column + aside)));
    if runner.0 == 6 || is_attacked(runner) {
        return runner.0 == 6;
    }
    let is_on_board = |(_, column): Square| (0..columns).contains(&column);
    let answers = |defenders: &[Square]| {
        (-1..=1).map(|aside| (aside, (runner.0 + 1, runner.1 + aside))).any(|(aside, to)| {
            let left: Vec<Square> = defenders.iter().copied().filter(|&man| man != to).collect();
            is_on_board(to) && (aside != 0 || left.len() == defenders.len()) && gets_home(columns, to, &left)
        })
    };
    answers(defenders)
        && (0..defenders.len()).all(|man| {
            let (row, column) = defenders[man];
            (-1..=1).map(|aside| (row - 1, column + aside)).all(|to| {
                let mut moved = defenders.to_vec();
                moved[man] = to;
                !is_on_board(to) || to == runner || defenders.contains(&to) || answers(&moved)
            })
        })
}

/// Proves a predicted result.
fn check(position: &Position<AnySize>, outcome: Outcome, plies: u32) {
    let mut prover = Prover::default();
    if outcome == Outcome::Win {
        assert!(prover.shortest_win(position, plies).is_some(), "{position} is not won in {plies}");
        return;
    }
    for m in position.legal_moves() {
        let next = position.play(m);
        let wins = next.terminal_result().is_none() && prover.shortest_win(&next, plies - 1).is_some();
        assert!(wins, "{position} is not lost in {plies} after {}", position.print_move(m));
    }
}

/// A few men anywhere, up to `most` of each side, if none is on its last row yet.
fn scattered(columns: usize, rows: usize, most: usize, random: &mut Random) -> Option<Position<AnySize>> {
    let mut squares = vec!['.'; columns * rows];
    for man in ['P', 'p'] {
        for _ in 0..1 + random.below(most) {
            squares[random.below(columns * rows)] = man;
        }
    }
    let text: Vec<String> = squares.chunks(columns).map(|row| row.iter().collect()).collect();
    let side = if random.below(2) == 0 { "w" } else { "b" };
    let position = Position::parse(&format!("{} {side}", text.join("/").replace('.', "1"))).ok()?;
    (position.terminal_result().is_none() && !position.legal_moves().is_empty()).then_some(position)
}
