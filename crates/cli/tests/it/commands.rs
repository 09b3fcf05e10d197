//! The small commands, and what all commands have in common.

use serde_json::Value;

use crate::support::{Home, names, public_data};

/// The papers' fifteen, and the other reading of PP.
const ATOMS: [&str; 16] =
    ["Ud", "PP", "Rc", "C", "Ms", "Rdb", "RdBt", "RdBb", "Rdt", "RdTt", "RdTb", "Edg", "Mr", "Udp", "Bv2", "PPd"];

const COMMANDS: [&[&str]; 18] = [
    &["store"],
    &["store", "check"],
    &["store", "salvage"],
    &["discover"],
    &["measure"],
    &["reproduce"],
    &["resume"],
    &["runs"],
    &["show"],
    &["export"],
    &["features"],
    &["fit"],
    &["suite"],
    &["suite", "generate"],
    &["suite", "check"],
    &["perft"],
    &["bench"],
    &["completions"],
];

/// The paper's 8×8 board and a small one; the counts are OpenSpiel's.
#[test]
fn perft_counts_what_others_count() {
    let home = Home::new();
    let count = |more: &[&str]| {
        home.run(&[&["perft", "breakthrough", "--json"], more].concat()).ok().json()["positions"].as_u64().unwrap()
    };
    assert_eq!(["0", "1", "2", "3", "4"].map(|depth| count(&[depth])), [1, 22, 484, 11_132, 256_036]);
    assert_eq!(["1", "2", "3", "4"].map(|depth| count(&[depth, "--size", "5x5"])), [13, 156, 1_924, 23_084]);
    assert_eq!(count(&["4", "--first", "black"]), 256_036, "the start position is symmetric");
    assert_eq!(count(&["1", "--position", "8/8/3p4/8/4P3/8/8/8 w"]), 3);
    assert_eq!(count(&["3", "--position", "8/3P4/8/8/8/8/p7/8 w - - 0 1"]), 0, "a won position has no successors");
}

#[test]
fn perft_divides() {
    let home = Home::new();
    let divided = home.run(&["perft", "breakthrough", "4", "--size", "5x5", "--divide", "--json"]).ok().json();
    let moves = divided["divide"].as_array().unwrap();
    assert_eq!(moves.len(), 13);
    assert_eq!(moves.iter().map(|entry| entry[1].as_u64().unwrap()).sum::<u64>(), 23_084);
    let text = home.run(&["perft", "breakthrough", "2", "--divide"]).ok().stdout;
    assert!(text.contains("move  positions") && text.contains("\n484\n"), "{text}");
}

#[test]
fn features_are_explained_and_drawn() {
    let home = Home::new();
    let explained = home.run(&["features", "breakthrough", "--json"]).ok().json();
    let (of_moves, of_state) = explained.as_array().unwrap().split_at(ATOMS.len());
    assert_eq!(names(&of_moves.to_vec().into(), "name"), ATOMS);
    assert!(of_state.iter().all(|atom| atom["is_state"] == true));
    for atom in of_moves {
        assert!(!atom["meaning"].as_str().unwrap().is_empty());
        assert!(atom["features"].as_array().unwrap().contains(&atom["name"]), "the example shows another: {atom}");
        assert_eq!(atom["in_base"], atom["name"] != "PPd", "{atom}");
    }
    let text = home.run(&["features", "breakthrough", "RdTt"]).ok().stdout;
    assert!(text.starts_with("RdTt (group "), "{text}");
    assert!(text.contains("\n 8  ") && text.contains("\n    a  b  c  d  e  f  g  h"), "no board: {text}");
    assert_eq!(text.matches('[').count(), 2, "a move has two squares: {text}");
    assert_eq!(home.run(&["features", "breakthrough", "Ud-PP", "--json"]).ok().json().as_array().unwrap().len(), 2);
}

