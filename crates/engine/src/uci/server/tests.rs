//! Scripted conversations with the engine, in memory.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use plysmith_core::games::AnyPosition;
use plysmith_core::settings::{Tunable, Tunables};

use super::serve;
use super::test_client::{Conversation, best_move, game, last_number, options, run, value, without_times};

/// White wins in one, in three plies, and loses in two.
const WIN_IN_1: &str = "8/3P4/p7/8/8/8/P7/8 w";
const WIN_IN_3: &str = "8/8/3P4/8/8/p7/8/7P w";
const LOSS_IN_2: &str = "8/8/8/8/8/P7/3p4/8 w";

fn play(position: &str, moves: &[&str]) -> Box<dyn AnyPosition> {
    let start = (game().open)(position).unwrap();
    moves.iter().fold(start, |position, m| position.play(m).unwrap())
}

#[test]
fn the_engine_introduces_itself_with_every_option() {
    let lines = run(b"uci\nisready\n");
    assert!(lines[0].starts_with("id name Plysmith ") && lines[1].starts_with("id author "));
    let (options, rest) = lines[2..].split_at(lines.len() - 4);
    assert_eq!(rest, ["uciok", "readyok"]);
    let (weights, options): (Vec<&String>, Vec<&String>) =
        options.iter().partition(|line| line.contains(" name Weight "));
    let is_tunable = |line: &&String| Tunable::find(line.split(' ').nth(2).unwrap_or_default()).is_some();
    let (tunables, options): (Vec<&String>, Vec<&String>) = options.into_iter().partition(is_tunable);
    assert_eq!(tunables.len(), Tunables::ALL.len());
    assert!(tunables.contains(&&"option name LmrBase type spin default 300 min 0 max 2000".to_string()));
    assert_eq!(
        options,
        [
            "option name Preset type combo default modern var classic var modern",
            "option name Hash type spin default 16 min 0 max 65536",
            "option name Clear Hash type button",
            "option name Threads type spin default 1 min 1 max 256",
            "option name MultiPV type spin default 1 min 1 max 256",
            "option name UCI_Variant type combo default breakthrough var breakthrough",
            "option name Ponder type check default false",
            "option name Move Overhead type spin default 10 min 0 max 5000",
            "option name NullWindow type check default true",
            "option name Killers type check default true",
            "option name History type check default true",
            "option name NullMove type check default true",
            "option name Reductions type check default true",
            "option name Futility type check default true",
            "option name Exchange type check default false",
            "option name Evasions type check default true",
            "option name Repetition type check default false",
            "option name Foresight type check default true",
            "option name Aspiration type check default true",
            "option name Captures type check default true",
            "option name Quiescence type check default true",
            "option name Erps type check default false",
            "option name Checks type check default true",
            "option name QuiescenceChecks type check default false",
            "option name Razoring type check default false",
            "option name LimitedRazoring type check default false",
            "option name AdaptiveNullMove type check default false",
            "option name Verification type check default false",
            "option name MultiCut type check default false",
            "option name Singular type check default false",
            "option name Heuristic type combo default patterns var material var advance var guarded var patterns",
            "option name EvalFile type string default <embedded>",
            "option name Seed type string default 1",
            "option name Scheme type string default Neutral",
        ]
    );
    assert_eq!(weights.len(), game().vocabulary.moves.len());
    assert_eq!(weights[0], "option name Weight Ud type spin default 1000 min 0 max 16000");
}

