//! Lists of runs: labels, filters, results, progress, deletion and comparison.

use serde_json::Value;

use crate::support::{Home, names};

const MEASURE: &[&str] =
    &["measure", "breakthrough", "Neutral", "Ud", "RdTt", "--suite", "small.suite", "--nodes", "500"];

fn home_with_runs() -> Home {
    let home = Home::new();
    home.run(&[MEASURE, &["--label", "baseline"]].concat()).ok();
    home.run(&["measure", "breakthrough", "Neutral", "Ud", "--suite", "small.suite", "--nodes", "3000"]).ok();
    home.run(&["match", "--a", "classic", "--b", "classic,table=1", "--games", "2", "--nodes", "50"]).ok();
    home
}

fn listed(home: &Home, filter: &[&str]) -> Vec<u64> {
    let json = home.run(&[&["runs", "--json"], filter].concat()).ok().json();
    json.as_array().unwrap().iter().map(|line| line["run"].as_u64().unwrap()).collect()
}

#[test]
fn runs_have_labels_results_and_durations() {
    let home = home_with_runs();
    let json = home.run(&["runs", "--json"]).ok().json();
    assert_eq!(names(&json, "kind"), ["match", "measure", "measure"]);
    let first = &json[2];
    assert_eq!((&first["label"], &first["measure"]), (&"baseline".into(), &"solved".into()));
    assert!(first["result"].as_str().unwrap().contains("solved") && first["value"].is_u64() || first["value"].is_f64());
    assert!(first["seconds"].as_f64().unwrap() >= 0.0 && first["progress"].is_null(), "{first}");
    assert_eq!(json[0]["measure"], "elo");
    let text = home.run(&["runs"]).ok().stdout;
    assert!(text.contains("baseline") && text.contains("solved") && text.contains("Elo in 2 games"), "{text}");

    home.run(&["runs", "label", "last", "a quick match"]).ok().prints(&["Run 3 is labelled 'a quick match'"]);
    assert!(home.run(&["show", "a quick match"]).ok().stdout.starts_with("Run 3 (a quick match): plysmith match"));
    assert_eq!(home.run(&["export", "baseline"]).ok().json()["label"], "baseline");
    home.run(&["runs", "label", "baseline", "--remove"]).ok();
    home.run(&["show", "baseline"]).fails(2, &["there is no run 'baseline'", "'last'"]);
    assert!(home.run(&["show", "last"]).ok().stdout.starts_with("Run 3 "));
    for label in ["7", "last", "", "two\nlines"] {
        home.run(&["runs", "label", "1", label]).fails(2, &["is not a possible label"]);
        home.run(&[MEASURE, &["--label", label]].concat()).fails(2, &["is not a possible label"]);
    }
    assert_eq!(listed(&home, &[]), [3, 2, 1], "what is refused leaves no run");
}

#[test]
fn runs_are_filtered() {
    let home = home_with_runs();
    assert_eq!(listed(&home, &["--kind", "match"]), [3]);
    assert_eq!(listed(&home, &["--game", "breakthrough", "--kind", "measure"]), [2, 1]);
    assert_eq!(listed(&home, &["--search", "BASE"]), [1]);
    assert!(listed(&home, &["--game", "chess"]).is_empty());
    assert_eq!(listed(&home, &["--status", "finished"]).len(), 3);
    assert!(home.run(&["runs", "--game", "chess"]).ok().stdout.contains("`plysmith runs` lists all"));
    home.run(&["runs", "--kind", "matches"]).fails(2, &["'matches' is not a kind of run", "match"]);
}

#[test]
fn runs_are_deleted_and_their_results_stay() {
    let home = home_with_runs();
    home.run(&["runs", "delete", "1", "9"]).fails(2, &["run 9"]);
    assert_eq!(listed(&home, &[]), [3, 2, 1], "all or none");
    home.run(&["runs", "delete", "baseline", "last"]).ok().prints(&["Deleted run 1, run 3."]);
    assert_eq!(listed(&home, &[]), [2]);
    home.run(&["show", "1"]).fails(2, &["1"]);
    let results = || {
        let store = rusqlite::Connection::open(home.database()).unwrap();
        store.query_row("SELECT count(*) FROM results", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let before = results();
    assert!(before > 0);
    home.run(MEASURE).ok();
    assert_eq!((listed(&home, &[]), results()), (vec![4, 2], before), "nothing was computed again");
}

/// A run in progress is listed as such, with its progress, and is not deleted.
#[test]
fn a_run_in_progress_is_not_deleted() {
    let home = Home::new();
    let games = ["match", "--a", "classic", "--b", "classic,table=1", "--games", "400", "--nodes", "500"];
    let running = home.start(&[&games[..], &["--threads", "1"]].concat());
    let line = || home.run(&["runs", "--json"]).ok().json()[0].clone();
    let until = std::time::Instant::now() + crate::support::PATIENCE;
    while line()["progress"].as_f64().is_none_or(|share| share == 0.0) {
        assert!(std::time::Instant::now() < until, "no progress is noted: {}", line());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(line()["status"], "running");
    let listed = home.run(&["runs"]).ok().stdout;
    assert!(listed.contains("running ") && listed.contains(" % "), "{listed}");
    home.run(&["runs", "delete", "1", "--force"]).fails(1, &["run 1", "process"]);
    running.kill();
    let killed = line();
    assert!(killed["status"] == "interrupted" && killed["progress"].as_f64().unwrap() > 0.0, "{killed}");
    assert!(killed["seconds"].as_f64().unwrap() > 0.0 && killed["result"].is_null(), "{killed}");
    home.run(&["runs", "delete", "1"]).ok();
}

#[test]
fn runs_are_compared() {
    let home = home_with_runs();
    let text = home.run(&["compare", "baseline", "2"]).ok().stdout;
    for part in ["run 1  ", "baseline", "Settings that differ", "500", "3000", "Of 2 features measured", "Neutral"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = home.run(&["compare", "1", "2", "--json"]).ok().json();
    assert_eq!(json["settings"]["experiment.nodes"], serde_json::json!(["500", "3000"]));
    let solved: Vec<&Value> = json["solved"]["Ud@0.5"].as_array().unwrap().iter().collect();
    assert!(solved.len() == 2 && solved[1].as_f64() > solved[0].as_f64(), "{json}");
    home.run(&["compare", "1", "last"]).ok().prints(&["kind", "measure", "match"]);
    home.run(&["compare", "1"]).fails(2, &["2 values required"]);
}
