use cozy_chess::{Board, BoardBuilder};

use super::super::position::Position;
use super::sum::{Counts, Silent};
use super::terms::COUNT;
use super::weights::WEIGHTS;
use super::{LIMIT, MATERIAL, Placement, TUNED, evaluate, judge};
use crate::eval_terms::EvalTermCache;
use crate::game::Game;
use crate::random::Random;

/// Positions of random games, which castle, promote and capture en passant sooner or later.
fn walk(games: u64, mut visit: impl FnMut(&Position)) {
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/PPP4k/8/2p5/3P4/8/4Kppp/8 w - - 0 1",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    ];
    let mut random = Random::for_purpose(games, "evaluation tests");
    for game in 0..games {
        let mut position = Position::parse(starts[game as usize % starts.len()]).unwrap();
        for _ in 0..120 {
            visit(&position);
            let list = position.legal_moves();
            if list.is_empty() {
                break;
            }
            position = position.play(list[random.below(list.len())]);
        }
    }
}

/// The same position with colours changed and the board upside down.
fn mirrored(board: &Board) -> Board {
    let old = BoardBuilder::from_board(board);
    let mut new = BoardBuilder::empty();
    for square in board.occupied() {
        let (piece, color) = old.board[square as usize].unwrap();
        new.board[square.flip_rank() as usize] = Some((piece, !color));
    }
    new.side_to_move = !old.side_to_move;
    new.castle_rights = [old.castle_rights[1], old.castle_rights[0]];
    new.en_passant = old.en_passant.map(|square| square.flip_rank());
    new.build().unwrap()
}

fn value(fen: &str) -> i32 {
    let position = Position::parse(fen).unwrap();
    position.evaluate(TUNED).units()
}

#[test]
fn what_is_kept_from_move_to_move_is_what_is_counted_anew() {
    let (mut castlings, mut promotions, mut en_passants, mut positions) = (0, 0, 0, 0);
    walk(400, |position| {
        assert_eq!(position.placement, Placement::of(&position.board), "{position}");
        for m in position.legal_moves() {
            let next = position.play(m);
            assert_eq!(next.placement, Placement::of(&next.board), "{m} in {position}");
            castlings += u32::from(m.is_castling());
            promotions += u32::from(m.promotion.is_some());
            let is_en_passant = m.captured.is_some() && !position.board.occupied().has(m.to);
            en_passants += u32::from(is_en_passant);
            positions += 1;
        }
    });
    assert!(castlings > 50 && promotions > 500 && en_passants > 50, "{castlings} {promotions} {en_passants}");
    assert!(positions > 100_000, "{positions}");
}

#[test]
fn both_colours_are_valued_alike() {
    walk(200, |position| {
        let other = Position::from(mirrored(&position.board));
        for heuristic in [MATERIAL, TUNED] {
            assert_eq!(position.evaluate(heuristic), other.evaluate(heuristic), "{position} and {other}");
        }
    });
}

#[test]
fn the_counts_times_the_weights_are_the_evaluation() {
    let mut clamped_or_driven = 0;
    let mut notes = EvalTermCache::default();
    notes.prepare();
    walk(200, |position| {
        let mut counts = Counts([0; COUNT]);
        let traced = judge(&position.board, &position.placement, &mut counts, &mut EvalTermCache::default());
        assert_eq!(traced, judge(&position.board, &position.placement, &mut Silent, &mut notes));
        let sum = |weight: fn(&(i16, i16)) -> i16| -> i32 {
            counts.0.iter().zip(&WEIGHTS).map(|(&count, pair)| i32::from(count) * i32::from(weight(pair))).sum()
        };
        let (middle, end) = (sum(|pair| pair.0), sum(|pair| pair.1));
        assert_eq!((traced.total.middle(), traced.total.end()), (middle, end), "{position}");
        let [for_middle, for_end] = traced.shares();
        let linear = f64::from(middle) * for_middle + f64::from(end) * for_end;
        // The player drops what is less than a hundredth of a pawn.
        assert!((linear - f64::from(traced.linear())).abs() < 1.0 + 1e-9, "{position}: {linear}");
        let white = traced.linear() + traced.drive;
        clamped_or_driven += u32::from(traced.drive != 0);
        let units = if position.white_to_move() { white } else { -white };
        assert_eq!(position.evaluate(TUNED).units(), units.clamp(-LIMIT, LIMIT), "{position}");
    });
    assert!(clamped_or_driven < 2_000);
}

