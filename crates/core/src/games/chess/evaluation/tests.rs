use cozy_chess::{Board, BoardBuilder, Color, Piece, Rank, Square};

use super::super::INFO;
use super::super::fitting::{embedded_file, file_of_guesses, learned_file, weights_of};
use super::super::position::Position;
use super::sum::{Counts, Listener, Silent};
use super::tables::{LEARNED_TABLES, MOST, TUNED_TABLES, Tables};
use super::terms::{BISHOP_MOBILITY, COUNT, GROUPS, Group, PIECES, Pair, TEMPO};
use super::{LEARNED, LIMIT, MATERIAL, Placement, TUNED, bounds, evaluate, judge};
use crate::eval_terms::EvalTermCache;
use crate::feature::Scheme;
use crate::game::Game;
use crate::games::info::Registered;
use crate::random::Random;
use crate::search::{Limit, Root, Task, Workspace, search};
use crate::settings::Heuristic;
use crate::weights::WeightFile;

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

/// The position with colours changed and the board upside down.
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
    position.evaluate(LEARNED).units()
}

#[test]
fn what_is_kept_from_move_to_move_is_what_is_counted_anew() {
    let (mut castlings, mut promotions, mut en_passants, mut positions) = (0, 0, 0, 0);
    walk(400, |position| {
        for m in position.legal_moves() {
            let next = position.play(m);
            assert_eq!(next.placement, Placement::of(&next.board, &LEARNED_TABLES), "{m} in {position}");
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
        for heuristic in [MATERIAL, TUNED, LEARNED] {
            assert_eq!(position.evaluate(heuristic), other.evaluate(heuristic), "{position} and {other}");
        }
    });
}

#[test]
fn the_counts_times_the_weights_are_the_evaluation() {
    let weights = weights_of(&learned_file()).unwrap();
    let mut clamped_or_driven = 0;
    let mut cache = EvalTermCache::default();
    cache.prepare();
    walk(200, |position| {
        let mut counts = Counts([0; COUNT]);
        let traced = judge(&position.board, &position.placement, &mut counts, &mut EvalTermCache::default());
        assert_eq!(traced, judge(&position.board, &position.placement, &mut Silent, &mut cache));
        let sum = |weight: fn(&(i16, i16)) -> i16| -> i32 {
            counts.0.iter().zip(&weights).map(|(&count, pair)| i32::from(count) * i32::from(weight(pair))).sum()
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
        assert_eq!(position.evaluate(LEARNED).units(), units.clamp(-LIMIT, LIMIT), "{position}");
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
        for heuristic in [MATERIAL, TUNED, LEARNED] {
            let units =
                evaluate(&board, &Placement::of(&board, &LEARNED_TABLES), heuristic, &mut EvalTermCache::default())
                    .units();
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
    let phase = |fen: &str| Placement::of(&Board::from_fen(fen, false).unwrap(), &LEARNED_TABLES).phase();
    assert_eq!(phase("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 24);
    assert_eq!(phase("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"), 0);
}

/// A heuristic with these weights, loaded from a file.
fn loaded(weights: &[Pair]) -> Heuristic {
    let numbers = weights.iter().flat_map(|&(middle, end)| [middle, end]).collect();
    let file = WeightFile { numbers, ..learned_file() };
    Heuristic::Loaded(INFO.load_weights(&file, "a test").unwrap())
}

/// Weights of which every one is different, so that no two are mixed up unnoticed.
fn made_up() -> Vec<Pair> {
    let mut random = Random::new(7);
    let mut draw = || random.below(101) as i16 - 50;
    (0..COUNT).map(|_| (draw(), draw())).collect()
}

#[test]
fn the_files_in_the_tree_are_what_the_program_was_built_with() {
    for (heuristic, embedded) in [(LEARNED, &LEARNED_TABLES), (TUNED, &TUNED_TABLES)] {
        let file = embedded_file(heuristic).unwrap();
        assert_eq!((file.game.as_str(), file.form.as_str()), ("chess", "terms 637"));
        let mut tables = Tables::load(&file).unwrap();
        tables.salt = embedded.salt;
        assert_eq!(tables, *embedded);
        assert!(std::ptr::eq(Tables::of(heuristic), embedded));
    }
    assert_ne!(LEARNED_TABLES.salt, TUNED_TABLES.salt);
}

#[test]
fn loaded_weights_evaluate_as_equal_ones_that_were_built_in_and_others_do_not() {
    let copy = loaded(&weights_of(&learned_file()).unwrap());
    let other = loaded(&made_up());
    let mut cache = EvalTermCache::default();
    cache.prepare();
    let (mut positions, mut different) = (0, 0);
    walk(100, |position| {
        let value = position.evaluate(LEARNED);
        // One cache for all: no weights may find what others have put into it.
        assert_eq!(position.evaluate_with(LEARNED, &mut cache), value, "{position}");
        assert_eq!(position.evaluate_with(copy, &mut cache), value, "{position}");
        assert_eq!(position.evaluate_with(other, &mut cache), position.evaluate(other), "{position}");
        positions += 1;
        different += u32::from(position.evaluate(other) != value);
    });
    assert!(100 * different > 95 * positions, "{different} of {positions}");
}

#[test]
fn a_position_is_the_same_whatever_it_was_prepared_for() {
    let other = loaded(&made_up());
    walk(20, |position| {
        let prepared = position.prepared(other);
        assert_eq!((&prepared, prepared.key()), (position, position.key()));
        for heuristic in [MATERIAL, TUNED, LEARNED, other] {
            assert_eq!(prepared.evaluate(heuristic), position.evaluate(heuristic), "{position}");
        }
        for m in position.legal_moves() {
            let (next, plain) = (prepared.play(m), position.play(m));
            assert_eq!(next.placement, Placement::of(&next.board, Tables::of(other)), "{m} in {position}");
            assert_eq!(next.evaluate(other), plain.evaluate(other), "{m} in {position}");
        }
    });
}

#[test]
fn a_search_with_equal_weights_is_the_same_search() {
    let (copy, other) = (loaded(&weights_of(&learned_file()).unwrap()), loaded(&made_up()));
    for text in Position::BENCH {
        let position = Position::parse(text).unwrap();
        let run = |position: &Position, heuristic| {
            let settings = Position::PRESETS.modern().with_heuristic(heuristic);
            let (scheme, limit) = (&Scheme::neutral(), Limit::nodes(3_000));
            let task = Task { settings, scheme, limit, seed: 1, interrupt: &|| false, root: Root::default() };
            search(position, &task, &mut Workspace::default())
        };
        let report = run(&position, LEARNED);
        assert_eq!(run(&position, copy), report, "{position}");
        // What a position was prepared for before changes nothing.
        assert_eq!(run(&position.prepared(other), LEARNED), report, "{position}");
        assert_ne!(run(&position, other), report, "{position}");
    }
}

/// How often each weight counts, for each side by itself.
struct BySide([[i32; COUNT]; 2]);

impl Listener for BySide {
    const LISTENS: bool = true;

    fn hear(&mut self, side: Color, weight: usize, times: i32) {
        self.0[side as usize][weight] += times;
    }
}

/// A board with as many men as there can be, at random; none if it is not legal.
fn crowded(random: &mut Random) -> Option<Board> {
    let mut builder = BoardBuilder::empty();
    for color in Color::ALL {
        let mut put = |piece| loop {
            let square = Square::index(random.below(64));
            let no_pawn = square.rank() == Rank::First || square.rank() == Rank::Eighth;
            if builder.board[square as usize].is_none() && (piece != Piece::Pawn || !no_pawn) {
                builder.board[square as usize] = Some((piece, color));
                return random.below(16);
            }
        };
        let kinds = put(Piece::King);
        for man in 0..15 {
            // Often all pieces are of the same kind.
            let piece = if man < kinds.min(8) { Piece::Pawn } else { Piece::index(1 + kinds % 4) };
            put(piece);
        }
    }
    builder.build().ok()
}

#[test]
fn no_group_counts_more_often_than_it_says() {
    let mut largest = [0; GROUPS.len()];
    let mut look = |board: &Board| {
        let mut counts = BySide([[0; COUNT]; 2]);
        judge(board, &Placement::of(board, &LEARNED_TABLES), &mut counts, &mut EvalTermCache::default());
        for (place, group) in GROUPS.iter().enumerate() {
            for side in &counts.0 {
                let times: i32 = side[group.first..group.first + group.count].iter().sum();
                assert!(times <= group.most, "{} counts {times} times in {board}", group.name);
                largest[place] = times.max(largest[place]);
            }
        }
    };
    walk(100, |position| look(&position.board));
    let mut random = Random::new(3);
    (0..20_000).filter_map(|_| crowded(&mut random)).for_each(|board| look(&board));
    for (group, largest) in GROUPS.iter().zip(largest) {
        assert!(largest > 0, "{} never counts", group.name);
    }
}

/// The built-in weights with some of a group changed.
fn changed(group: Group, weight: i16) -> [Pair; COUNT] {
    let mut weights = weights_of(&learned_file()).unwrap();
    weights[group.first..group.first + group.count].fill((0, weight));
    weights
}

#[test]
fn weights_that_cannot_be_added_up_are_refused() {
    assert_eq!(bounds::check(&weights_of(&learned_file()).unwrap()), Ok(()));
    assert_eq!(bounds::check(&weights_of(&file_of_guesses()).unwrap()), Ok(()));
    for (group, weight) in [(PIECES, 2_000), (PIECES, -2_000), (BISHOP_MOBILITY, 1_500)] {
        let error = bounds::check(&changed(group, weight)).unwrap_err().to_string();
        assert!(error.contains("in the end of the game") && error.contains(group.name), "{error}");
    }
    // Counted once only, a weight may be large.
    assert_eq!(bounds::check(&changed(TEMPO, 3_000)), Ok(()));
    let numbers = changed(TEMPO, MOST + 1).iter().flat_map(|&(middle, end)| [middle, end]).collect();
    let error = Tables::load(&WeightFile { numbers, ..learned_file() }).unwrap_err().to_string();
    assert!(error.contains("10000") && error.contains("-9999 to 9999"), "{error}");
}

#[test]
fn files_of_other_games_and_forms_are_refused() {
    let file = learned_file();
    let error = |file: WeightFile| Tables::load(&file).unwrap_err().to_string();
    assert!(error(WeightFile { game: "go".to_string(), ..file.clone() }).contains("'go'"));
    assert!(error(WeightFile { form: "terms 600".to_string(), ..file.clone() }).contains("'terms 637'"));
    assert!(error(WeightFile { numbers: vec![0; 8], ..file }).contains("1274"));
}
