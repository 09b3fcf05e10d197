//! Moves in every dialect.

use crate::{Game, KIWIPETE, START, any, position, prop_assert_eq, proptest, random_game};

#[test]
fn every_dialect_means_the_same_move() {
    for (fen, m, san, others) in [
        (START, "e2e4", "e4", "e2-e4 e2e4 e4! e4?! e4+ Pe4 Pe2-e4 ee4"),
        (START, "g1f3", "Nf3", "Ng1f3 Ng1-f3 Ngf3 N1f3 g1-f3 Nf3!? Nxf3"),
        (KIWIPETE, "e1g1", "O-O", "0-0 o-o O-O! O-O+ e1g1 e1h1 e1-g1 Ke1g1"),
        (KIWIPETE, "e1c1", "O-O-O", "0-0-0 O-O-O# e1c1 e1a1"),
        (KIWIPETE, "e5g6", "Nxg6", "Ng6 Ne5xg6 Ne5:g6 Nexg6 N5g6"),
        (KIWIPETE, "d5e6", "dxe6", "de6 d5xe6 d5e6 dxe6!!"),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3", "dxe3", "dxe3e.p. dxe3ep de3 d4xe3e.p.+"),
        ("3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "exd8=Q+", "exd8Q ed8Q exd8=Q# e7d8q e7d8Q exd8(Q) exd8/Q ed8q"),
        ("7k/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7e8n", "e8=N", "e8N e8n e7-e8=N e7e8N"),
        ("R7/8/8/8/7k/8/8/R3K3 w - - 0 1", "a1a5", "R1a5", "Ra1a5 Ra1-a5 a1a5"),
        ("4k3/8/8/1N3N2/8/8/8/4K3 w - - 0 1", "b5d4", "Nbd4", "Nb5d4 Nb5-d4"),
        ("4k3/8/8/8/1N3N2/8/1N6/4K3 w - - 0 1", "b4d3", "Nb4d3", "b4-d3"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", "Ra8#", "Ra8 Ra8+ Ra8++ a1a8"),
    ] {
        let position = position(fen);
        let parsed = position.parse_move(m).unwrap();
        assert_eq!(position.notation(parsed), san, "{fen}");
        assert_eq!(position.print_move(parsed), m);
        for text in others.split(' ').chain([san]) {
            assert_eq!(position.parse_move(text), Ok(parsed), "'{text}' in {fen}");
        }
    }
}

#[test]
fn disambiguation_is_minimal() {
    let three = position("4k3/8/8/8/1N3N2/8/1N6/4K3 w - - 0 1");
    let m = three.parse_move("b4d3").unwrap();
    assert_eq!(three.notation(m), "Nb4d3");
    // A pinned rook cannot go there, so nothing has to be said.
    let pinned = position("4k3/4r3/8/8/8/8/4R3/R3K3 w - - 0 1");
    assert_eq!(pinned.notation(pinned.parse_move("a1a2").unwrap()), "Ra2");
}

#[test]
fn what_may_be_several_moves_is_answered_with_them() {
    let knights = position("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1");
    let error = knights.parse_move("Nd2").unwrap_err();
    assert_eq!(error.to_string(), "'Nd2' may be Nbd2 (b1d2) or Nfd2 (f3d2); say which");
    let pawn = position("7k/4P3/8/8/8/8/8/4K3 w - - 0 1");
    let error = pawn.parse_move("e8").unwrap_err().to_string();
    assert!(error.starts_with("'e8' may be e8=Q+ (e7e8q), e8="), "{error}");
    assert!(pawn.parse_move("e7e8").is_err());
}

#[test]
fn what_is_no_move_is_named() {
    let position = position(KIWIPETE);
    for text in [
        "", "-", "--", "e4", "Qx9", "B1c3", "Kg1", "O-O-O-O", "O-", "e1b1", "Nf9", "x", "e5", "dxe6=Q", "é5", "N",
        "Nee5g6", "P@e4", "QQf4", "d5e6q", "0000",
    ] {
        let error = position.parse_move(text).expect_err(text);
        assert!(error.to_string().contains("is not a move here; expected something like '"), "{error}");
        assert_eq!(error.legal.len(), 48);
    }
    assert!(position.parse_move("Kf1").is_ok());
}

/// 'b' is a file and 'B' a bishop.
#[test]
fn bishops_and_pawns_of_the_b_file_are_told_apart() {
    let position = position("4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1");
    assert_eq!(position.parse_move("bxc3").unwrap().to_string(), "b2c3");
    assert_eq!(position.parse_move("Bxc3").unwrap().to_string(), "d2c3");
    assert_eq!(position.parse_move("bc3").unwrap().to_string(), "b2c3");
}

proptest! {
    // Whole games a case: a quarter of the usual number is plenty.
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]

    /// Our reading of SAN against that of the rules library, over whole games.
    #[test]
    fn san_reads_back_and_as_the_library_reads_it(seed in any::<u64>()) {
        for position in random_game(seed, 120) {
            let board = cozy_chess::Board::from_fen(&position.to_string(), false).unwrap();
            for m in position.legal_moves() {
                let san = position.notation(m);
                prop_assert_eq!(position.parse_move(&san), Ok(m), "{} in {}", san, position);
                prop_assert_eq!(cozy_chess::util::parse_san_move(&board, &san).unwrap(), m.for_cozy());
            }
        }
    }

    #[test]
    fn no_text_makes_reading_a_move_panic(text in any::<String>(), like in "[KQRBNPOa-h0-9x=+#é-]{0,8}") {
        let position = position(KIWIPETE);
        for text in [text, like] {
            if let Ok(m) = position.parse_move(&text) {
                prop_assert_eq!(position.parse_move(&position.notation(m)), Ok(m));
            }
        }
    }
}
