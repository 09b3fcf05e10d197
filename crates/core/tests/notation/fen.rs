//! FEN: errors with their place, and what is sloppy but clear.

use plysmith_core::games::chess::chess960::{self, canonical as canonical_960, is_chess960};

use crate::{
    Game, Index, Position, START, TestCaseError, any, chess, damaged, position, prop_assert_eq, proptest, random_game,
};

/// A text that is no position, the character where it is wrong, and a part of what is said about it.
const WRONG: &[(&str, usize, &str)] = &[
    ("", 0, "there is no position; expected a FEN like"),
    ("  ", 0, "there is no position"),
    ("4k3/8/8/8/8/8/8/4K3", 19, "the side to move is missing"),
    ("4k3/8/8/8/8/8/8/4K3 w", 21, "the castling field is missing"),
    ("4k3/8/8/8/8/8/8/4K3 w - ", 23, "the en-passant field is missing"),
    ("4k3/8/8/8/8/8/4K3 w - -", 0, "there are 7 ranks; expected 8"),
    ("4k3/8/8/8/8/8/8/8/4K3 w - -", 0, "there are 9 ranks; expected 8"),
    ("4k3/8/8/8/8/8/8/4K4 w - -", 16, "rank 1 ('4K4') has 9 squares; expected 8"),
    ("4k3/8/8/7/8/8/8/4K3 w - -", 8, "rank 5 ('7') has 7 squares; expected 8"),
    ("4k3//8/8/8/8/8/4K3 w - -", 4, "rank 7 ('') has 0 squares"),
    ("4k3/8/8/3x4/8/8/8/4K3 w - -", 9, "'x' cannot stand on a chess board; expected a piece"),
    ("4k3/8/8/9/8/8/8/4K3 w - -", 8, "'9' cannot stand"),
    ("4k3/8/é7/8/8/8/8/4K3 w - -", 6, "'é' cannot stand"),
    ("8/8/8/8/8/8/8/4K3 w - -", 0, "Black has no king; expected one"),
    ("4k3/8/8/8/8/8/8/3KK3 w - -", 18, "White has 2 kings; expected one"),
    ("4k3/8/8/8/8/8/8/4K2P w - -", 19, "White has a pawn on the first or last rank"),
    ("p3k3/8/8/8/8/8/8/4K3 w - -", 0, "Black has a pawn on the first or last rank"),
    ("4k3/pppppppp/p7/8/8/8/8/4K3 w - -", 0, "Black has 9 pawns; there are at most 8"),
    ("4k3/8/8/8/8/N7/NNNNNNNN/NNNNKNNN w - -", 0, "White has 17 pieces and pawns; there are at most 16"),
    ("4k3/8/8/8/8/8/8/4K3 x - -", 20, "'x' does not say who moves; expected 'w' or 'b'"),
    ("4k3/8/8/8/8/8/4R3/4K3 w - -", 1, "White is to move, but could take the king on e8 from e2; is it Black's"),
    ("8/8/8/8/8/8/4k3/4K3 w - -", 13, "the kings stand side by side"),
    ("4k3/8/3N1N2/8/8/8/8/K3R3 b - -", 1, "3 pieces give check at once"),
    ("4k3/8/8/8/8/8/8/4K3 w K -", 22, "'K' lets White castle, but no rook of White stands on h1; leave"),
    ("4k3/8/8/8/8/8/4K3/7R w K -", 23, "'K' lets White castle, but no king of White stands on e1"),
    ("4k3/8/8/8/8/8/8/R6K w K -", 22, "'K' lets White castle, but no rook of White stands on h1"),
    ("4k3/8/8/8/8/8/8/4K2R w Kq -", 24, "'q' lets Black castle, but no rook of Black stands on a8"),
    ("4k3/8/8/8/8/8/8/4K2R w G -", 23, "'G' lets White castle, but no rook of White stands on g1"),
    ("4k3/8/8/8/8/8/8/4K2R w HK -", 24, "the castling right 'K' stands here twice"),
    ("4k3/8/8/8/8/8/8/4K2R w KK -", 24, "the castling right 'K' stands here twice"),
    ("4k3/8/8/8/8/8/8/4K2R w Kx -", 24, "'x' is no castling right; expected letters of 'KQkq', files of rooks"),
    ("4k3/8/8/8/8/8/8/4K3 w - e9", 24, "'e9' is no en-passant square; expected one like 'e3'"),
    ("4k3/8/8/8/8/8/8/4K3 w - e3", 24, "'e3' is no en-passant square where White is to move; expected rank 6"),
    ("4k3/8/8/8/8/8/8/4K3 w - - x 1", 26, "'x' is no half-move clock; expected a number"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 -1", 28, "'-1' is no move number; expected a number"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 bm", 30, "'bm' is not part of a position"),
];

#[test]
fn errors_say_what_is_wrong_and_where() {
    for &(text, offset, part) in WRONG {
        let error = Position::parse(text).expect_err(text);
        assert!(error.reason.contains(part), "'{text}': {error}");
        assert_eq!(error.offset, offset, "'{text}': {error}");
    }
}

