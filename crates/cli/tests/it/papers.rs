//! The papers' tables: solved has two meanings, and both are printed.

use serde_json::Value;

use crate::support::{Home, SMALL_SUITE, names};

const WORK: [&str; 6] = ["measure", "breakthrough", "Neutral", "RdTt", "Ud-RdTt", "PP-RdTt"];

fn counts(findings: &Value, count: &str) -> Vec<Value> {
    findings.as_array().unwrap().iter().map(|finding| finding[count].clone()).collect()
}

/// One measurement counts what two would, of a suite that asks for proofs and of the same suite without.
#[test]
fn proofs_and_best_moves_come_from_one_measurement() {
    let home = Home::new();
    home.file("moves.suite", SMALL_SUITE.replace("solve proven", "solve best-move"));
    let measure =
        |suite: &str, more: &[&str]| home.run(&[&WORK[..], &["--suite", suite, "--nodes", "1000"], more].concat()).ok();
    let both = measure("small.suite", &["--json"]).json()["findings"].clone();
    let moves = measure("moves.suite", &["--json"]).json()["findings"].clone();
    assert_eq!(counts(&both, "best_moves"), counts(&moves, "solved"));
    assert_ne!(counts(&both, "best_moves"), counts(&both, "solved"), "some moves are found without a proof");
    assert_eq!(counts(&moves, "best_moves"), [Value::Null, Value::Null, Value::Null, Value::Null]);
    let printed = measure("small.suite", &[]).stdout;
    assert!(printed.contains(" proven  best move  ") && printed.contains("\nproven: "), "{printed}");
    let printed = measure("moves.suite", &[]).stdout;
    assert!(printed.contains(" solved ") && !printed.contains("proven"), "{printed}");
    let rows = counts(&both, "solved").into_iter().zip(counts(&both, "best_moves"));

    let limits = ["--suite", "small.suite", "--nodes", "1000"];
    let table2 = home.run(&[&["reproduce", "table2"], &limits[..], &["--json"]].concat()).ok().json();
    let solved: Vec<_> =
        counts(&table2["solved"], "proven").into_iter().zip(counts(&table2["solved"], "best_moves")).collect();
    assert_eq!(solved, rows.collect::<Vec<_>>());
    assert_eq!(table2["by_best_move"].as_array().unwrap().len(), 5);
    let printed = home.run(&[&["reproduce", "table2"], &limits[..]].concat()).ok().stdout;
    assert_eq!(printed.matches("by best move").count(), 2, "evaluations and overlooked: {printed}");
    for part in [
        "paper's hours",
        "30.6",
        "threshold in the paper: Ud-PP-Rdt Ud-Rdt PP-Rdt PP-Rdt-Edg Rc-Rdb;",
        "; the thesis names Rdb Rdt Edg.",
        "13 of 138 in \
         the paper",
    ] {
        assert!(printed.contains(part), "no '{part}' in {printed}");
    }
    assert_eq!(table2["power_set"], 32_768);
    assert_eq!(counts(&table2["rows"], "paper_overlooked"), [0, 0, 0, 5, 0].map(Value::from));
    assert_eq!(counts(&table2["rows"], "incompatible")[1..], [0, 0, 0, 0].map(Value::from), "groups prevent them");
    assert!(printed.contains("best move played") && printed.contains("reproduce suites"), "{printed}");

    // Gradual Focus by best moves is Gradual Focus on a suite that asks for no more.
    let limits = ["--suite", "moves.suite", "--nodes", "1000", "--json"];
    let plain = home.run(&[&["reproduce", "table2"], &limits[..]].concat()).ok().json();
    assert_eq!(counts(&table2["by_best_move"], "evaluations"), counts(&plain["rows"], "evaluations"));
    assert_eq!(counts(&table2["by_best_move"], "overlooked"), counts(&plain["rows"], "overlooked"));
}

