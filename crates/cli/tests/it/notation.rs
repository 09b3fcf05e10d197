//! Chess files from elsewhere, and for elsewhere: suites with bad lines, selections, openings, and games as PGN.

use plysmith_core::games;
use plysmith_core::pgn::Reader;
use serde_json::Value;

use crate::halts::Table;
use crate::support::{Home, Ran, SMALL_SUITE, public_data};

/// Three problems of chess, and around them what cannot be read.
const MIXED: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; dm 1; id \"mate\";\n\
                     6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra9; id \"bad move\";\n\
                     4k3/8/8/8/8/8/8/R3K2R w KQ - am O-O; id \"avoid\"\n\
                     4k3/8/8/8/8/8/8/R3K2R w KQkq - bm O-O;\n\
                     6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8; id \"mate\";\n\
                     k7/8/8/8/8/8/8/KR6 b - - c0 \"nothing\";\n\
                     3q3k/8/8/8/8/8/8/3RK3 w - - bm Rxd8+; D1 5; id \"queen\";\n";

fn run(home: &Home, command: &str) -> Ran {
    home.run(&command.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn bad_lines_stop_everything_unless_they_are_to_be_skipped() {
    let home = Home::new();
    home.file("mixed.epd", MIXED);
    let strict: &[&str] = &["error: mixed.epd:2:34: 'Ra9' is not a move here", "--skip-bad"];
    for command in ["suite check chess mixed.epd", "measure chess Neutral --suite mixed.epd --nodes 50"] {
        run(&home, command).fails(2, strict);
    }
    let listed = [
        "mixed.epd:2:34: 'Ra9' is not a move here",
        "mixed.epd:4:27: 'k' lets Black castle",
        "mixed.epd:5:43: the id 'mate' stands on line 1 already",
        "mixed.epd:6:39: there is no best move",
        "skipped 4 bad records in mixed.epd",
    ];
    let checked = run(&home, "suite check chess mixed.epd --skip-bad --json").ok();
    for part in listed {
        assert!(checked.stderr.contains(part), "no '{part}' in {}", checked.stderr);
    }
    let json = checked.json();
    assert_eq!((&json["problems"], &json["skipped"], &json["proved"]), (&3.into(), &4.into(), &1.into()), "{json}");
    let measured = run(&home, "measure chess Neutral --suite mixed.epd --skip-bad --nodes 200 --json").ok().json();
    assert_eq!(measured["suite"], "mixed.epd without 4 bad lines");
    assert_eq!(measured["problems"], 3);
    home.file("hopeless.epd", "junk\n");
    run(&home, "suite check chess hopeless.epd --skip-bad")
        .fails(2, &["hopeless.epd:1:1: ", "there is no problem in it"]);
}

/// Old files are in old encodings; their positions are plain all the same.
#[test]
fn what_is_not_utf8_is_no_reason_to_skip_a_line_that_reads() {
    let home = Home::new();
    home.file("latin.epd", b"6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8; c0 \"R\xe9ti\";\n");
    run(&home, "suite check chess latin.epd").fails(2, &["latin.epd:1:44: ", "not text in UTF-8", "--skip-bad"]);
    assert_eq!(run(&home, "suite check chess latin.epd --skip-bad --json").ok().json()["problems"], 1);
}

#[test]
fn the_public_suites_can_be_measured_on() {
    let Some(file) = public_data("the_public_suites_can_be_measured_on", "wacnew.epd") else { return };
    let file = file.to_str().unwrap();
    let measured = Home::new().run(&["measure", "chess", "Neutral", "--suite", file, "--nodes", "20", "--json"]).ok();
    assert_eq!(measured.json()["problems"], 300);
}

#[test]
fn a_selection_keeps_what_schemes_solve_and_the_bare_search_does_not() {
    let home = Home::new();
    let solved = |scheme: &str| -> Vec<String> {
        let command = format!("measure breakthrough {scheme} --suite small.suite --nodes 2000 --json");
        let ids = run(&home, &command).ok().json()["findings"][0]["solved_ids"].clone();
        serde_json::from_value(ids).unwrap()
    };
    let (neutral, one, other) = (solved("Neutral"), solved("PP"), solved("Rdt"));
    let ids: Vec<_> = (1..=16).map(|number| format!("b5-{number:03}")).collect();
    let is_kept = |id: &&String| !neutral.contains(id) && (one.contains(id) || other.contains(id));
    let expected: Vec<_> = ids.iter().filter(is_kept).collect();
    assert!(!expected.is_empty() && expected.len() < 16 - neutral.len(), "{neutral:?} {one:?} {other:?}");

    let select = "suite select breakthrough --suite small.suite --with PP --with Rdt --nodes 2000";
    let text = run(&home, select).ok().stdout;
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.iter().all(|line| SMALL_SUITE.contains(line)), "{text}");
    assert_eq!(lines.len(), expected.len(), "{text}");
    assert!(expected.iter().all(|id| text.contains(id.as_str())), "{text}");
    let command = text.lines().find_map(|line| line.strip_prefix("# Made by: plysmith ")).unwrap();
    for threads in ["1", "3"] {
        assert_eq!(run(&Home::new(), &format!("{command} --threads {threads}")).ok().stdout, text);
    }
    let written = run(&home, &format!("{select} --out kept.suite --json")).ok().json();
    assert_eq!(home.read("kept.suite"), text);
    assert_eq!((&written["of"], &written["problems"]), (&16.into(), &expected.len().into()));
    run(&home, &format!("{select} --out kept.suite")).fails(2, &["kept.suite exists", "--force"]);
    run(&home, "suite select breakthrough --suite small.suite --with Neutral --nodes 2000")
        .fails(1, &["no problem is left", "--nodes"]);
}

/// Candidates of a discovery that select its problems are warned of; extensions together, and names, are not.
#[test]
fn problems_are_selected_by_known_extensions_or_by_name() {
    let home = Home::new();
    let warning = "features that `plysmith discover breakthrough` rates";
    let alone = run(&home, "suite select breakthrough --suite small.suite --with PP --with Rdt --nodes 2000").ok();
    assert!(alone.stderr.contains("PP@0.5, Rdt@0.5 are ") && alone.stderr.contains(warning), "{}", alone.stderr);
    let together = run(&home, "suite select breakthrough --suite small.suite --with PP,Rdt --nodes 2000").ok();
    assert!(!together.stderr.contains("warning"), "{}", together.stderr);
    let all = run(&home, "suite select breakthrough --suite small.suite --nodes 2000").ok();
    assert!(all.stderr.contains("Bv2@0.5 are ") && !all.stderr.contains("PPd"), "{}", all.stderr);

    let mates = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - bm Qh4#; id \"mate\";\n\
                 4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8; id \"check\";\n";
    home.file("chess.epd", mates);
    let chess = run(&home, "suite select chess --suite chess.epd --nodes 20");
    assert!(!chess.stderr.contains("warning"), "{}", chess.stderr);

    let picked = run(&home, "suite select chess --suite chess.epd --ids check --json").ok().json();
    assert_eq!((&picked["of"], &picked["problems"], &picked["neutral"]), (&2.into(), &1.into(), &Value::Null));
    let text = picked["suite"].as_str().unwrap();
    assert!(text.contains("id \"check\"") && !text.contains("id \"mate\""), "{text}");
    assert!(text.contains("# Made by: plysmith suite select chess --suite chess.epd --ids check\n"), "{text}");
    run(&home, "suite select chess --suite chess.epd --ids check,chek")
        .fails(2, &["'chek' is not the name of a problem"]);
    run(&home, "suite select chess --suite chess.epd --ids check --nodes 5").fails(2, &["--ids", "--nodes"]);
}

const BOOK: &str = "[Event \"a\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n[Event \"b\"]\n\n1. d4 {a comment} d5 2. c4 (2. Nf3) e6 1-0\n\n\
                    [Event \"c\"]\n\n1. c4 e5 2. Nc3 Nf6 1/2-1/2\n";

#[test]
fn a_match_begins_from_the_openings_of_a_file_and_keeps_them() {
    let home = Home::new();
    home.file("book.pgn", BOOK);
    let play = "match chess --a classic --b classic --nodes 20 --seed 3 --openings book.pgn --games 6 --json";
    run(&home, &format!("{play} --opening-plies 4")).ok();
    let openings = |run: u32| -> Vec<String> {
        let config = home.exported(run)["config"]["play"]["book"].clone();
        assert_eq!((&config["name"], config["key"].as_str().unwrap().len()), (&"book.pgn".into(), 32));
        let list = config["openings"].as_array().unwrap().clone();
        list.iter()
            .map(|opening| opening["moves"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect())
            .collect()
    };
    assert_eq!(openings(1), ["e2e4e7e5g1f3b8c6", "d2d4d7d5c2c4e7e6", "c2c4e7e5b1c3g8f6"]);
    run(&home, play).ok();
    assert_eq!(openings(2)[0], "e2e4e7e5g1f3b8c6f1b5");
    for number in [3, 4] {
        run(&home, &format!("{play} --plies 2 --opening-order shuffled --seed 6").replace("--seed 3 ", "")).ok();
        assert_ne!(openings(number), ["e2e4e7e5", "d2d4d7d5", "c2c4e7e5"]);
    }
    assert_eq!(openings(3), openings(4), "the seed decides on the order");
    assert!(run(&home, "show 1").ok().stdout.contains("openings from book.pgn"));

    // Games are genuine PGN: they replay, from where their openings end.
    let pgn = run(&home, "export 1 --format pgn").ok().stdout;
    let games: Vec<_> = Reader::new(games::find("chess").unwrap(), &pgn).map(Result::unwrap).collect();
    assert_eq!(games.len(), 6);
    assert_eq!(games[0].start, "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3");
    assert!(games.iter().all(|game| game.tag("PlyCount") == Some(game.moves.len().to_string().as_str())));
    assert!(pgn.starts_with("[Event \"plysmith run 1\"]\n[Site \"?\"]\n[Date \"20"), "{pgn}");
    assert!(pgn.contains("\n\n3. ") && pgn.lines().all(|line| line.starts_with('[') || line.len() < 80), "{pgn}");
}

/// The file may change or go: a run has what it needs.
#[test]
fn a_resumed_match_does_not_need_the_file() {
    let command = "match chess --a classic --b classic,heuristic=material --nodes 20000 --openings book.epd --games 4";
    let book = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1\n";
    let expected = {
        let home = Home::new();
        home.file("book.epd", book);
        run(&home, command).ok();
        home.exported(1)
    };
    let home = Home::new();
    let file = home.file("book.epd", book);
    home.kill_at(&command.split(' ').collect::<Vec<_>>(), Table::Events, 1);
    std::fs::remove_file(file).unwrap();
    run(&home, "resume 1").ok();
    assert_eq!(home.exported(1), expected);
}

#[test]
fn openings_that_cannot_be_used_are_named() {
    let home = Home::new();
    home.file("book.pgn", BOOK.replace("2. c4", "2. c5"));
    home.file("over.epd", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3\n");
    home.file("empty.pgn", "nothing here\n");
    home.file("few.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n".repeat(2));
    let play = "match chess --a classic --b classic --nodes 20 --games 4 --openings";
    for (file, parts) in [
        ("book.pgn", ["book.pgn:7:25: 'c5' is not a move here", "--skip-bad"]),
        ("over.epd", ["over.epd:1:1: the game is over here", "--skip-bad"]),
        ("empty.pgn --skip-bad", ["empty.pgn: there is no opening in it", "PGN"]),
        ("few.epd --opening-start 2", ["few.epd: there is no opening 2, there are 1", "--opening-start"]),
        ("few.epd,order=random --opening-order random", ["'order=' and --opening-order say the same", "leave out"]),
        ("few.bin", ["cannot read few.bin", "No such file"]),
        ("missing.pgn", ["cannot read missing.pgn", "No such file"]),
        ("few.epd --size 6x6", ["--openings", "--size"]),
    ] {
        run(&home, &format!("{play} {file}")).fails(2, &parts);
    }
    run(&home, &format!("{play} book.pgn --skip-bad")).ok();
    // A short file is used again from the beginning.
    let again = run(&home, &format!("{play} few.epd")).ok();
    assert!(again.stderr.contains("few.epd has 1 opening for 2 pairs of games: they are used again"), "{again:?}");
    run(&home, "match --a classic --b classic --nodes 50 --games 4 --openings small.suite").ok();
    // A shuffled file is read to its end.
    let robin = "tournament classic modern --game chess --mode round-robin --nodes 20 --games 2 --openings few.epd \
                 --opening-order shuffled --json";
    let ran = run(&home, robin).ok();
    assert!(ran.stderr.contains("skipped 1 opening of few.epd that occurred before"), "{ran:?}");
}
