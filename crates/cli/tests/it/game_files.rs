//! Games in forms of other programs: PGN that is written as games end, its comments, Chess960, books, logs of engines, and
//! what python-chess makes of all that.

use std::process::Command;

use plysmith_core::games;
use plysmith_core::pgn::{Reader, Record};

use crate::halts::Table;
use crate::support::{Home, PLYSMITH, Ran, skipped};

fn run(home: &Home, command: &str) -> Ran {
    home.run(&command.split_whitespace().collect::<Vec<_>>())
}

fn read(pgn: &str) -> Vec<Record> {
    Reader::new(games::find("chess").unwrap(), pgn).map(Result::unwrap).collect()
}

/// The file has all games of a run, in the form of the export, also when the run was broken off and resumed.
#[test]
fn games_are_written_as_they_end_and_once() {
    let home = Home::new();
    let play = "match chess --a classic --b classic --nodes 30 --games 6 --opening-plies 6 --pgn games.pgn";
    run(&home, &format!("{play} --pgn-with nodes,pv,seldepth --pgn-comments cutechess")).ok();
    let written = home.read("games.pgn");
    let export = "export 1 --format pgn --pgn-with nodes,pv,seldepth --pgn-comments cutechess";
    assert_eq!(written, run(&home, export).ok().stdout);
    let all = read(&written);
    assert_eq!(all.len(), 6);
    let comment = &all[0].moves[0].comment;
    assert!(comment.contains(", n=") && comment.contains(", sd=") && comment.contains(", pv=\""), "{comment}");
    assert!(written.lines().all(|line| line.starts_with('[') || line.len() < 80), "{written}");
    run(&home, play).fails(2, &["games.pgn exists", "--force"]);
    // What was not recorded cannot be exported.
    run(&home, &format!("{play} --force --seed 2")).ok();
    run(&home, "export 2 --format pgn --pgn-with pv").fails(2, &["run 2 did not record 'pv'", "--pgn-with pv"]);
    assert!(read(&home.read("games.pgn"))[0].moves[0].comment.starts_with("[%eval "));

    // Killed in the middle, with a game that was cut short.
    let whole = home.read("games.pgn").replace("plysmith run 2", "plysmith run 3");
    assert_eq!(whole.matches("[Event ").count(), 6);
    std::fs::remove_file(home.path().join("games.pgn")).unwrap();
    // The two runs before have twelve events.
    home.kill_at(&format!("{play} --seed 2").split(' ').collect::<Vec<_>>(), Table::Events, 12 + 3);
    let part = home.read("games.pgn");
    assert!(whole.starts_with(&part) && part.len() < whole.len(), "{part}");
    home.file("games.pgn", &part[..part.len() - 9]);
    run(&home, "resume 3").ok();
    assert_eq!(home.read("games.pgn"), whole);
}

/// A match of Chess960: starts by the seed, the tags that others read, and both players as they are told.
#[test]
fn chess960_is_played_by_built_in_and_external_players() {
    let home = Home::new();
    let engine = format!("uci:{PLYSMITH} engine chess");
    let play = ["match", "chess", "--chess960", "--a", "classic", "--b", &engine, "--nodes", "200", "--games", "4"];
    home.run(&[&play[..], &["--max-moves", "30", "--log", "engine.log", "--json"]].concat()).ok();
    let pgn = run(&home, "export 1 --format pgn").ok().stdout;
    assert_eq!(pgn.matches("[Variant \"Chess960\"]").count(), 4, "{pgn}");
    assert!(!pgn.contains("rules infraction") && !pgn.contains("abandoned"), "{pgn}");
    let starts: Vec<String> = read(&pgn).into_iter().map(|record| record.start).collect();
    assert_eq!((&starts[0], &starts[2]), (&starts[1], &starts[3]), "each opening twice");
    assert_ne!(starts[0], starts[2]);
    let log = home.read("engine.log");
    for part in [
        " = ",
        " > uci\n",
        " < uciok\n",
        " > setoption name UCI_Chess960 value true\n",
        " > position fen ",
        " < bestmove ",
    ] {
        assert!(log.contains(part), "no '{part}' in {log}");
    }
    // Positions of a file are read as those of Chess960, and a short file is used again.
    home.file("x.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n");
    let again = run(&home, "match chess --a classic --b classic --nodes 20 --games 4 --chess960 --openings x.epd").ok();
    assert!(again.stderr.contains("x.epd has 1 opening for 2 pairs"), "{again:?}");
    assert!(run(&home, "export 2 --format pgn").ok().stdout.contains("w HAha - 0 1\"]"));
    run(&home, "match breakthrough --chess960 --a classic --b classic").fails(2, &["Chess960 is a kind of chess"]);
    run(&home, "match --opening-start 3 --a classic --b classic").fails(2, &["--opening-start", "--openings"]);
}

/// A book of two moves, as another program wrote it: 1. e4 with weight 3 and 1. d4 with weight 1.
#[test]
fn a_polyglot_book_is_played() {
    let home = Home::new();
    let key = 0x463b_9618_1691_fc9c_u64.to_be_bytes();
    let entry = |m: u16, weight: u16| [&key[..], &m.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat();
    home.file("book.bin", [entry(0o1434, 3), entry(0o1333, 1)].concat());
    let play = "match chess --a classic --b classic --nodes 20 --games 6 --openings book.bin";
    let played = run(&home, play).ok();
    assert!(played.stderr.contains("book.bin has 2 openings for 3 pairs"), "{played:?}");
    let starts: Vec<String> =
        read(&run(&home, "export 1 --format pgn").ok().stdout).into_iter().map(|record| record.start).collect();
    let has = |ranks: &str| starts.iter().filter(|start| start.contains(ranks)).count();
    assert_eq!(has("/4P3/8/PPPP1PPP/") + has("/3P4/8/PPP1PPPP/"), 6, "{starts:?}");
    home.file("broken.bin", "x");
    run(&home, &play.replace("book", "broken")).fails(2, &["broken.bin: a Polyglot book has entries of 16 bytes"]);
}

/// Evaluation and clock of every move are there for python-chess.
#[test]
fn python_chess_reads_evaluations_and_clocks() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/check-pgn");
    let python = std::env::var("PLYSMITH_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let has_library = Command::new(&python).args(["-c", "import chess.pgn"]).output();
    if !has_library.is_ok_and(|output| output.status.success()) {
        return skipped("python_chess_reads_evaluations_and_clocks", "python-chess is not installed (PyPI: chess)");
    }
    let home = Home::new();
    // Short games: what is tested is how they are written. No clock falls, however busy the machine is.
    let play = "match chess --a classic --b modern,table=1 --tc 0.02+0.01 --margin 100s --max-moves 2 --games 40";
    run(&home, &format!("{play} --pgn games.pgn")).ok();
    run(&home, &format!("{play} --pgn other.pgn --chess960 --pgn-with nodes,seldepth,pv")).ok();
    for file in ["games.pgn", "other.pgn"] {
        let mut check = home.command(&python, &[script, "--clocks", "--games", "40", file]);
        let checked = Ran::of(file, check.output().unwrap());
        assert!(checked.code == Some(0) && checked.stdout.contains("40 games"), "{checked:?}");
    }
}