#[test]
fn every_option_can_be_set_and_shows_in_the_search() {
    let changes = [
        ("MultiPV", "2"),
        ("Weight RdTt", "750"),
        ("weight ud", "0"),
        ("Preset", "classic"),
        ("NullWindow", "false"),
        ("Killers", "false"),
        ("history", "false"),
        ("Hash", "0"),
        ("Heuristic", "material"),
        ("Scheme", "Ud-RdTt@0.5,PP@0.75"),
        ("Seed", "18446744073709551615"),
    ];
    let engine = Conversation::begin();
    engine.send(&format!("position {}", game().bench[1]));
    let plain = without_times(&engine.search(&["go nodes 20000"]));
    for (name, value) in changes {
        engine.send("setoption name Preset value modern");
        engine.send("setoption name Scheme value Neutral");
        engine.send("setoption name Seed value 1");
        engine.send("setoption name MultiPV value 1");
        engine.send("setoption name Clear Hash");
        assert_eq!(without_times(&engine.search(&["go nodes 20000"])), plain);
        engine.send(&format!("setoption name {name} value {value}"));
        engine.send("uci");
        let lines = engine.read_to("uciok");
        let beginning = format!("option name {name} ").to_lowercase();
        let line = lines.iter().find(|line| line.to_lowercase().starts_with(&beginning)).unwrap();
        assert!(line.contains(&format!(" default {value}")), "{line}");
        engine.send("setoption name Clear Hash");
        assert_ne!(without_times(&engine.search(&["go nodes 20000"])), plain, "{name}");
    }
    engine.end();
}

#[test]
fn a_bad_value_is_explained_and_changes_nothing() {
    let bad = [
        ("setoption name Preset value fast", "'fast' is not a preset; expected 'classic' or 'modern'"),
        ("setoption name Killers value yes", "'yes' is not a switch; expected 'true' or 'false'"),
        ("setoption name Hash value -1", "'-1' is not a table size; expected 0 to 65536 MiB"),
        ("setoption name Hash value 65537", "'65537' is not a table size"),
        ("setoption name Hash value", "'' is not a table size"),
        ("setoption name Heuristic value best", "expected one of material, advance, guarded, patterns"),
        ("setoption name Heuristic value guarded,-killers", "is not a heuristic"),
        ("setoption name Scheme value Ud-Zz@0.5", "'Zz' is not a feature; expected one of"),
        ("setoption name Scheme value Ud@fast", "'fast' is not a weight"),
        ("setoption name Seed value -3", "'-3' is not a seed; expected a whole number"),
        ("setoption name Depth value 3", "there is no option 'Depth'; expected one of Preset, Hash"),
        ("setoption name Threads value 0", "'0' is not a value for Threads; expected a whole number from 1 to 256"),
        ("setoption name MultiPV value 257", "'257' is not a value for MultiPV; expected a whole number from 1 to 256"),
        (
            "setoption name LmrBase value 2001",
            "'2001' is not a value for LmrBase; expected a whole number from 0 to 2000",
        ),
        ("setoption name LmrBase value", "'' is not a value for LmrBase"),
        ("setoption name Move Overhead value 1.5", "'1.5' is not a value for Move Overhead"),
        ("setoption name Weight Ud value 16001", "for Weight Ud; expected a whole number from 0 to 16000"),
        ("setoption name Weight Zz value 500", "there is no option 'Weight Zz'"),
        ("setoption name UCI_Variant value chess", "this engine plays breakthrough, not 'chess'"),
        ("setoption name Ponder", "'setoption name NAME value VALUE'"),
        ("setoption Hash 16", "'setoption name NAME value VALUE'"),
        ("setoption", "'setoption name NAME value VALUE'"),
    ];
    let engine = Conversation::begin();
    engine.send("uci");
    let before = engine.read_to("uciok");
    for (command, expected) in bad {
        engine.send(command);
        let lines = engine.drain();
        assert_eq!(lines.len(), 1, "{command}: {lines:?}");
        assert!(lines[0].starts_with("info string error: ") && lines[0].contains(expected), "{lines:?}");
    }
    engine.send("uci");
    assert_eq!(engine.read_to("uciok"), before);
    engine.end();
}

