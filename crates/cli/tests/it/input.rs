//! Wrong input: exit code 2, a message that says where and what to do, and nothing done.

use std::fs;

use crate::support::Home;

const POSITION: &str = "8/pppp4/8/8/8/8/4PPPP/8 w";

/// A suite of good lines and a bad one, checked; the message must begin with the place and say all this.
#[track_caller]
fn wrong_suite(bad: &[u8], place: &str, saying: &[&str]) {
    let home = Home::new();
    let mut suite = format!("# a comment\n\n{POSITION} bm e2e3; id \"good\";\n").into_bytes();
    suite.extend(bad);
    home.file("bad.suite", suite);
    let at = format!("error: bad.suite:{place}");
    let said = [&[at.as_str()], saying].concat();
    home.run(&["suite", "check", "bad.suite"]).fails(2, &said);
    home.run(&["measure", "breakthrough", "Ud", "--suite", "bad.suite"]).fails(2, &said);
    assert!(!home.database().exists(), "nothing is begun on a suite that cannot be read");
}

/// What stands behind the position, and what is wrong with it.
#[track_caller]
fn wrong_operations(operations: &str, column: usize, saying: &[&str]) {
    wrong_suite(format!("{POSITION} {operations}\n").as_bytes(), &format!("4:{column}: "), saying);
}

/// A position, and what is wrong with it; also where it is typed.
#[track_caller]
fn wrong_position(position: &str, place: &str, saying: &[&str]) {
    wrong_suite(format!("{position} bm e2e3;\n").as_bytes(), place, saying);
    Home::new().run(&["perft", "breakthrough", "2", "--position", position]).fails(2, saying);
}

#[test]
fn malformed_operations_are_named_with_line_and_column() {
    wrong_operations("bm e2e3; id \"good\";", 40, &["'good' stands on line 3 already", "unique"]);
    wrong_operations("bm e2e3; id \"open;", 39, &["quote is never closed"]);
    wrong_operations("bm e2e3; 3foo 3;", 36, &["'3foo' is not an operation", "expected a name like bm", "--skip-bad"]);
    wrong_operations("bm e2e3; distance 4;", 45, &["'4' is not the length of a forced win", "odd"]);
    wrong_operations("bm e2e3; distance x;", 45, &["'x'", "expected an odd number"]);
    wrong_operations("bm e2e3; distance;", 36, &["'distance' takes a number of plies"]);
    wrong_operations("bm e2e3; solve maybe;", 42, &["'maybe'", "expected 'proven' or 'best-move'"]);
    wrong_operations("id \"no move\";", 40, &["there is no best move", "expected 'bm <move>;'"]);
    wrong_operations("bm e2e3; bm f2f3;", 36, &["'bm' stands here twice", "leave one out"]);
    wrong_operations("bm e2e3 e2e3;", 35, &["'e2e3' stands here twice", "leave one out"]);
    wrong_operations("c0 \"ä\"; bm e2e3; f-o;", 44, &["'f-o' is not an operation"]);
    wrong_operations("bm e2e3; am e2e5;", 39, &["'e2e5' is not a move here"]);
    wrong_operations("bm e2e3; dm none;", 39, &["'none' is not the length of a forced win", "a number of moves"]);
}

#[test]
fn illegal_best_moves_are_named() {
    for text in ["e2e5", "e9e3", "a7a6", "e2", "é2e3", "e2e3x"] {
        let wrong = format!("'{text}' is not a move here");
        wrong_operations(&format!("bm {text};"), 30, &[&wrong, "expected something like 'e2e3'"]);
    }
    wrong_operations("bm e2e3 e2e5;", 35, &["'e2e5' is not a move here"]);
}

