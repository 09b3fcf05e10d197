//! Chess and Chess960 against everything that every game must keep, and against published perft numbers.

use plysmith_core::conform::conform;
use plysmith_core::game::{Game, perft};
use plysmith_core::games::chess::Position;

#[test]
fn chess_conforms() {
    conform::<Position>(&[
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8902, 197_281]),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2039, 97_862]),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2812, 43_238]),
        ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", &[24, 496, 9483]),
    ]);
}

/// Few men, so that it takes little time: castling in which the king does not move, or king and rook change places, with an
/// enemy king on the first rank. `tests/chess_features.rs` has games with more men.
#[test]
fn chess960_conforms() {
    conform::<Position>(&[("8/8/8/8/8/8/8/k4KR1 w G - 0 1", &[]), ("8/8/8/8/8/8/8/1RK4k w B - 0 1", &[])]);
}

/// The counts that the Chess Programming Wiki gives for Chess960.
#[test]
fn chess960_has_the_published_counts() {
    for (text, counts) in [
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", [21, 528, 12_189]),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", [21, 807, 18_002]),
        ("b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", [20, 479, 10_471]),
        ("qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9", [22, 593, 13_440]),
        ("1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9", [28, 1120, 31_058]),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w HAha - 0 1", [48, 2039, 97_862]),
    ] {
        let position = Position::parse(text).unwrap();
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&position, depth), count, "depth {depth} of {text}");
        }
    }
}

/// Castling is written as king takes own rook, and read in every form that can mean nothing else.
#[test]
fn castling_in_chess960_takes_the_own_rook() {
    let read = |position: &Position, text: &str| position.parse_move(text).map(|m| m.to_string()).ok();
    let wide = Position::parse("1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1").unwrap();
    for (texts, castling) in [(["O-O", "e1g1", "0-0"], "e1g1"), (["O-O-O", "e1b1", "e1c1"], "e1b1")] {
        for text in texts {
            assert_eq!(read(&wide, text).as_deref(), Some(castling), "{text}");
        }
    }
    let short = wide.play(wide.parse_move("O-O").unwrap());
    assert_eq!(short.to_string(), "1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R3RK1 b gb - 1 1");
    let both = short.play(short.parse_move("O-O-O").unwrap());
    assert_eq!(both.to_string(), "2kr2r1/1p4p1/8/8/8/8/1P4P1/1R3RK1 w - - 2 2", "nobody may castle: it is chess");
    // A step of the king to where castling would bring it is a step.
    let near = Position::parse("4k3/8/8/8/8/8/8/5K1R w H - 0 1").unwrap();
    assert_eq!(read(&near, "f1g1").as_deref(), Some("f1g1"));
    assert_eq!(read(&near, "Kg1").as_deref(), Some("f1g1"));
    assert_eq!(read(&near, "f1h1").as_deref(), Some("f1h1"));
    assert_eq!(near.notation(near.parse_move("f1h1").unwrap()), "O-O");
    let usual = Position::parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    assert_eq!(read(&usual, "e1h1").as_deref(), Some("e1g1"), "chess keeps its own form");
}
