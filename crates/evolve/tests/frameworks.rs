//! What programs do in our framework and in the paper's.

use cozy_chess::Board;
use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_evolve::{Framework, MateResult, MateSearch, Program};

/// White mates in one by d1d8, and has no other check.
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
/// White mates in two by d2h6, and has other checks.
const MATE_IN_TWO: &str = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1";

fn search(fen: &str, text: &str, framework: Framework, budget: u64) -> MateResult {
    let program: Program = text.parse().unwrap();
    let position = Position::parse(fen).unwrap();
    let interrupt = &|| false;
    let search =
        MateSearch { program: &program, moves: 3, budget, record_proof: false, use_cache: true, framework, interrupt };
    search.run(position.board())
}

fn bare(fen: &str, text: &str) -> MateResult {
    search(fen, text, Framework::Paper, 100_000)
}

fn full(fen: &str, text: &str) -> MateResult {
    search(fen, text, Framework::Full, 100_000)
}

fn root_moves(fen: &str) -> u64 {
    Position::parse(fen).unwrap().legal_moves().len() as u64
}

#[test]
fn in_the_papers_framework_every_move_at_the_root_is_a_board_and_nothing_is_proved() {
    let guess = bare(MATE_IN_ONE, "0");
    assert_eq!((guess.nodes, guess.mate), (root_moves(MATE_IN_ONE), None));
    let found = bare(MATE_IN_ONE, "(If3 IsMateInOneOrLess 1000 -1000)");
    assert_eq!((found.nodes, found.mate), (root_moves(MATE_IN_ONE), None), "no board more to see that it is mate");
    assert_eq!((found.best.unwrap().to_string(), found.score.to_string()), ("d1d8".to_string(), "1000".to_string()));
    assert_eq!(full(MATE_IN_ONE, "(If3 IsMateInOneOrLess 1000 -1000)").mate, Some(1), "ours proves it");
}

#[test]
fn boards_are_counted_when_moves_are_made() {
    // Each reply to each move, and no more: no cutoff, because 5 is not an end of the scale.
    let replies = |fen: &str| -> u64 {
        let position = Position::parse(fen).unwrap();
        position.legal_moves().into_iter().map(|m| position.play(m).legal_moves().len() as u64).sum()
    };
    let all = bare(MATE_IN_TWO, "(MakeBestMove 5)");
    assert_eq!(all.nodes, root_moves(MATE_IN_TWO) + replies(MATE_IN_TWO));
    assert_eq!(full(MATE_IN_TWO, "(If3 IsCheck 5 6)").nodes, 0, "ours makes no board that nobody looks at");
}

#[test]
fn a_tree_is_truncated_at_the_budget_and_its_score_is_used() {
    let whole = bare(MATE_IN_TWO, "(MakeBestMove EvaluateMaterial)");
    let cut = search(MATE_IN_TWO, "(MakeBestMove EvaluateMaterial)", Framework::Paper, whole.nodes / 2);
    assert!(cut.is_cut && !whole.is_cut);
    assert!(cut.best.is_some() && cut.nodes <= whole.nodes / 2, "{} of {}", cut.nodes, whole.nodes);
    // The first moves were searched as without a budget.
    let position = Position::parse(MATE_IN_TWO).unwrap();
    assert!(position.legal_moves().into_iter().any(|m| Some(m.for_cozy()) == cut.best));
}

/// "Make that move": the first that fits.
#[test]
fn if_functions_make_the_first_move_that_fits_in_the_papers_framework_and_the_best_in_ours() {
    let fen = "k7/8/1K6/8/8/8/7R/8 w - - 0 1";
    let position = Position::parse(fen).unwrap();
    let after = |position: &Position| -> Vec<Position> {
        position.legal_moves().into_iter().map(|m| position.play(m)).collect()
    };
    let two_plies: Vec<Position> = after(&position).iter().flat_map(after).collect();
    let checks = two_plies.iter().map(|board| after(board).iter().filter(|next| next.in_check()).count());
    let (with_check, all_checks) = checks.fold((0, 0), |(with, all), count| (with + u64::from(count > 0), all + count));
    assert!(all_checks as u64 > with_check, "there is something to choose");
    let boards = root_moves(fen) + two_plies.len() as u64;
    let first = bare(fen, "(MakeBestMove (IfExistsCheckingMove 7 -500))");
    assert_eq!(first.nodes, boards + with_check, "one check on each board that has one");
    let best = bare(fen, "(MakeBestMove (MakeAnyOrAllMovesSuchThat IsCheck 7 -500))");
    assert!(best.nodes > first.nodes);
    assert!(full(fen, "(MakeBestMove (IfExistsCheckingMove Again -500))").mate.is_some());
}

#[test]
fn a_program_can_search_more_widely_in_later_attempts() {
    // The key is quiet: a search of checks alone finds nothing.
    let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    let narrow = "(MakeBestMove (MakeAnyOrAllMovesSuchThat IsCheck Again -1000))";
    let guarded = "(If3 IsCheck (MakeBestMove (MakeBestMove Again)) -1000)";
    let widening = "(If3 (Or2 IsCheck (Smaller 0 Attempt)) (MakeBestMove (MakeBestMove Again)) -1000)";
    assert_eq!(full(fen, narrow).mate, Some(2), "the root tries all moves");
    assert_eq!(full(fen, guarded).mate, None);
    assert_eq!(full(fen, widening).mate, Some(2));
    let by_quiet_moves = "(If3 (Smaller Attempt NumQuietMoves) -1000 (MakeBestMove (MakeBestMove Again)))";
    assert_eq!(full(fen, by_quiet_moves).mate, Some(2));
}

/// A mate that follows only if the opponent passes is not claimed.
#[test]
fn passing_proves_nothing() {
    // Whatever White plays but the mate itself, the rook would mate if Black passed.
    let fen = "7k/6pp/8/8/8/8/8/K3R3 w - - 0 1";
    assert_eq!(full(fen, "(IfPass (MakeBestMove Again) -1000)").mate, None);
    assert_eq!(full(fen, "(MakeBestMove Again)").mate, Some(1));
}

#[test]
fn an_order_changes_the_boards_and_no_value() {
    let plain = "(MakeBestMove (MakeBestMove Again))";
    let ordered = "(MakeBestMove (MakeBestMoveInOrder NumNotMovesOppKing Again))";
    let [a, b] = [plain, ordered].map(|text| {
        let program: Program = text.parse().unwrap();
        let board: Board = MATE_IN_TWO.parse().unwrap();
        let (framework, interrupt) = (Framework::Full, &|| false);
        let (moves, budget, use_cache) = (1, 1_000_000, false);
        let search =
            MateSearch { program: &program, moves, budget, record_proof: false, use_cache, framework, interrupt };
        search.run(&board)
    });
    assert_eq!((a.best, a.score, a.mate), (b.best, b.score, b.mate));
}
