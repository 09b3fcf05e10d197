//! Scripted conversations about chess: what only `go` for chess programs asks.

use std::time::{Duration, Instant};

use plysmith_core::games::{AnyPosition, find};
use plysmith_core::random::Random;

use super::test_client::{Conversation, best_move, last_number, value, without_times};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// White mates in one by Ra8, and in two by other moves.
const MATE_IN_1: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
/// Two rooks' ladder: White mates in two.
/// Mate in two by checks alone, which the evolved solver tries first.
const MATE_BY_CHECKS: &str = "r5k1/5ppp/8/8/8/8/3R4/3R2K1 w - - 0 1";
const MATE_IN_2: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
/// A queen up, and far from it: the mate is deeper than a few plies.
const WON: &str = "8/8/8/3k4/8/8/8/QK6 w - - 0 1";

fn open(fen: &str) -> Box<dyn AnyPosition> {
    (find("chess").unwrap().open)(fen).unwrap()
}

/// The best move, checked to be legal like the reply after it.
fn legal_best(fen: &str, lines: &[String]) -> String {
    let next = open(fen).play(best_move(lines)).unwrap_or_else(|error| panic!("{fen}: {error}"));
    if let Some(reply) = value(lines.last().unwrap(), "ponder") {
        assert!(next.canonical_move(reply).is_ok(), "{fen}: {lines:?}");
    }
    best_move(lines).to_string()
}

#[test]
fn a_mate_is_found_and_ends_a_search_for_it() {
    let engine = Conversation::about("chess");
    for (fen, moves) in [(MATE_IN_1, 1), (MATE_IN_2, 2)] {
        let lines = engine.search(&["ucinewgame", &format!("position fen {fen}"), &format!("go mate {moves}")]);
        assert_eq!(last_number(&lines, "mate"), moves, "{lines:?}");
        legal_best(fen, &lines);
    }
    // A longer mate is not enough.
    engine.send(&format!("position fen {WON}"));
    engine.send("go mate 1");
    engine.read_to("info depth 6");
    let lines = engine.search(&["stop"]);
    legal_best(WON, &lines);
    engine.end();
}

#[test]
fn a_mate_search_plays_a_mate_at_once_and_its_nodes_count() {
    let engine = Conversation::about("chess");
    let search = |solver: &str, fen: &str| {
        engine.send(&format!("setoption name MateSearch value {solver}"));
        let lines = engine.search(&["ucinewgame", &format!("position fen {fen}"), "go nodes 20000"]);
        legal_best(fen, &lines);
        without_times(&lines)
    };
    for solver in ["df-pn", "evolved"] {
        let lines = search(solver, MATE_BY_CHECKS);
        assert_eq!(last_number(&lines, "mate"), 2, "{lines:?}");
        assert!(last_number(&lines, "nodes") <= 2_000, "a tenth of the nodes: {lines:?}");
        let lines = search(solver, START);
        assert_eq!(last_number(&lines, "nodes"), 20_000, "both together: {lines:?}");
        assert_eq!(search(solver, START), lines, "it can be repeated");
    }
    assert_ne!(search("off", START), search("dfpn", START), "the search has fewer nodes");
    engine.send("setoption name MateShare value 91");
    engine.read_to("info string error: '91' is not a value for MateShare");
    engine.send("setoption name MateSearch value fast");
    engine.read_to("info string error: 'fast' is not a mate search");
    engine.end();
}