#[test]
fn weights_change_the_scheme_feature_by_feature() {
    let engine = Conversation::begin();
    let scheme_after = |name: &str, value: &str| {
        engine.send(&format!("setoption name {name} value {value}"));
        engine.send("uci");
        let lines = engine.read_to("uciok");
        let line = lines.iter().find(|line| line.starts_with("option name Scheme")).unwrap();
        line.rsplit(' ').next().unwrap().to_string()
    };
    assert_eq!(scheme_after("Weight Ud", "500"), "Ud@0.5");
    assert_eq!(scheme_after("Weight PP", "1250"), "Ud@0.5,PP@1.25");
    assert_eq!(scheme_after("Weight Ud", "0"), "Ud@0,PP@1.25");
    assert_eq!(scheme_after("Weight Ud", "1000"), "PP@1.25", "an ordinary move's cost is no feature");
    assert_eq!(scheme_after("Scheme", "Ud-RdTt@0.5,C@0.75"), "Ud-RdTt@0.5,C@0.75");
    assert_eq!(scheme_after("Weight C", "1000"), "Ud-RdTt@0.5", "conjunctions stay as they are");
    assert_eq!(scheme_after("Scheme", "Neutral"), "Neutral");
    assert_eq!(scheme_after("Weight Rc", "1000"), "Neutral");
    engine.end();
}

#[test]
fn a_search_knows_what_the_last_one_found_until_it_is_told_to_forget() {
    let engine = Conversation::begin();
    let ask = |before: &str| {
        engine.send(before);
        without_times(&engine.search(&["position startpos", "go nodes 5000"]))
    };
    let first = ask("isready");
    let first = &first[first.iter().position(|line| line.starts_with("info")).unwrap()..];
    assert_ne!(ask("stop"), first, "it begins where the last one ended");
    for forget in ["ucinewgame", "setoption name clear hash"] {
        assert_eq!(ask(forget), first, "{forget}");
        ask("stop");
    }
    // Results of another scheme are no good for this one.
    ask("setoption name Weight Ud value 500");
    assert_eq!(ask("setoption name Weight Ud value 1000"), first);
    engine.end();
}

#[test]
fn positions_are_set_up_in_every_form() {
    let shown = |command: &str| run(format!("{command}\nshow\n").as_bytes()).pop().unwrap();
    let start = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP";
    assert_eq!(shown(""), format!("position {start} w"));
    assert_eq!(shown("position startpos"), format!("position {start} w"));
    assert_eq!(shown("position startpos now moves"), format!("position {start} w"));
    assert_eq!(shown(&format!("position fen {start} b")), format!("position {start} b"));
    assert_eq!(shown(&format!("position {start} b - - 0 1")), format!("position {start} b"));
    assert_eq!(shown("position fen pppp/4/4/PPPP w moves"), "position pppp/4/4/PPPP w");
    let moved = play("pppp/4/4/PPPP w", &["a1a2", "b4a3"]).text();
    assert_eq!(shown("position pppp/4/4/PPPP w moves a1a2 b4a3"), format!("position {moved}"));
    assert_eq!(shown("position pppp/4/4/PPPP w\nucinewgame"), format!("position {start} w"));
}

#[test]
fn a_position_that_is_refused_leaves_the_one_before() {
    let bad = [
        ("position", "there is no position; expected 'position startpos'"),
        ("position fen", "there is no position"),
        ("position moves a2a3", "there is no position"),
        ("position pppp/4/4/PPPX w", "character 13: 'X' cannot stand on a board"),
        ("position pppp/4/4/PPPP", "nothing says who moves"),
        ("position startpos moves a2a3 a7a6 a3a9", "move 3: 'a3a9' is not a move here; expected something like"),
        ("position 8/3P4/p7/8/8/8/P7/8 w moves d7d8 a6a5", "move 2: 'a6a5' is not a move here; there is none"),
    ];
    let engine = Conversation::begin();
    engine.send(&format!("position {WIN_IN_3}"));
    for (command, expected) in bad {
        engine.send(command);
        let lines = engine.drain();
        assert!(lines.len() == 1 && lines[0].contains(expected), "{command}: {lines:?}");
        engine.send("show");
        assert_eq!(engine.read_to("position").pop().unwrap(), format!("position {WIN_IN_3}"));
    }
    engine.end();
}