#[test]
fn impossible_positions_are_named() {
    wrong_position("P7/pppp4/8/8/8/8/4PPPP/8 w", "4:", &["White has a man on its goal rank", "over"]);
    wrong_position("8/pppp4/8/8/8/8/4PPPP/7p b", "4:", &["Black has a man on its goal rank", "over"]);
    wrong_position("8/pppp4/8/8/8/8/8/8 w", "4:", &["White has no man left"]);
    wrong_position("8/8/8/8/8/8/4PPPP/8 b", "4:", &["Black has no man left"]);
    wrong_position("pppppppp/pppppppp/p7/8/8/8/4PPPP/8 w", "4:", &["Black has 17 men", "at most 16"]);
    wrong_position("pppp/4/4/4/PPPP/PPPP/PPPP w", "4:", &["White has 12 men", "at most 8"]);
}

#[test]
fn malformed_positions_are_named() {
    wrong_position("8/ppxp4/8/8/8/8/4PPPP/8 w", "4:5: ", &["'x' cannot stand on a board", "expected 'P', 'p'"]);
    wrong_position("8/pppp4/8/8/8/8/4PPPP/9 w", "4:23: ", &["'9' cannot stand on a board"]);
    wrong_position("8/pppp4/8/8/8/8/4PPPPP/8 w", "4:", &["rank 2 has"]);
    wrong_position("8/pppp4/8/8/8/7/4PPPP/8 w", "4:15: ", &["rank 3 has 7 squares", "8"]);
    wrong_position("8/pppp4/4PPPP w", "4:", &["8×3 squares", "expected 4×4 to 8×8"]);
    wrong_position("8/8/8/pppp4/8/8/8/8/4PPPP/8 w", "4:", &["10 ranks", "4 to 8"]);
    wrong_position("8/pppp4/8/8/8/8/4PPPP/8 x", "4:25: ", &["'x' does not say who moves", "expected 'w' or 'b'"]);
    wrong_suite(b"8/pppp4/8/8/8/8/4PPPP/8\n", "4:24: ", &["nothing says who moves", "expected 'w' or 'b'"]);
    wrong_suite("\tä\n".as_bytes(), "4:2: ", &["'ä' cannot stand on a board"]);
}

#[test]
fn what_is_not_text_is_named_with_line_and_column() {
    wrong_suite(b"8/8 \xff\xfe\x00\n", "4:5: ", &["not text in UTF-8", "expected a suite"]);
    let home = Home::new();
    let program = fs::read(crate::support::PLYSMITH).unwrap();
    home.file("binary.suite", &program[..20_000]);
    home.run(&["suite", "check", "binary.suite"]).fails(2, &["error: binary.suite:1:"]);
}