#[test]
fn measure_reports_all_about_each_scheme() {
    let home = Home::new();
    let schemes = ["Neutral", "Ud", "PP-Edg@0.25,Rdt-Edg@0.75"];
    let work = [&["measure", "breakthrough"], &schemes[..], &["--suite", "small.suite", "--nodes", "2000"]].concat();
    let measured = home.run(&[&work[..], &["--json"]].concat()).ok().json();
    assert_eq!((&measured["problems"], &measured["nodes_a_problem"]), (&16.into(), &2000.into()));
    assert_eq!((&measured["suite"], &measured["preset"]), (&"small.suite".into(), &"classic".into()));
    let findings = measured["findings"].as_array().unwrap();
    assert_eq!(names(&measured["findings"], "feature"), ["Neutral", "Ud@0.5", "PP-Edg@0.25,Rdt-Edg@0.75"]);
    let frequencies: Vec<_> = findings.iter().map(|finding| finding["frequencies"].as_array().unwrap().len()).collect();
    assert_eq!(frequencies, [0, 1, 2]);
    for finding in findings {
        assert_eq!(finding["tried"], 16);
        assert_eq!(finding["solved"].as_u64().unwrap() as usize, finding["solved_ids"].as_array().unwrap().len());
        assert!(finding["nodes"].as_u64().unwrap() <= 16 * 2000);
        assert!(finding["mean_height"].as_f64() >= finding["mean_depth"].as_f64(), "{finding}");
    }
    assert_eq!(findings[0]["solved"], 5);
    let table = home.run(&work).ok().stdout;
    assert!(schemes[2..].iter().all(|scheme| table.contains(scheme)), "{table}");
    let modern = home.run(&[&work[..], &["--preset", "modern,-killers,table=1", "--json"]].concat()).ok().json();
    assert_ne!(modern["findings"][0]["nodes"], findings[0]["nodes"]);
}

#[test]
fn runs_are_listed_shown_and_exported() {
    let home = Home::new();
    assert!(home.run(&["runs"]).ok().stdout.contains("There are no runs yet"));
    assert_eq!(home.run(&["runs", "--json"]).ok().stdout, "[]\n");
    let work = ["measure", "breakthrough", "Neutral", "Ud@0.25,PP", "--suite", "small.suite", "--nodes", "500"];
    let measured = home.run(&[&work[..], &["--json"]].concat()).ok().json();
    let list = home.run(&["runs"]).ok().stdout;
    assert!(list.contains("finished") && list.contains("plysmith measure breakthrough Neutral Ud@0.25,PP"), "{list}");

    let export = home.run(&["export", "1"]).ok();
    assert_eq!(home.run(&["show", "1", "--json"]).ok().json(), export.json());
    let export = export.json();
    assert_eq!((&export["kind"], &export["status"]), (&"measure".into(), &"finished".into()));
    assert_eq!((&export["seed"], &export["result"]), (&1.into(), &measured));
    assert_eq!(export["version"], env!("CARGO_PKG_VERSION"));
    let payloads: Vec<&Value> = export["events"].as_array().unwrap().iter().map(|event| &event["payload"]).collect();
    assert_eq!(payloads, measured["findings"].as_array().unwrap().iter().collect::<Vec<_>>());
    check_csv(&home, &payloads);
}