#[test]
fn sloppy_but_clear_texts_are_understood() {
    let bare = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for text in [
        "4k3/8/8/8/8/8/4P3/4K3 w - -",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 0",
        "4k3/8/8/8/8/8/4P3/4K3 w - - - -",
        "\t4k3/8/8/8/8/8/4P3/4K3   w - -  0 1 ",
        "4k3/44/8/8/11114/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - e6 0 1",
    ] {
        assert_eq!(position(text).to_string(), bare, "{text}");
    }
    let late = position("4k3/8/8/8/8/8/4P3/4K3 w - - 150 70000").to_string();
    assert_eq!(late, "4k3/8/8/8/8/8/4P3/4K3 w - - 100 65535");
    assert_eq!(position("r3k2r/8/8/8/8/8/8/R3K2R b qkQK -").to_string(), "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
}

#[test]
fn an_en_passant_square_stays_only_where_a_capture_is_legal() {
    for (text, stays) in [
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", true),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", false),
        ("4k3/8/8/8/3p4/8/8/4K3 b - e3 0 1", false),
        // The pawn is pinned along the rank once both pawns leave it, or by itself.
        ("8/8/8/8/k2pP2Q/8/8/4K3 b - e3 0 1", false),
        ("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", false),
    ] {
        let expected = if stays { text.to_string() } else { text.replace("e3", "-") };
        assert_eq!(position(text).to_string(), expected, "{text}");
    }
    let start = position(START);
    let after = Game::play(&start, start.parse_move("e4").unwrap());
    assert_eq!(after.to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
}

/// What reads has a canonical text that reads back as the same, and moves that can be played.
fn assert_sound(text: &str) -> Result<(), TestCaseError> {
    let Ok(position) = (chess().open)(text) else { return Ok(()) };
    let canonical = position.text();
    prop_assert_eq!(canonical.split(' ').count(), 6);
    prop_assert_eq!((chess().open)(&canonical).unwrap().text(), canonical);
    for m in position.moves() {
        let san = position.notation(&m).unwrap();
        prop_assert_eq!(position.canonical_move(&san).unwrap(), m.clone(), "{} in {}", san, text);
        let next = position.play(&m).unwrap().text();
        prop_assert_eq!((chess().open)(&next).map(|next| next.text()), Ok(next.clone()), "{} in {}", san, text);
    }
    Ok(())
}

proptest! {
    // Whole games a case: a quarter of the usual number is plenty.
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]

    #[test]
    fn no_text_makes_reading_panic(text in any::<String>(), like in "[1-8kKQRbnpP/]{0,30} [wb] [KQkq-]{1,4} [a-h1-8-]{1,2} [0-9-]{0,6}") {
        assert_sound(&text)?;
        assert_sound(&like)?;
    }

    #[test]
    fn damaged_positions_are_refused_or_sound(
        seed in any::<u64>(), ply in any::<Index>(),
        edits in proptest::collection::vec((any::<Index>(), 0..3u8, "[1-8kqrbnpKQRBNPwa-h/ -]"), 0..4),
    ) {
        let game = random_game(seed, 80);
        assert_sound(&damaged(&game[ply.index(game.len())].to_string(), edits))?;
    }
}

/// The three ways to write castling rights, and which of them are Chess960.
#[test]
fn castling_rights_are_read_in_all_forms_and_written_in_one() {
    let standard = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert!(!standard.is_chess960() && !is_chess960(&standard.to_string()));
    for (text, canonical) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Ha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w Ha - 0 1"),
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"),
        ("rr2k1rr/8/8/8/8/8/8/RR2K1RR w KBgq - 0 1", "rr2k1rr/8/8/8/8/8/8/RR2K1RR w HBga - 0 1"),
        ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", "4k3/8/8/8/8/8/8/3K3R w H - 0 1"),
    ] {
        let position = Position::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(position.to_string(), canonical, "{text}");
        assert!(position.is_chess960() && is_chess960(canonical), "{text}");
        assert_eq!(canonical_960(text).as_deref(), Ok(canonical));
        assert_eq!(Position::parse(canonical).unwrap(), position);
    }
}

#[test]
fn there_are_960_start_positions_and_chess_is_one_of_them() {
    let starts: std::collections::BTreeSet<String> = (0..chess960::STARTS).map(chess960::start).collect();
    assert_eq!(starts.len(), 960);
    for start in &starts {
        assert_eq!(&position(start).to_string(), start);
        let rights: Vec<char> = start.split(' ').nth(2).unwrap().chars().collect();
        assert_eq!(rights.len(), 4, "{start}");
    }
    let chess = chess960::start(518);
    assert_eq!(chess, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
    assert_eq!(canonical_960(START), Ok(chess));
    assert_eq!(chess960::start(0), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1");
    // Where nobody may castle, it is chess.
    let bare = "4k3/8/8/8/8/8/8/4K2R w - - 0 1";
    assert_eq!(canonical_960(bare).as_deref(), Ok(bare));
}