/// Windows editors begin text with a byte order mark.
#[test]
fn a_byte_order_mark_is_no_part_of_a_suite() {
    let home = Home::new();
    home.file("windows.suite", format!("\u{feff}{POSITION} bm e2e3;\r\n"));
    home.run(&["suite", "check", "windows.suite"]).ok();
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let home = Home::new();
    home.file("empty.suite", "");
    home.file("comments.suite", "# nothing\n\n# but comments\n");
    fs::create_dir(home.path().join("folder.suite")).unwrap();
    for (name, reason) in [
        ("missing.suite", "No such file"),
        ("folder.suite", "directory"),
        ("empty.suite", "expected lines like '<position> bm <move>;"),
        ("comments.suite", "there is no problem in it"),
    ] {
        home.run(&["suite", "check", name]).fails(2, &[name, reason]);
        home.run(&["suite", "check", "breakthrough", name]).fails(2, &[name, reason]);
        home.run(&["discover", "breakthrough", "--suite", name]).fails(2, &[name, reason]);
        home.run(&["reproduce", "table2", "--suite", name]).fails(2, &[name, reason]);
    }
}

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    let home = Home::new();
    let feature: &[&str] = &["'Foo' is not a feature", "expected one of Ud, PP, Rc,", "Bv2"];
    let game: &[&str] = &["there is no game 'go'", "expected one of breakthrough"];
    let cases: &[(&str, &[&str])] = &[
        ("measure breakthrough Foo", feature),
        ("measure breakthrough Ud-Foo@0.5", feature),
        ("measure breakthrough Neutral PP,Foo", feature),
        ("discover breakthrough --base Ud,Foo", feature),
        ("discover breakthrough --blacklist Ud-Foo", feature),
        ("features breakthrough Foo", feature),
        ("discover breakthrough --base Ud-PP", &["'Ud-PP' is not a single atom", "'Ud,PP'"]),
        ("discover go", game),
        ("measure go Ud", game),
        ("features go", game),
        ("perft go 3", game),
        ("bench go", game),
        ("suite generate go", game),
        ("suite check go small.suite", game),
        ("measure breakthrough Ud --preset fast", &["'fast' is not a preset", "expected 'classic' or 'modern'"]),
        ("measure breakthrough Ud --preset classic,foo=1", &["'foo=1'", "expected one of null-window, killers"]),
        ("measure breakthrough Ud --preset classic,table=x", &["'x' is not a table size", "MiB"]),
        ("discover breakthrough --pruning some", &["'some' is not a pruning", "none, groups, linear-tree"]),
        ("reproduce table9", &["'table9'", "table2, table3"]),
        ("completions csh", &["'csh'", "bash"]),
        ("discovr breakthrough", &["discovr", "discover"]),
        ("show 7", &["there is no run 7", "`plysmith runs`"]),
        ("export 7", &["there is no run 7", "`plysmith runs`"]),
        ("show abc", &["there is no run 'abc'", "'last'", "`plysmith runs`"]),
        ("export 1 --format xml", &["'xml'", "json, csv"]),
    ];
    for (command, saying) in cases {
        home.run(&command.split(' ').collect::<Vec<_>>()).fails(2, saying);
    }
    assert_eq!(home.run(&["runs", "--json"]).ok().stdout, "[]\n", "nothing was begun");
}

#[test]
fn impossible_numbers_are_answered_with_the_possible_ones() {
    let home = Home::new();
    let weight: &[&str] = &["is not a weight", "expected plies from 0 to 16"];
    let cases: &[(&str, &[&str])] = &[
        ("measure breakthrough Ud@x", weight),
        ("measure breakthrough Ud@-17", weight),
        ("measure breakthrough Ud@101%", weight),
        ("measure breakthrough Ud@17", weight),
        ("measure breakthrough Ud@0.0001", weight),
        ("measure breakthrough Ud@NaN", weight),
        ("measure breakthrough Ud@", weight),
        ("discover breakthrough --weight half", weight),
        ("measure breakthrough Ud@0.5,Ud@0.7", &["names Ud twice", "leave one out"]),
        ("measure breakthrough Ud --nodes 0", &["'0'", "--nodes"]),
        ("measure breakthrough Ud --problems 0", &["'0'", "--problems"]),
        ("measure breakthrough Ud --threads 0", &["'0'", "--threads"]),
        ("discover breakthrough --epsilon few", &["'few'", "--epsilon"]),
        ("bench --rounds 0", &["'0'", "--rounds", "1..=1000"]),
        ("perft breakthrough many", &["'many'", "DEPTH"]),
        ("perft breakthrough 3 --size 3x3", &["3x3", "expected 4x4 to 8x8"]),
        ("perft breakthrough 3 --size 9x8", &["9x8", "expected 4x4 to 8x8"]),
        ("perft breakthrough 3 --size big", &["'big' is not a size", "like 6x5"]),
        ("perft breakthrough 3 --first green", &["'green'", "white, black"]),
        ("suite generate breakthrough --plies 4", &["--plies 4 is even", "try 5"]),
        ("suite generate breakthrough --plies 99", &["'99'", "--plies", "1..=21"]),
        ("suite generate breakthrough --count 0", &["'0'", "--count"]),
        ("suite generate breakthrough --size 5x3", &["5x3", "expected 4x4 to 8x8"]),
    ];
    for (command, saying) in cases {
        home.run(&command.split(' ').collect::<Vec<_>>()).fails(2, saying);
    }
}