#[test]
fn tunables_are_options_and_change_the_search() {
    let engine = Conversation::about("chess");
    engine.send("position fen r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3");
    let search = |preset: &str, option: Option<(&str, i32)>| {
        engine.send(&format!("setoption name Preset value {preset}"));
        if let Some((name, value)) = option {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine.send("setoption name Clear Hash");
        without_times(&engine.search(&["go nodes 20000"]))
    };
    let plain = search("modern", None);
    for (name, value) in [("LmrBase", 900), ("NullMoveBase", 1500), ("FutilityMargin", 30), ("AspirationWindow", 80)] {
        let changed = search("modern", Some((name, value)));
        assert_ne!(changed, plain, "{name}");
        assert_eq!(changed, search(&format!("modern,{name}={value}"), None), "{name}");
        engine.send("uci");
        let lines = engine.read_to("uciok");
        let beginning = format!("option name {name} type spin default {value} min ");
        assert!(lines.iter().any(|line| line.starts_with(&beginning)), "{name}: {lines:?}");
    }
    assert_eq!(search("modern", None), plain, "a preset sets every tunable");
    engine.end();
}

#[test]
fn only_the_moves_that_are_named_are_searched() {
    let engine = Conversation::about("chess");
    let lines = engine.search(&["position startpos", "go searchmoves a2a3 h2h4 nodes 5000"]);
    for line in lines.iter().filter(|line| line.contains(" pv ")) {
        assert!(["a2a3", "h2h4"].contains(&value(line, "pv").unwrap()), "{line}");
    }
    assert!(["a2a3", "h2h4"].contains(&best_move(&lines)));
    let lines = engine.search(&["go nodes 500 searchmoves e2e5 g1h3 e7e5"]);
    assert!(lines[0].contains("error: searchmoves: 'e2e5' is not a move here"), "{lines:?}");
    assert!(lines[1].contains("'e7e5'"));
    assert_eq!(best_move(&lines), "g1h3");
    let lines = engine.search(&["go nodes 500 searchmoves e2e5"]);
    assert!(lines[1].contains("so all moves are searched"), "{lines:?}");
    legal_best(START, &lines);
    engine.end();
}

#[test]
fn several_lines_begin_with_several_moves_the_best_first() {
    let engine = Conversation::about("chess");
    let lines = engine.search(&["setoption name MultiPV value 3", "position startpos", "go depth 5"]);
    for depth in 1..=5 {
        let depth = depth.to_string();
        let of_depth = || lines.iter().filter(|line| value(line, "depth") == Some(&depth));
        let ranks: Vec<_> = of_depth().map(|line| value(line, "multipv").unwrap()).collect();
        assert_eq!(ranks, ["1", "2", "3"], "{lines:?}");
        assert!(of_depth().map(|line| value(line, "cp").unwrap().parse::<i32>().unwrap()).is_sorted_by(|a, b| a >= b));
        let mut moves: Vec<_> = of_depth().map(|line| value(line, "pv").unwrap()).collect();
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), 3);
        if depth == "5" {
            assert_eq!(of_depth().find_map(|line| value(line, "pv")), Some(best_move(&lines)));
        }
    }
    legal_best(START, &lines);
    // More lines than moves: all of them.
    let fen = "7k/8/8/8/8/8/1r6/K7 w - - 0 1";
    let lines = engine.search(&[&format!("position fen {fen}"), "go depth 2"]);
    assert_eq!((best_move(&lines), last_number(&lines, "multipv")), ("a1b2", 1));
    engine.end();
}

#[test]
fn pondering_ends_only_when_it_is_told() {
    let gos = ["go ponder wtime 1000 btime 1000", "go ponder depth 2", "go ponder nodes 10", "go ponder movetime 1"];
    for go in gos {
        let engine = Conversation::about("chess");
        engine.send("position startpos moves e2e4");
        for end in ["ponderhit", "stop"] {
            engine.send(go);
            // Time to end too early; that no time is enough for it is true on every machine.
            std::thread::sleep(Duration::from_millis(50));
            let lines = engine.drain();
            assert!(
                !lines.iter().any(|line| line.starts_with("bestmove") || line.contains("error")),
                "{go}: {lines:?}"
            );
            let lines = engine.search(&[end]);
            legal_best("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", &lines);
        }
        engine.send("ponderhit");
        assert!(engine.drain()[0].contains("no search is pondering"));
        engine.end();
    }
}

/// The clock starts with the hit, and a hit does not end a search that has no limit.
#[test]
fn a_hit_starts_the_clock() {
    let engine = Conversation::about("chess");
    engine.send("go ponder movetime 200");
    std::thread::sleep(Duration::from_millis(150));
    let begun = Instant::now();
    engine.search(&["ponderhit"]);
    assert!(begun.elapsed() >= Duration::from_millis(190), "{:?}", begun.elapsed());
    engine.send("go ponder");
    engine.send("ponderhit");
    // Time to end too early, as above.
    std::thread::sleep(Duration::from_millis(30));
    assert!(!engine.drain().iter().any(|line| line.starts_with("bestmove")));
    engine.search(&["stop"]);
    engine.end();
}

#[test]
fn one_thread_gives_the_same_answer_after_a_new_game() {
    let engine = Conversation::about("chess");
    let ask = |nodes: u64| {
        let go = format!("go nodes {nodes}");
        let lines = engine.search(&["ucinewgame", "position startpos moves e2e4 e7e5 g1f3", &go]);
        assert_eq!(last_number(&lines, "nodes"), nodes as i64, "never more nodes than asked for, and no fewer");
        without_times(&lines)
    };
    for nodes in [1_000, 30_001] {
        let first = ask(nodes);
        engine.search(&["position startpos moves d2d4", "go depth 4"]);
        assert_eq!(ask(nodes), first);
    }
    engine.end();
}