#[test]
fn the_same_question_has_the_same_answer() {
    for setup in ["setoption name Preset value classic", "setoption name Scheme value Ud-RdTt@0.5"] {
        let ask = |engine: &Conversation| {
            let position = "position startpos moves d2d3 d7d6 e2e3";
            without_times(&engine.search(&["ucinewgame", setup, position, "go nodes 70000"]))
        };
        let engine = Conversation::begin();
        let first = ask(&engine);
        engine.search(&[&format!("position {WIN_IN_3}"), "go depth 3"]);
        assert_eq!(ask(&engine), first);
        engine.end();
        let other = Conversation::begin();
        assert_eq!(ask(&other), first);
        other.end();
        assert_eq!(value(&first[first.len() - 2], "nodes"), Some("70000"), "{first:?}");
    }
}

#[test]
fn forced_results_are_told_as_mate_in_moves() {
    for (position, score) in [(WIN_IN_1, "mate 1"), (WIN_IN_3, "mate 2"), (LOSS_IN_2, "mate -1")] {
        for preset in ["classic", "modern"] {
            let engine = Conversation::begin();
            let preset = format!("setoption name Preset value {preset}");
            let lines = engine.search(&[&preset, &format!("position {position}"), "go depth 9"]);
            let info = &lines[lines.len() - 2];
            assert!(info.contains(&format!(" score {score} nodes ")), "{position}: {lines:?}");
            engine.end();
        }
    }
}

#[test]
fn iterations_are_told_one_by_one() {
    let engine = Conversation::begin();
    let lines = engine.search(&["go depth 5"]);
    let depths: Vec<_> = lines.iter().filter_map(|line| value(line, "depth")).collect();
    assert_eq!(depths, ["1", "2", "3", "4", "5"]);
    for line in &lines[..5] {
        for name in ["depth", "seldepth", "multipv", "cp", "nodes", "nps", "hashfull", "time"] {
            assert!(value(line, name).is_some_and(|value| value.parse::<i64>().is_ok()), "{name} in {line}");
        }
        let (_, pv) = line.split_once(" pv ").unwrap();
        play(game().bench[0], &pv.split(' ').collect::<Vec<_>>());
    }
    let line: Vec<&str> = lines[4].split_once(" pv ").unwrap().1.split(' ').collect();
    assert_eq!(lines[5], format!("bestmove {} ponder {}", line[0], line[1]));
    engine.end();
}

#[test]
fn a_game_that_is_over_has_no_best_move() {
    let engine = Conversation::begin();
    let lines = engine.search(&[&format!("position {WIN_IN_1} moves d7d8"), "go nodes 1000"]);
    assert_eq!(lines, ["info depth 0 score mate 0", "bestmove (none)"]);
    engine.send("go infinite");
    assert_eq!(engine.drain().iter().filter(|line| line.starts_with("bestmove")).count(), 0);
    assert_eq!(engine.search(&["stop"]).pop().unwrap(), "bestmove (none)");
    engine.end();
}

#[test]
fn an_infinite_search_answers_others_and_ends_only_when_stopped() {
    for position in ["startpos", WIN_IN_1] {
        for go in ["go infinite", "go", "go infinite nodes 1000"] {
            let engine = Conversation::begin();
            engine.send(&format!("position {position}"));
            engine.send(go);
            let mut lines = engine.read_to("info depth 1");
            for _ in 0..5 {
                lines.extend(engine.drain());
                // Time to end too early; that no time is enough for it is true on every machine.
                std::thread::sleep(Duration::from_millis(10));
            }
            assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{go}: {lines:?}");
            engine.search(&["stop"]);
            engine.send("stop");
            assert_eq!(engine.drain(), [""; 0], "a second stop says nothing");
            engine.end();
        }
    }
}

#[test]
fn a_second_search_waits_for_the_first() {
    let engine = Conversation::begin();
    engine.send("go infinite");
    engine.send("go nodes 10");
    engine.read_to("info string error: a search is running; end it with 'stop' first");
    engine.send("position pppp/4/4/PPPP w");
    engine.send("setoption name Hash value 1");
    let lines = engine.search(&["stop"]);
    play(game().bench[0], &[best_move(&lines)]);
    // As soon as an answer is read, the next question is in order.
    for _ in 0..200 {
        let lines = engine.search(&["go nodes 1"]);
        assert!(!lines.iter().any(|line| line.contains("error")), "{lines:?}");
    }
    engine.end();
}

