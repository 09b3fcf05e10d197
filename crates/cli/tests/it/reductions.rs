//! Moves that may be searched less: discovered one by one, and learned as tables.

use serde_json::Value;

use crate::resume::work_with_kills;
use crate::support::Home;

/// A graded suite of its own size in a moment.
const GENERATE: &str = "suite generate breakthrough --graded --count 40 --nodes 100 --judge-nodes 500 --seed 3 --size 5x5 --output my.graded";
/// All methods with few conditions.
const LEARN: &str = "reductions breakthrough --graded my.graded --nodes 150 --evaluations 30 --atoms cut,late,quiet --most-atoms 2 --method focus,dense,logarithmic";

fn words(command: &str) -> Vec<&str> {
    command.split_whitespace().collect()
}

fn with_suite() -> Home {
    let home = Home::new();
    home.run(&words(GENERATE)).ok();
    home
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Every survivor solves no fewer than its first parent, but for epsilon, with fewer nodes; every other does not.
#[test]
fn what_may_be_searched_less_solves_as_many_with_fewer_nodes() {
    for (weight, epsilon) in [("--weight=1.5", 1), ("--weight=+0.5", 0)] {
        let home = Home::new();
        let epsilon_text = epsilon.to_string();
        let work = ["discover", "breakthrough", "--suite", "small.suite", "--nodes", "2000", "--exact", "--epsilon"];
        let base = ["--base", "Ud,PP,Edg,Mr,late", "--preset", "modern"];
        let shown = home.run(&[&work[..], &[&epsilon_text, weight], &base].concat()).ok().stdout;
        assert!(shown.contains("A reduced move that raises alpha is searched again"), "{shown}");
        let export = home.exported(1);
        let events: Vec<&Value> = export["events"].as_array().unwrap().iter().map(|event| &event["payload"]).collect();
        let find = |name: &Value| *events.iter().find(|event| event["feature"] == *name).unwrap();
        let mut combinations = 0;
        for event in &events {
            let parent = &event["first_parent"];
            if parent.is_null() {
                continue;
            }
            combinations += 1;
            let parent = find(parent);
            let is_as_good = number(&event["solved"]) + f64::from(epsilon) >= number(&parent["solved"]);
            let saves = number(&event["nodes"]) < number(&parent["nodes"]);
            assert_eq!(event["verdict"] == "lives", is_as_good && saves, "{event} beside {parent}");
        }
        assert!(combinations > 5, "{combinations} combinations");
        let result = &export["result"];
        assert_eq!(result["may_lose"], epsilon);
        if let Some(scheme) = result["advice"]["scheme"].as_str() {
            let text = result["advice"]["text"].as_str().unwrap();
            let begin = format!("{scheme} may be searched less: solves ");
            assert!(text.starts_with(&begin) && text.contains("% of the nodes"), "{text}");
        }
    }
}

#[test]
fn weights_that_ask_two_questions_are_refused() {
    let home = Home::new();
    let work = ["discover", "breakthrough", "--suite", "small.suite", "--nodes", "500"];
    home.run(&[&work[..], &["--weights", "0.5,1.5"]].concat()).fails(2, &["0.5 and 1.5", "one kind of weights"]);
    home.run(&[&work[..], &["--weights=+0.5,-0.5"]].concat()).fails(2, &["-0.5 and +0.5"]);
    home.run(&[&work[..], &["--weight", "1.5", "--epsilon", "auto", "--seeds", "3"]].concat()).fails(2, &["--seeds 1"]);
}

#[test]
fn every_method_learns_within_its_budget_and_survives_kills() {
    let home = with_suite();
    home.run(&words(LEARN)).ok();
    let expected = home.exported(1);
    let result = &expected["result"];
    let methods = result["methods"].as_array().unwrap();
    let names: Vec<&str> = methods.iter().map(|method| method["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["focus", "dense", "logarithmic"]);
    for method in methods {
        assert!((1.0..=30.0).contains(&number(&method["evaluations"])), "{method}");
        for half in ["training", "held_out"] {
            assert_eq!(method[half]["positions"], 20, "{half}");
            let gain = number(&result[half]["cost"]["mean"]) - number(&method[half]["cost"]["mean"]);
            assert!((number(&method[half]["gain"]["mean"]) - gain).abs() < 1e-9, "{method}");
        }
    }
    assert!(methods[0]["table"].as_array().unwrap().len() <= 12);
    assert_eq!(methods[1]["tried"], 6, "cut, late, quiet, and their pairs");
    assert_eq!(result["rivals"].as_array().unwrap().len(), 2);

    let killed = with_suite();
    work_with_kills(&killed, &words(LEARN), &expected, 4, 7);
    assert_eq!(killed.exported(1), expected);
}

#[test]
fn a_table_is_written_for_programs_and_tuners() {
    let home = with_suite();
    home.run(&words(&format!("{LEARN} --output table.rs"))).ok();
    let result = home.exported(1)["result"].clone();
    let methods = result["methods"].as_array().unwrap();
    let table =
        methods.iter().map(|method| method["table"].as_array().unwrap()).find(|table| !table.is_empty()).unwrap();
    let export = |format: &str| home.run(&["export", "1", "--format", format]).ok().stdout;
    assert_eq!(export("rust"), home.read("table.rs"));
    assert_eq!(export("text").lines().filter(|line| !line.starts_with('#')).count(), table.len());
    for (format, separator, fields) in [("openbench", ", ", 7), ("fishtest", ",", 6)] {
        let lines = export(format);
        assert_eq!(lines.lines().count(), table.len(), "{lines}");
        for line in lines.lines() {
            assert_eq!(line.split(separator).count(), fields, "{line}");
        }
    }
    // The last entry has all conditions, so it is the sum of all amounts.
    let sum: f64 = table.iter().map(|entry| entry["amount"].as_str().unwrap().parse::<f64>().unwrap()).sum();
    let rust = export("rust");
    let numbers: Vec<f64> =
        rust.split("= [\n").nth(1).unwrap().split(',').filter_map(|text| text.trim().parse().ok()).collect();
    assert!((numbers.last().unwrap() - 1024.0 * sum).abs() <= 1.0, "{rust}");
    assert!(numbers.len().is_power_of_two() && numbers[0] == 0.0, "{rust}");
    assert!(export("c").contains("static const int reductions["));
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let home = with_suite();
    let refused = |options: &str, saying: &[&str]| {
        home.run(&words(&format!("reductions breakthrough --graded my.graded {options}"))).fails(2, saying);
    };
    refused("--atoms state", &["24 conditions", "1 to 16"]);
    refused("--atoms nothing", &["'nothing' is not a feature"]);
    refused("--method focus,focus", &["names focus twice"]);
    refused("--method guess", &["focus, dense, logarithmic"]);
    refused(
        "--atoms pv,cut,all,Ud,PP,Rc,C,Edg,quiet,late,RdTt,check,highhistory,deep --method dense",
        &["a dense table has at most 256"],
    );
    home.run(&["measure", "breakthrough", "Neutral", "--suite", "small.suite", "--nodes", "100"]).ok();
    home.run(&["export", "1", "--format", "rust"]).fails(2, &["of kind 'measure'"]);
}
