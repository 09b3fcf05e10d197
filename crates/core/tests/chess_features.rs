//! Chess features: the fast answer against the definition on many positions, and known answers in hard ones.

use allocation_counter::measure;
use plysmith_core::conform::conform_features;
use plysmith_core::feature::Conjunction;
use plysmith_core::game::Game;
use plysmith_core::games::chess::{PROBES, Position};

/// Where random games begin.
fn starts() -> Vec<&'static str> {
    [&["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"], PROBES].concat()
}

/// Where games of Chess960 begin: with all men, with castling that gives check, and with king and rook side by side.
const STARTS_960: &[&str] = &[
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "1rk3r1/pppp1ppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1",
    "3rkr2/8/8/8/8/8/8/3RKR2 b FDfd - 0 1",
    "8/8/8/8/8/8/4q3/k4KR1 w G - 0 1",
    "8/8/8/8/8/8/8/QRK4k w B - 0 1",
    "5k2/8/8/8/8/8/8/2R1K1R1 w GC - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
];

#[test]
fn select_and_has_agree_on_many_positions_of_chess960() {
    let positions = conform_features::<Position>(&[STARTS_960, &starts()].concat(), 8);
    assert!(positions >= 10_000, "only {positions} positions");
}

#[test]
fn select_and_has_agree_on_many_positions() {
    let positions = conform_features::<Position>(&starts(), 16);
    assert!(positions >= 20_000, "only {positions} positions");
}

/// The search asks in every node, so nothing may be taken from the heap.
#[test]
fn select_allocates_nothing() {
    for fen in starts() {
        let position = Position::parse(fen).unwrap();
        for atom in Position::VOCABULARY.atoms() {
            let mut set = None;
            let info = measure(|| set = Some(position.select(atom)));
            assert_eq!(info.count_total, 0, "{} in {fen}", Position::VOCABULARY.facts(atom).name);
            assert!(set.is_some());
        }
    }
}

/// All features of the last move of a line.
fn features(fen: &str, line: &str) -> String {
    let mut position = Position::parse(fen).unwrap();
    let mut features = Conjunction::NEUTRAL;
    for word in line.split(' ') {
        let m = position.parse_move(word).unwrap();
        features = Conjunction::of(Position::VOCABULARY.atoms().filter(|&atom| position.has(m, atom)));
        position = position.play(m);
    }
    Position::VOCABULARY.print(features)
}

#[test]
fn hard_moves_have_known_features() {
    for (fen, line, expected) in [
        // Checks by castling: the rook moved, so nothing is discovered.
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "PcK-AcK-Rdb-RdBb"),
        ("8/8/8/8/8/8/8/2k1K2R w K - 0 1", "e1g1", "PcK-AcK-Rdb-RdBb"),
        ("r3k1K1/8/8/8/8/8/8/8 b q - 0 1", "e8c8", "PcK-AcK-Rdb-RdBb"),
        // A king that steps out of the line of its rook.
        ("8/8/8/8/8/8/8/R2K2k1 w - - 0 1", "d1d2", "PcK-AcK-Rdb-RdBb-Dc"),
        // En passant; the rank is opened by both pawns together.
        ("8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", "e5d6", "PcP-AcK-Rdt-RdTb-CcP-Dc"),
        ("6k1/8/8/3pP3/8/8/B7/4K3 w - d6 0 1", "e5d6", "PcP-AcK-Rdt-RdTb-CcP-Dc"),
        ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e5d6", "PcP-Rdt-RdTb-CcP-LcP"),
        // Promotions: by discovery alone, to a knight that checks, and before a lesser piece.
        ("3n4/R3P2k/8/8/8/8/8/4K3 w - - 0 1", "e7d8n", "PcP-AcK-Rdt-RdTt-CcN-Pr-Dc"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8n", "PcP-AcK-Rdt-RdTt-Pp-Pr"),
        ("8/4P1k1/2b5/8/8/8/8/4K3 w - - 0 1", "e7e8q", "PcP-AcB-Rdt-RdTt-Pp-Pr-Al"),
        // A double check, and a fork.
        ("4k3/8/8/8/4N3/8/4R3/4K3 w - - 0 1", "e4d6", "PcN-AcK-Rdt-RdTb-Dc"),
        ("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "d5c7", "PcN-AcK-AcR-Rdt-RdTt"),
        // A queen steps back along the line of the rook that attacks it, and still attacks that rook.
        ("3rk3/8/8/3Q4/8/8/8/4K3 w - - 0 1", "d5d2", "PcQ-AcR-Rdb-RdBb-Al"),
        // Recaptures: only of what has captured, also en passant or promoting.
        ("4k3/8/3p4/4n3/8/5N2/8/4K3 w - - 0 1", "f3e5 d6e5", "PcP-Rc-Rdb-RdBt-CcN-LcN"),
        ("4k3/8/8/8/3p4/8/3PP3/4K3 w - - 0 1", "e2e4 d4e3 d2e3", "PcP-Rc-Rdb-RdBt-CcP-LcP"),
        ("4k3/8/8/8/8/8/3p4/R1B3K1 b - - 0 1", "d2c1q a1c1", "PcR-Rc-Rdb-RdBb-CcQ-LcP"),
        ("4k3/8/8/8/2p5/4p3/3P4/4K3 b - - 0 1", "c4c3 d2c3", "PcP-Rdb-RdBt-CcP-LcP"),
        // The only move out of check, and one of two.
        ("4r1k1/8/8/1B6/8/8/6PP/7K b - - 0 1", "e8e1 b5f1", "PcB-Rdb-RdBb-LcR-Fr"),
        ("4r1k1/8/8/1B6/8/7P/6P1/7K b - - 0 1", "e8e1 b5f1", "PcB-Rdb-RdBb-LcR"),
    ] {
        assert_eq!(features(fen, line), expected, "{line} in {fen}");
    }
}

#[test]
fn passed_pawns_are_pushed_where_no_enemy_pawn_is_ahead() {
    let pushes = |fen: &str| {
        let position = Position::parse(fen).unwrap();
        let passed = Position::VOCABULARY.find("Pp").unwrap();
        let list = position.legal_moves();
        list.iter().filter(|&&m| position.has(m, passed)).map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(pushes("4k3/8/1p6/8/P2P4/8/8/4K3 w - - 0 1"), "d4d5");
    assert_eq!(pushes("4k3/8/8/1p6/P7/8/8/4K3 w - - 0 1"), "a4a5", "beside is not ahead; captures are no pushes");
    assert_eq!(pushes("4k3/8/2p5/8/8/p7/4P3/4K3 w - - 0 1"), "e2e3 e2e4");
    assert_eq!(pushes("4k3/2p5/8/8/3P4/8/8/4K3 b - - 0 1"), "", "both c-pawn steps have the d-pawn ahead of them");
}