#[test]
fn the_best_combinations_have_both_counts() {
    let home = Home::new();
    home.file("few.suite", SMALL_SUITE.lines().take(6).collect::<Vec<_>>().join("\n"));
    let limits = ["--suite", "few.suite", "--nodes", "200"];
    let table3 = home.run(&[&["reproduce", "table3"], &limits[..], &["--json"]].concat()).ok().json();
    for row in table3["rows"].as_array().unwrap() {
        assert!(row["best_moves"].as_u64().unwrap() >= row["solved"].as_u64().unwrap(), "{row}");
    }
    let printed = home.run(&[&["reproduce", "table3"], &limits[..]].concat()).ok().stdout;
    assert!(printed.contains("proven  best move  parent") && printed.contains("Neutral "), "{printed}");
    assert!(printed.contains("paper's parent") && printed.contains("paper's 11"), "{printed}");
    for row in table3["rows"].as_array().unwrap() {
        let atoms = |name: &Value| name.as_str().unwrap().matches('-').count() + 1;
        let parent = &row["parent"];
        assert_eq!(parent.is_null(), atoms(&row["feature"]) == 1, "{row}");
        assert!(parent.is_null() || atoms(parent) + 1 == atoms(&row["feature"]), "{row}");
    }
}

/// The other reading of PP takes its place: the same number of atoms, and the paper's numbers beside the same features.
#[test]
fn table_2_takes_another_reading() {
    let home = Home::new();
    home.file("few.suite", SMALL_SUITE.lines().take(6).collect::<Vec<_>>().join("\n"));
    let base = ["--base", "Ud,PPd,Rc,C,Ms,Rd*,Edg,Mr,Udp,Bv2"];
    let limits = ["--suite", "few.suite", "--nodes", "200", "--json"];
    let table2 = home.run(&[&["reproduce", "table2"], &limits[..], &base].concat()).ok().json();
    assert_eq!(table2["power_set"], 32_768);
    assert_eq!(names(&table2["solved"], "feature"), ["Neutral", "RdTt", "Ud-RdTt", "RdTt-PPd"]);
    assert_eq!(counts(&table2["solved"], "paper"), [29, 202, 235, 211].map(Value::from));
    home.run(&["resume", "1"]).fails(2, &["run 1 is finished"]);
    home.run(&["reproduce", "table4", "--base", "Ud"]).fails(2, &["--base is for table2 and table3 only"]);
    home.run(&[&["reproduce", "table2", "--base", "Xy"], &limits[..]].concat()).fails(2, &["'Xy' is not a feature"]);
    // Who names neither has the papers' atoms.
    let plain = home.run(&[&["reproduce", "table2"], &limits[..]].concat()).ok().json();
    assert_eq!(names(&plain["solved"], "feature"), ["Neutral", "RdTt", "Ud-RdTt", "PP-RdTt"]);
}

#[test]
fn every_generated_suite_is_measured() {
    let home = Home::new();
    let work = ["reproduce", "suites", "--problems", "2", "--nodes", "300"];
    let json = home.run(&[&work[..], &["--json"]].concat()).ok().json();
    let suites = json["suites"].as_array().unwrap();
    assert_eq!(suites.len(), 9, "the bundled one and eight seeds");
    assert_eq!(counts(&json["suites"], "problems"), vec![Value::from(2); 9]);
    let bundled: Vec<_> = suites.iter().filter(|suite| suite["is_bundled"] == true).collect();
    assert_eq!(bundled.len(), 2, "one seed made the bundled suite");
    assert_eq!((&bundled[0]["seed"], &bundled[1]["seed"]), (&Value::Null, &8.into()));
    assert_eq!(bundled[0]["solved"], bundled[1]["solved"]);
    let printed = home.run(&work).ok().stdout;
    for part in ["Proven:", "Best move:", "seed 1", "seed 8", "mean of seeds", "is that of seed 8"] {
        assert!(printed.contains(part), "no '{part}' in {printed}");
    }
    assert_eq!(home.run(&["show", "1"]).ok().stdout.matches("Ud-RdTt").count(), 2);
    let rows = home.run(&["export", "1", "--format", "csv"]).ok().stdout;
    assert_eq!(rows.lines().count(), 1 + 9 * 4, "{rows}");
    assert!(rows.starts_with("run,suite,seed,feature,proven,best_moves,paper\n"), "{rows}");
    home.run(&["reproduce", "suites", "--suite", "small.suite"]).fails(2, &["leave --suite out"]);
}