#[test]
fn no_board_reaches_the_range_of_forced_results() {
    for fen in [
        "qqqqqqqk/qqqqqqqq/8/8/8/8/8/7K w - - 0 1",
        "k7/8/8/8/8/8/QQQQQQQQ/QQQQQQQK b - - 0 1",
        "k7/8/8/8/8/8/RRRRRRRR/NNNNNNNK b - - 0 1",
    ] {
        let board = Board::from_fen(fen, false).unwrap();
        for heuristic in [MATERIAL, TUNED] {
            let units = evaluate(&board, &Placement::of(&board), heuristic, &mut EvalTermCache::default()).units();
            assert!(units.abs() <= LIMIT, "{fen}: {units}");
            assert!(units < -5_000, "{fen}: {units}");
        }
    }
}

#[test]
fn material_counts_in_pawns() {
    let position = Position::parse("4k3/8/8/8/8/8/PPP5/RNBQK3 b - - 0 1").unwrap();
    assert_eq!(position.evaluate(MATERIAL).units(), -2_300);
    assert_eq!(Position::from(Board::default()).evaluate(MATERIAL).units(), 0);
}

#[test]
fn what_cannot_win_is_worth_little() {
    for (fen, most) in [
        ("4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", 5),
        ("4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1", 5),
        ("4k3/8/4n3/8/8/8/8/R3K3 w - - 0 1", 80),
        ("k7/8/P7/8/8/6B1/8/4K3 w - - 0 1", 5),
    ] {
        assert!(value(fen).abs() <= most, "{fen}: {}", value(fen));
    }
    // Nearly the same, but they win.
    for fen in ["4k3/8/8/8/8/8/8/2BBK3 w - - 0 1", "4k3/8/4n3/8/8/8/8/Q3K3 w - - 0 1", "k7/8/P7/8/8/7B/8/4K3 w - - 0 1"]
    {
        assert!(value(fen) > 300, "{fen}: {}", value(fen));
    }
    let opposite = value("4k3/4b3/8/8/3P4/2P5/4B3/4K3 w - - 0 1");
    assert!(3 * opposite < 2 * value("4k3/3b4/8/8/3P4/2P5/4B3/4K3 w - - 0 1"), "{opposite}");
}

#[test]
fn a_bare_king_is_driven_where_it_is_mated() {
    let corner = value("k7/8/2K5/8/8/8/8/7R w - - 0 1");
    assert!(corner > value("8/8/2K5/8/4k3/8/8/7R w - - 0 1"));
    assert!(corner > 600);
    // Bishop and knight mate in the corners of the bishop's colour only.
    let right = value("7k/5K2/8/8/5N2/4B3/8/8 w - - 0 1");
    let wrong = value("k7/2K5/8/8/2N5/4B3/8/8 w - - 0 1");
    assert!(right > wrong + 100, "{right} {wrong}");
}

#[test]
fn a_pawn_that_no_king_catches_is_nearly_a_queen() {
    let runs = value("8/8/1P6/8/8/8/7k/K7 w - - 0 1");
    assert!(runs > value("8/1k6/1P6/8/8/8/8/K7 w - - 0 1") + 150, "{runs}");
}

#[test]
fn the_phase_is_full_at_the_beginning_and_nothing_with_pawns_only() {
    let phase = |fen: &str| Placement::of(&Board::from_fen(fen, false).unwrap()).phase();
    assert_eq!(phase("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 24);
    assert_eq!(phase("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"), 0);
}
