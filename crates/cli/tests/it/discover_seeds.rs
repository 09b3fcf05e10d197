//! Discovery with several seeds: means, the test that replaces epsilon, and resuming.

use rusqlite::Connection;
use serde_json::Value;

use crate::resume::work_with_kills;
use crate::support::{Home, SMALL_DISCOVERY};

/// A discovery whose combinations are tested.
const AUTO: &[&str] = &["discover", "breakthrough", "--suite", "small.suite", "--nodes", "2000", "--epsilon", "auto"];

fn evaluations(home: &Home) -> Vec<Value> {
    let export = home.exported(1);
    export["events"].as_array().unwrap().iter().map(|event| event["payload"].clone()).collect()
}

fn counts(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect()
}

#[test]
fn one_seed_is_what_it_was() {
    let (plain, one) = (Home::new(), Home::new());
    plain.run(SMALL_DISCOVERY).ok();
    one.run(&[SMALL_DISCOVERY, &["--seeds", "1"]].concat()).ok();
    assert_eq!(plain.exported(1), one.exported(1));
    let text = serde_json::to_string(&plain.exported(1)).unwrap();
    assert!(!text.contains("repeats") && !text.contains("seeds"), "nothing new is stored");
}

#[test]
fn means_are_those_of_the_seeds_one_by_one() {
    let home = Home::new();
    home.run(&[SMALL_DISCOVERY, &["--seeds", "3", "--exact"]].concat()).ok();
    let found = evaluations(&home);
    let schemes = ["Neutral", "PP", "PP-Edg"];
    for seed in 0..3 {
        let measure = ["measure", "breakthrough", "--suite", "small.suite", "--nodes", "2000", "--json", "--seed"];
        let number = (seed + 1).to_string();
        let measured = home.run(&[&measure[..], &[&number], &schemes].concat()).ok().json();
        for (scheme, finding) in schemes.iter().zip(measured["findings"].as_array().unwrap()) {
            let evaluation = found.iter().find(|evaluation| evaluation["feature"] == *scheme).unwrap();
            assert_eq!(evaluation["repeats"]["solved"][seed], finding["solved"], "{scheme}, seed {number}");
        }
    }
    for evaluation in &found {
        let solved = counts(&evaluation["repeats"]["solved"]);
        let mean = solved.iter().sum::<u64>() as f64 / 3.0;
        assert_eq!(evaluation["solved"].as_f64().unwrap(), mean.round(), "{evaluation}");
        assert!((evaluation["repeats"]["mean"]["mean"].as_f64().unwrap() - mean).abs() < 1e-9, "{evaluation}");
        let times: u64 =
            evaluation["repeats"]["times"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(times, solved.iter().sum::<u64>(), "{evaluation}");
        let is_neutral = evaluation["feature"] == "Neutral";
        assert!(is_neutral || evaluation["repeats"]["gain"]["over_seeds"].is_number(), "{evaluation}");
    }
    let shown = home.run(&["show", "1"]).ok().stdout;
    assert!(shown.contains("Each feature was measured with 3 seeds") && shown.contains("a power of 80 %"), "{shown}");
}

#[test]
fn settling_early_changes_the_cost_and_nothing_else() {
    let (early, exact) = (Home::new(), Home::new());
    early.run(&[SMALL_DISCOVERY, &["--seeds", "2"]].concat()).ok();
    exact.run(&[SMALL_DISCOVERY, &["--seeds", "2", "--exact"]].concat()).ok();
    let facts = |home: &Home| -> Vec<[Value; 2]> {
        evaluations(home).into_iter().map(|event| [event["feature"].clone(), event["verdict"].clone()]).collect()
    };
    assert_eq!(facts(&early), facts(&exact));
    assert_eq!(early.exported(1)["result"]["output"], exact.exported(1)["result"]["output"]);
    let nodes = |home: &Home| home.exported(1)["result"]["nodes"].as_u64().unwrap();
    assert!(nodes(&early) < nodes(&exact));
}

#[test]
fn doubtful_combinations_take_more_seeds_than_clear_ones() {
    let home = Home::new();
    home.run(AUTO).ok();
    let found = evaluations(&home);
    assert_eq!(counts(&found[0]["repeats"]["solved"]).len(), 6, "Neutral has all seeds");
    let combinations: Vec<_> = found.iter().filter(|found| found["first_parent"].is_string()).collect();
    let seeds: Vec<usize> = combinations.iter().map(|found| counts(&found["repeats"]["solved"]).len()).collect();
    assert!(seeds.contains(&1) && seeds.iter().any(|seeds| *seeds > 1), "{seeds:?}");
    for combination in combinations {
        let gain = &combination["repeats"]["on_parent"];
        match combination["verdict"].as_str().unwrap() {
            // A survivor is better by at least one problem, and its interval over seeds is above zero or nearly so.
            "lives" => assert!(gain["mean"].as_f64().unwrap() >= 1.0, "{combination}"),
            "pruned" if gain.is_null() => assert!(combination["solved"].is_null(), "{combination}"),
            verdict => assert_eq!(verdict, "pruned", "{combination}"),
        }
    }
    let shown = home.run(&["show", "1"]).ok().stdout;
    assert!(shown.contains("at most 6, and an error rate of 5 %"), "{shown}");
    let result = home.exported(1)["result"].clone();
    assert_eq!((&result["seeds"], &result["error"]), (&6.into(), &0.05.into()));
    assert!(result["power"]["seeds"].as_u64().unwrap() > 0 && result["power"]["problems"].as_u64().unwrap() > 0);
}

#[test]
fn threads_and_kills_change_nothing() {
    for more in [&["--seeds", "4"][..], &["--seeds", "3", "--weights", "0.25,0.5"]] {
        let work = [AUTO, more].concat();
        let whole = Home::new();
        whole.run(&[&work[..], &["--threads", "1"]].concat()).ok();
        let expected = whole.exported(1);
        let threads = Home::new();
        threads.run(&[&work[..], &["--threads", "3"]].concat()).ok();
        assert_eq!(threads.exported(1), expected);
        let home = Home::new();
        work_with_kills(&home, &work, &expected, 4, 15);
        assert_eq!(home.exported(1), expected);
    }
}

#[test]
fn a_memo_of_another_kind_changes_nothing() {
    let cold = Home::new();
    cold.run(AUTO).ok();
    let warm = Home::new();
    // Complete measurements of all seeds, of which the test needs only a part.
    warm.run(&[SMALL_DISCOVERY, &["--seeds", "6", "--exact"]].concat()).ok();
    warm.run(AUTO).ok();
    assert_eq!(warm.exported(2)["events"], cold.exported(1)["events"]);
    let results = |home: &Home| -> i64 {
        let connection = Connection::open(home.database()).unwrap();
        connection.query_row("SELECT count(*) FROM results", [], |row| row.get(0)).unwrap()
    };
    assert!(results(&warm) > results(&cold));
}

#[test]
fn seeds_that_make_no_sense_are_refused() {
    let home = Home::new();
    for seeds in ["0", "-1", "1001", "many"] {
        home.run(&[SMALL_DISCOVERY, &[&format!("--seeds={seeds}")]].concat()).fails(2, &["--seeds"]);
    }
    let external = ["discover", "--engine", "uci:no-such-engine", "--suite", "small.suite", "--seeds", "2"];
    home.run(&external).fails(2, &["--seeds is for built-in engines"]);
}