/// A line a measurement, and in it what the measurement says.
fn check_csv(home: &Home, payloads: &[&Value]) {
    home.run(&["export", "1", "--format", "csv", "--output", "run.csv"]).ok();
    let text = home.read("run.csv");
    assert_eq!(home.run(&["export", "1", "--format", "csv"]).ok().stdout, text);
    home.run(&["export", "1", "--output", "run.csv"]).fails(2, &["run.csv exists", "--force"]);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().clone();
    assert_eq!(columns.iter().take(5).collect::<Vec<_>>(), ["run", "feature", "solved", "tried", "nodes"]);
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), payloads.len());
    for (row, payload) in rows.iter().zip(payloads) {
        assert_eq!((&row[0], &row[1]), ("1", payload["feature"].as_str().unwrap()));
        assert_eq!(row[4], payload["nodes"].to_string());
        let cell = |name: &str| row[columns.iter().position(|column| column == name).unwrap()].to_string();
        let frequencies = payload["frequencies"].as_array().unwrap();
        for (number, name) in ["frequency_1", "frequency_2"].into_iter().enumerate() {
            assert_eq!(cell(name), frequencies.get(number).map_or(String::new(), Value::to_string));
        }
    }
    // The ending of the file says the format, and JSON has the same columns.
    home.run(&["export", "1", "--output", "by-name.csv"]).ok();
    assert_eq!(home.read("by-name.csv"), text);
    home.run(&["export", "1", "--output", "rows.jsonl"]).ok();
    for (line, row) in home.read("rows.jsonl").lines().zip(&rows) {
        assert!(!line.contains('['), "no lists: {line}");
        let record: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
        assert_eq!(record.len(), columns.len());
        for (column, cell) in columns.iter().zip(row) {
            let value = &record[column];
            assert_eq!(value.as_str().map_or(value.to_string(), str::to_string).replace("null", ""), cell, "{column}");
        }
    }
}

#[test]
fn shells_get_their_completions() {
    let home = Home::new();
    for (shell, sign) in [("bash", "complete -F"), ("zsh", "#compdef plysmith"), ("fish", "complete -c plysmith")] {
        let script = home.run(&["completions", shell]).ok().stdout;
        assert!(script.contains(sign) && script.contains("discover"), "{shell}: {script}");
    }
}

#[test]
fn without_arguments_there_is_an_overview() {
    let home = Home::new();
    let overview = home.run(&[]).ok();
    assert_eq!(overview.stderr, "");
    for step in ["plysmith features breakthrough", "plysmith discover breakthrough --quick", "plysmith resume"] {
        assert!(overview.stdout.contains(step), "no '{step}' in {}", overview.stdout);
    }
    assert_eq!(home.run(&["--json"]).ok().json()["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn every_command_has_help_and_the_program_a_version() {
    let home = Home::new();
    let version = concat!("plysmith ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(home.run(&["--version"]).ok().stdout, version);
    let main = home.run(&["--help"]).ok().stdout;
    for part in
        ["Examples:", "Exit codes: 0 success, 1 failure, 2 invalid input, 3 a check", "130 interrupted", "--json"]
    {
        assert!(main.contains(part), "no '{part}' in {main}");
    }
    for command in COMMANDS {
        let help = home.run(&[command, &["--help"]].concat()).ok().stdout;
        assert!(help.contains(&format!("Usage: plysmith {}", command.join(" "))), "{help}");
        assert!(help.contains("--json"), "{help}");
        assert!(main.contains(&format!("  {}", command[0])), "the overview lacks {command:?}");
    }
}

/// A published suite of counts; the whole of it, to 100 million positions each, is for `plysmith perft` by hand.
#[test]
fn published_chess_counts_are_right() {
    let Some(file) = public_data("published_chess_counts_are_right", "chess_perftsuite.epd") else { return };
    let file = file.to_str().unwrap();
    let checked = Home::new().run(&["perft", "chess", "--suite", file, "--most", "300000", "--json"]).ok().json();
    assert_eq!(checked["lines"], 126, "{checked}");
    assert_eq!(checked["wrong"], serde_json::json!([]));
    assert!(checked["counts"].as_u64().unwrap() > 400, "{checked}");
}

#[test]
fn wrong_counts_are_found_and_bad_lines_named() {
    let home = Home::new();
    home.file("wrong.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ;D1 20 ;D2 401\n");
    let ran = home.run(&["perft", "chess", "--suite", "wrong.epd"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("401") && ran.stdout.contains("400"), "{ran:?}");
    home.file("bad.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - D1 x;\n");
    home.run(&["perft", "chess", "--suite", "bad.epd"]).fails(2, &["bad.epd:1", "'D1 x' is not a count"]);
    home.run(&["perft", "chess"]).fails(2, &["DEPTH"]);
}
