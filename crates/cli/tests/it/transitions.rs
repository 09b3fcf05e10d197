//! Transition probabilities: counts against a slow oracle, records of all kinds, kills, and schemes from files.

use std::collections::BTreeMap;
use std::fs;

use plysmith_core::games;
use plysmith_core::pgn::Reader;
use serde_json::Value;

use crate::halts::Table;
use crate::support::{Home, PLYSMITH, Ran, SMALL_DISCOVERY};

/// Games on a small board, a moment's work.
const SELF_PLAY: &str = "transitions breakthrough --size 5x5 --games 60 --nodes 60 --seed 3";
/// Comments, variations, marks of annotators, a game without moves, and lines that are none of it.
const RECORDS: &str = r#"[Event "one"]
[Variant "breakthrough"]
[SetUp "1"]
[FEN "ppppp/ppppp/5/PPPPP/PPPPP w"]

1. b2b3 {a comment with (brackets} d4d3 (1... a4a3 2. b2a3 {nested (one)} (2. c2c3)) 2. c2d3 $1 e4d3 !? ; to the end
3. e2d3 b4a3 {[%clk 0:01]} *

[Event "two"]
[Variant "breakthrough"]
[FEN "ppppp/ppppp/5/PPPPP/PPPPP w"]

*

[Event "three"]
[FEN "5/3p1/1P3/2p2/5 w"]

1. b3b4 d4d3 2. b4b5 1-0
"#;

fn run(home: &Home, command: &str) -> Ran {
    home.run(&command.split_whitespace().collect::<Vec<_>>())
}

fn rows(result: &Value) -> BTreeMap<String, [u64; 3]> {
    let count = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let row = |row: &Value| {
        let name = row["category"].as_str().unwrap().to_string();
        (name, ["moves", "positions", "played"].map(|name| count(row, name)))
    };
    result["categories"].as_array().unwrap().iter().map(row).collect()
}

/// Counts by the definition: one move, one atom and one category at a time. Cells are named as exact sets of the atoms.
fn oracle(pgn: &str, features: &[&str], atoms: &[&str]) -> BTreeMap<String, [u64; 3]> {
    let game = games::find("breakthrough").unwrap();
    let name = |atom| game.vocabulary.facts(atom).name;
    let mut counts: BTreeMap<String, [u64; 3]> =
        features.iter().map(|name| (name.to_string(), [0; 3])).chain([("Other".to_string(), [0; 3])]).collect();
    for record in Reader::new(game, pgn) {
        let record = record.unwrap();
        let mut position = game.parse_position(&record.start).unwrap();
        for played in &record.moves {
            let moves = position.moves();
            // Lost: every move lets the opponent win at once, or the race is lost. No race is, in these games.
            let wins_at_once = |m: &String| {
                let next = position.play(m).unwrap();
                next.moves().iter().any(|reply| next.play(reply).unwrap().outcome().is_some())
            };
            if moves.len() > 1 && !moves.iter().all(wins_at_once) {
                let mut here: BTreeMap<String, [u64; 2]> = BTreeMap::new();
                for m in &moves {
                    let has: Vec<&str> = position.features_of(m).unwrap().into_iter().map(name).collect();
                    let holds = |one: &str| one.split('-').all(|atom| has.contains(&atom));
                    let mut found: Vec<String> = features
                        .iter()
                        .filter(|feature| feature.split('|').any(holds))
                        .map(|f| f.to_string())
                        .collect();
                    let cell: Vec<&str> = has.iter().copied().filter(|atom| atoms.contains(atom)).collect();
                    if !cell.is_empty() {
                        found.push(cell.join("-"));
                    }
                    if found.is_empty() {
                        found.push("Other".to_string());
                    }
                    for category in found {
                        let entry = here.entry(category).or_default();
                        entry[0] += 1;
                        entry[1] += u64::from(*m == played.m);
                    }
                }
                for (category, [available, chosen]) in here {
                    let entry = counts.entry(category).or_default();
                    *entry = [entry[0] + available, entry[1] + 1, entry[2] + chosen];
                }
            }
            position = position.play(&played.m).unwrap();
        }
    }
    counts
}

#[test]
fn counts_are_those_of_a_slow_oracle_on_records_with_comments_and_variations() {
    let home = Home::new();
    home.file("games.pgn", RECORDS);
    let features = run(&home, "transitions breakthrough games.pgn --features Rc,C,Ud-RdTb|PP --json").ok().json();
    // Features are printed in the order of the vocabulary.
    let names: Vec<&str> =
        features["categories"].as_array().unwrap().iter().map(|r| r["category"].as_str().unwrap()).collect();
    let expected = oracle(RECORDS, &names[..3], &[]);
    assert_eq!(rows(&features), expected);
    assert_eq!(features["games"], 3);
    let cells = run(&home, "transitions breakthrough games.pgn --partition C,Rc,Ud --json").ok().json();
    assert_eq!(rows(&cells), oracle(RECORDS, &[], &["C", "Rc", "Ud"]));
    // No move of these games goes to the last rank; the scheme names the atom all the same, so that moves with it are Other.
    let unseen = run(&home, "transitions breakthrough games.pgn --partition C,RdTb --json").ok().json();
    assert_eq!(rows(&unseen).keys().collect::<Vec<_>>(), ["C", "Other"]);
    let scheme = unseen["scheme"].as_str().unwrap();
    let other = scheme.rsplit_once("Other").unwrap().1;
    assert!(scheme.starts_with("=C@") && scheme.contains(&format!("RdTb{other}")), "{scheme}");
    let moves: u64 = rows(&cells).values().map(|counts| counts[0]).sum();
    assert_eq!(cells["moves"], moves, "each move is in one cell");
}

/// The games of a match, as they are exported, are counted like any others.
#[test]
fn exported_games_are_counted() {
    let home = Home::new();
    run(&home, "match --size 5x6 --a modern --b classic --nodes 60 --games 6").ok();
    run(&home, "export 1 --format pgn --output games.pgn").ok();
    let counted = run(&home, "transitions breakthrough games.pgn --partition C,Ud,RdBb --json").ok().json();
    assert_eq!(counted["games"], 6);
    let (played, positions): (u64, u64) =
        (rows(&counted).values().map(|counts| counts[2]).sum(), counted["positions"].as_u64().unwrap());
    assert!(played == positions && positions > 100, "one move is played in a position: {counted}");
}

#[test]
fn counts_are_the_same_on_any_number_of_threads_and_after_kills() {
    let command = format!("{SELF_PLAY} --partition C,Rc,Ud,RdBb --output out.transitions");
    let words: Vec<&str> = command.split_whitespace().collect();
    let first = Home::new();
    first.run(&[&words[..], &["--threads", "1"]].concat()).ok();
    let second = Home::new();
    second.run(&[&words[..], &["--threads", "2"]].concat()).ok();
    let outcome = |home: &Home| [home.exported(1)["events"].clone(), home.exported(1)["result"].clone()];
    assert_eq!(outcome(&first), outcome(&second));
    assert_eq!(first.read("out.transitions"), second.read("out.transitions"));

    // Killed in self-play, and while categories are recorded.
    let home = Home::new();
    home.kill_at(&words, Table::Results, 1);
    assert_eq!(home.status(1), "interrupted");
    assert!(home.run(&["show", "1"]).ok().stdout.contains("no games are counted so far"));
    home.kill_at(&["resume", "1"], Table::Events, 3);
    assert!(!home.path().join("out.transitions").exists());
    home.run(&["resume", "1"]).ok();
    assert_eq!(outcome(&home), outcome(&first));
    assert_eq!(home.read("out.transitions"), first.read("out.transitions"));

    // Other categories of the same games: nothing is played again.
    let results = home.rows(Table::Results);
    run(&home, &format!("{SELF_PLAY} --features C,Ud --count per-position")).ok();
    assert_eq!(home.rows(Table::Results), results);
    let csv = home.run(&["export", "1", "--format", "csv"]).ok().stdout;
    assert!(csv.starts_with("run,category,moves,positions,played,per_move"), "{csv}");
}

/// Records that change while a run is interrupted are noticed.
#[test]
fn a_run_keeps_to_the_records_that_it_began_with() {
    let home = Home::new();
    home.file("games.pgn", RECORDS);
    home.kill_at(&["transitions", "breakthrough", "games.pgn", "--features", "C,Ud"], Table::Events, 1);
    home.file("games.pgn", RECORDS.replace("b2b3", "a2a3"));
    home.run(&["resume", "1"]).fails(2, &["games.pgn has changed since the run was begun"]);
    home.file("games.pgn", RECORDS);
    home.run(&["resume", "1"]).ok();
}

/// A partition into many cells is used through its file, and its text is stored, exported and read again.
#[test]
fn schemes_of_many_cells_work_everywhere() {
    let home = Home::new();
    let atoms = "Ud,PP,Rc,C,Ms,Rdb,RdBt,RdBb,Rdt,RdTb,Edg,Mr,Udp,Bv2";
    let play = "transitions breakthrough --games 20 --nodes 60";
    let counted = run(&home, &format!("{play} --partition {atoms} --output many.transitions --json")).ok().json();
    let cells = counted["categories"].as_array().unwrap().len();
    assert!(cells > 100, "{cells} cells");
    let file = home.read("many.transitions");
    assert!(
        file.starts_with("plysmith transitions 1\nmade by plysmith transitions breakthrough --games 20 --nodes 60")
    );
    let scheme = counted["scheme"].as_str().unwrap();
    assert!(file.contains(&format!("\nscheme {scheme}\n")) && scheme.starts_with('='));
    let played = run(&home, "match --size 5x5 --a modern,erps+@many.transitions --b modern --nodes 60 --games 4").ok();
    assert!(played.stdout.contains(scheme));
    fs::rename(home.path().join("many.transitions"), home.path().join("moved")).unwrap();
    home.run(&["show", "2"]).ok();
    run(&home, "export 2 --format pgn --output games.pgn").ok();
    run(&home, "transitions breakthrough games.pgn --features C").ok();
    let measured = run(&home, "measure breakthrough --suite small.suite --nodes 300 Neutral @moved --json").ok().json();
    assert_eq!(measured["findings"][1]["feature"], scheme);
    let screened = run(&home, "screen breakthrough --a modern+@moved --b modern --nodes 50 --judge-nodes 100");
    assert_eq!(screened.code, Some(0), "{screened:?}");
    let input = home.file("input", "setoption name Scheme value @moved\nuci\nquit\n");
    let mut uci = home.command(PLYSMITH, &["engine", "breakthrough"]);
    uci.stdin(fs::File::open(input).unwrap());
    let said = String::from_utf8(uci.output().unwrap().stdout).unwrap();
    assert!(said.contains(&format!("option name Scheme type string default {scheme}")), "{said}");
}

#[test]
fn categories_come_from_a_stored_discovery() {
    let home = Home::new();
    home.run(SMALL_DISCOVERY).ok();
    let counted = run(&home, &format!("{SELF_PLAY} --discovery 1 --top 3 --json")).ok().json();
    assert_eq!(counted["categories"].as_array().unwrap().len(), 4, "three features and Other");
    run(&home, "transitions breakthrough --discovery 2")
        .fails(2, &["run 2 is not a discovery but a run of 'transitions'"]);
    run(&home, "transitions chess --discovery 1").fails(2, &["run 1 is of breakthrough, not of chess"]);
    run(&home, "transitions breakthrough --discovery 9").fails(2, &["9"]);
}

#[test]
fn rare_and_certain_categories_are_named() {
    let home = Home::new();
    home.file("games.pgn", RECORDS);
    let rates = |more: &str| run(&home, &format!("transitions breakthrough games.pgn {more}")).ok();
    let never = rates("--features Rc-RdTt,C").stdout;
    assert!(never.contains("Warning: no move of Rc-RdTt could be played in these games"), "{never}");
    let smallest = rates("--features Ms,C --smoothing 0").stdout;
    assert!(
        smallest.contains("Ms@0.0001%") && smallest.contains("the probability is the smallest there is"),
        "{smallest}"
    );
    let smoothed = rates("--features Ms,C").stdout;
    assert!(!smoothed.contains("Ms@0.0001%") && !smoothed.contains("Warning"), "{smoothed}");
    let certain = rates("--features PP --smoothing 0 --count per-position").stdout;
    assert!(certain.contains("PP@100%") && certain.contains("a move of PP was always played"), "{certain}");
    // A probability of 100 % costs what RpsLeast says; C of formula 2.2 lies between 0 and 1.
    let play = |player: &str| run(&home, &format!("match --size 5x5 --a {player} --b modern --nodes 30 --games 2"));
    play("modern,RpsLeast=0+C@100%,Other@1%").ok();
    for constant in ["0", "1000"] {
        play(&format!("modern,RpsConstant={constant}+C@10%")).fails(2, &["RpsConstant", "from 10 to 990"]);
    }
    play("modern+C@0%").fails(2, &["'0%' is not a weight", "0.0001% to 100%"]);
}

#[test]
fn wrong_input_is_named() {
    let home = Home::new();
    home.file("empty.pgn", "");
    home.file("text.pgn", "no games here\n");
    home.file("none.pgn", "[Event \"x\"]\n\n*\n");
    home.file("bad.pgn", "[Event \"x\"]\n\n1. a2a5 *\n\n[Event \"y\"]\n\n1. a2a3 *\n");
    home.file("chess.pgn", "[Variant \"chess\"]\n\n1. e4 e5 *\n");
    home.file("lost.pgn", "[FEN \"5/5/1PP2/5/3p1 b\"]\n\n1... d1d1 *\n");
    home.file("there.transitions", "x");
    let cases = [
        ("transitions go --features C", "there is no game 'go'"),
        ("transitions breakthrough", "--features <FEATURES>|--partition <ATOMS>|--discovery <RUN>"),
        ("transitions breakthrough --features C --partition C", "cannot be used with"),
        ("transitions breakthrough --features C,Xy", "'Xy' is not a feature"),
        ("transitions breakthrough --features C,C", "'C' stands there twice"),
        ("transitions breakthrough --partition C,cut", "'cut' says something of a search"),
        ("transitions chess --partition *", "at most 16 different atoms"),
        ("transitions breakthrough --features C --smoothing -1", "-1 is not a possible strength of smoothing"),
        ("transitions breakthrough --features C --smoothing nan", "is not a possible strength of smoothing"),
        ("transitions breakthrough --features C --player fast", "--player: 'fast' is not a preset"),
        ("transitions breakthrough --features C --games 0", "0 is not in"),
        ("transitions breakthrough --features C --output there.transitions", "there.transitions exists"),
        ("transitions breakthrough missing.pgn --features C", "cannot read missing.pgn"),
        ("transitions breakthrough none.pgn --features C --games 4", "cannot be used with"),
        ("transitions breakthrough empty.pgn --features C", "empty.pgn: there is no game in it; expected breakthrough"),
        ("transitions breakthrough text.pgn --features C", "text.pgn: there is no game in it"),
        ("transitions breakthrough none.pgn --features C", "none.pgn: no game has a move"),
        ("transitions breakthrough bad.pgn --features C", "bad.pgn:3:4: 'a2a5' is not a move here"),
        ("transitions breakthrough chess.pgn --features C", "this is a game of 'chess'; expected one of breakthrough"),
        ("transitions breakthrough lost.pgn --features C", "lost.pgn:"),
        ("match --a modern+@there.transitions --b modern", "there.transitions:1: 'x' is not a feature"),
        ("match --a modern+@none.transitions --b modern", "scheme file 'none.transitions': "),
    ];
    for (command, part) in cases {
        run(&home, command).fails(2, &[part]);
    }
    assert!(!home.database().exists() || home.run(&["runs"]).ok().stdout.lines().count() <= 1, "no run is stored");
    let skipped = run(&home, "transitions breakthrough bad.pgn --features C --skip-bad --json").ok();
    assert!(skipped.stderr.contains("bad.pgn:3:4") && skipped.json()["games"] == 1, "{skipped:?}");
}