/// Nothing but the time ends these searches. That a limit is not overstepped cannot be seen from outside on a loaded
/// machine; the limits themselves are tested where they are computed.
#[test]
fn time_limits_hold() {
    for (go, least) in [("go movetime 100", 90), ("go wtime 2550 btime 1", 30)] {
        let engine = Conversation::begin();
        let begun = Instant::now();
        engine.search(&[go]);
        assert!(begun.elapsed() >= Duration::from_millis(least), "{go}: {:?}", begun.elapsed());
        engine.end();
    }
    for go in ["go movetime 0", "go wtime -5", "go btime 99999999"] {
        let engine = Conversation::begin();
        let lines = engine.search(&[go]);
        assert!(last_number(&lines, "nodes") <= 500, "{go} leaves no time, so only a few nodes: {lines:?}");
        engine.end();
    }
}

#[test]
fn every_go_has_a_best_move_whatever_stands_in_it() {
    let engine = Conversation::begin();
    for (go, note) in [
        ("go nodes many", "not 'many'"),
        ("go depth", "'depth' needs a number"),
        ("go nodes depth 2", "'nodes' needs a number, not ''"),
        ("go fast nodes 20", "does not know 'fast'"),
        ("go perft 3 nodes 20 x", "does not know 'perft'"),
        ("go nodes 20 searchmoves fast", "'fast' is not a move here"),
        ("go movetime soon wtime", "'wtime' needs"),
        ("joho go nodes 20", "'joho' is no command and is ignored, up to 'go'"),
    ] {
        let lines = engine.search(&[go]);
        assert!(lines.iter().any(|line| line.starts_with("info string error: ") && line.contains(note)), "{lines:?}");
        play(game().bench[0], &[best_move(&lines)]);
    }
    for go in ["go nodes -1", "go depth 99999999999 nodes 20", "go nodes 99999999999999999999 depth 2", "go mate -1"] {
        let lines = engine.search(&[go, "stop"]);
        assert!(!lines.iter().any(|line| line.contains("error")), "{lines:?}");
        play(game().bench[0], &[best_move(&lines)]);
    }
    // Without a limit that was meant, only stop ends it.
    engine.send("go fast");
    assert!(!engine.drain().iter().any(|line| line.starts_with("bestmove")));
    engine.search(&["stop"]);
    for (command, answers) in [
        ("setoption the name Hash value 16", 0),
        ("debug on", 0),
        ("register later", 0),
        ("joho debug on", 1),
        ("what is this", 1),
    ] {
        engine.send(command);
        assert_eq!(engine.drain().len(), answers, "{command}");
    }
    engine.end();
}

#[test]
fn the_end_of_the_input_and_quit_end_a_search() {
    for script in ["go infinite\n", "go infinite\nquit\nisready\n", "go infinite"] {
        let lines = run(script.as_bytes());
        assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 1, "{lines:?}");
        assert!(!lines.contains(&"readyok".to_string()));
    }
}

#[test]
fn a_closed_output_ends_the_conversation() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = serve(options(), &b"uci\ngo infinite\n"[..], Closed).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn the_engine_plays_only_legal_moves_to_the_end_of_a_game() {
    let engine = Conversation::begin();
    for (seed, size) in ["ppppp/ppppp/5/PPPPP/PPPPP w", "pppppp/pppppp/6/6/PPPPPP/PPPPPP b"].iter().enumerate() {
        engine.send(&format!("setoption name Seed value {seed}"));
        let (mut position, mut moves) = (play(size, &[]), String::new());
        while position.outcome().is_none() {
            let limit = ["nodes 0", "nodes 1", "nodes 300", "depth 0", "depth 2", "movetime 1"][moves.len() / 5 % 6];
            let lines = engine.search(&[&format!("position {size} moves{moves}"), &format!("go {limit}")]);
            let best = best_move(&lines);
            position = position.play(best).unwrap();
            moves += &format!(" {best}");
        }
    }
    engine.end();
}