#[test]
fn threads_share_the_work_and_all_their_nodes_count() {
    let engine = Conversation::about("chess");
    engine.send("setoption name Threads value 3");
    for _ in 0..10 {
        let lines = engine.search(&["ucinewgame", "position startpos", "go nodes 60000"]);
        let nodes = last_number(&lines, "nodes");
        // Each thread may be a stretch of 2,048 nodes beyond what the others know of.
        assert!((50_000..80_000).contains(&nodes), "{lines:?}");
        legal_best(START, &lines);
    }
    for go in ["go depth 4", "go movetime 20", "go wtime 0", "go nodes 0"] {
        legal_best(START, &engine.search(&["position startpos", go]));
    }
    // A game goes on with the same table, and with another number of threads.
    engine.send("go infinite");
    engine.read_to("info depth 3");
    engine.send("setoption name Threads value 1");
    engine.search(&["stop"]);
    engine.search(&["go nodes 3000"]);
    engine.end();
}

/// The third time is a draw, and whoever is ahead avoids it.
#[test]
fn the_search_knows_what_stood_on_the_board_before() {
    let engine = Conversation::about("chess");
    let often = format!("position fen {WON} moves{}", " a1h8 d5d6 h8a1 d6d5".repeat(2));
    let lines = engine.search(&[&often, "go depth 4"]);
    assert!(last_number(&lines, "cp") > 300 && best_move(&lines) != "a1h8", "{lines:?}");
    let lines = engine.search(&["ucinewgame", &often, "go depth 4 searchmoves a1h8"]);
    assert_eq!(last_number(&lines, "cp"), 0, "{lines:?}");
    let lines = engine.search(&["ucinewgame", &format!("position fen {WON}"), "go depth 4 searchmoves a1h8"]);
    assert!(last_number(&lines, "cp") > 300, "{lines:?}");
    engine.end();
}

#[test]
fn a_draw_that_must_be_claimed_is_played_on() {
    let engine = Conversation::about("chess");
    let fen = "8/8/8/3k4/8/8/8/QK6 w - - 100 80";
    let lines = engine.search(&[&format!("position fen {fen}"), "go depth 3"]);
    legal_best(fen, &lines);
    for (fen, score) in [("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"), ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "mate 0")] {
        let lines = engine.search(&[&format!("position fen {fen}"), "go depth 3"]);
        assert_eq!(lines, [format!("info depth 0 score {score}"), "bestmove (none)".to_string()]);
    }
    engine.end();
}

#[test]
fn a_forced_move_is_not_searched_deeply() {
    let engine = Conversation::about("chess");
    let fen = "7k/8/8/8/8/8/1q6/K7 w - - 0 1";
    let lines = engine.search(&[&format!("position fen {fen}"), "go wtime 600000 btime 600000"]);
    // Far fewer plies than ten minutes on the clock allow.
    assert_eq!((best_move(&lines), last_number(&lines, "depth")), ("a1b2", 4), "{lines:?}");
    engine.end();
}

/// Whatever the limits are, the answer is a legal move.
#[test]
fn random_games_with_random_limits_have_only_legal_moves() {
    const LIMITS: [&str; 12] = [
        "nodes 0",
        "nodes 1",
        "nodes 400",
        "depth 0",
        "depth 1",
        "depth 3",
        "movetime 1",
        "wtime 1 btime 1",
        "wtime 0 btime -9",
        "mate 1 nodes 300",
        "wtime 100 btime 100 winc 1 binc 1",
        "movestogo 1 wtime 75 btime 75",
    ];
    let engine = Conversation::about("chess");
    let mut random = Random::new(7);
    for _ in 0..6 {
        let (mut position, mut moves) = (open(START), String::new());
        engine.send("ucinewgame");
        engine.send(&format!("setoption name MultiPV value {}", 1 + random.below(3)));
        engine.send(&format!("setoption name Threads value {}", 1 + random.below(2)));
        while !position.moves().is_empty() && moves.len() < 5 * 120 {
            let go = format!("go {}", LIMITS[random.below(LIMITS.len())]);
            let lines = engine.search(&[&format!("position startpos moves{moves}"), &go]);
            let best = legal_best(&position.text(), &lines);
            // Half of the moves are anything, so that the game goes where engines do not.
            let list = position.moves();
            let m = if random.below(2) == 0 { &best } else { &list[random.below(list.len())] };
            position = position.play(m).unwrap();
            moves += &format!(" {m}");
        }
    }
    engine.end();
}

#[test]
fn a_long_game_is_set_up() {
    let engine = Conversation::about("chess");
    let moves = " g1f3 g8f6 f3g1 f6g8".repeat(2_000);
    for end in 1..=40 {
        engine.send(&format!("position startpos moves{}", &moves[..end * 1000]));
    }
    let lines = engine.search(&["go nodes 100"]);
    legal_best(START, &lines);
    engine.end();
}
