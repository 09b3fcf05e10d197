//! Discovery with several weights, then tuning and games: as one run, the same after kills.

use serde_json::Value;

use crate::resume::work_with_kills;
use crate::support::{Home, SMALL_DISCOVERY, names};

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [SMALL_DISCOVERY, more].concat()
}

/// How many problems a scheme solves, by the command that measures schemes.
fn solved(home: &Home, scheme: &str) -> u64 {
    let measured =
        home.run(&["measure", "breakthrough", scheme, "--suite", "small.suite", "--nodes", "2000", "--json"]);
    measured.ok().json()["findings"][0]["solved"].as_u64().unwrap()
}

#[test]
fn each_feature_gets_its_best_weight() {
    let home = Home::new();
    let work = with(&["--weights", "0.25,0.5,0.75", "--most-atoms", "2", "--json"]);
    let joint = home.run(&work).ok().json();
    let exact = home.run(&with(&["--weights", "0.25,0.5,0.75", "--most-atoms", "2", "--json", "--exact"])).ok().json();
    let found = |discovery: &Value| -> Vec<(String, u64, Value)> {
        let rows = discovery["output"].as_array().unwrap().iter();
        let row = |row: &Value| (row["feature"].to_string(), row["solved"].as_u64().unwrap(), row["weight"].clone());
        rows.map(row).collect()
    };
    assert_eq!(found(&joint), found(&exact), "giving up hopeless weights early changes nothing");
    let alone = home.run(&with(&["--weight", "0.5", "--most-atoms", "2", "--json"])).ok().json();
    let base = |discovery: &Value, name: &str| -> u64 {
        let rows = discovery["output"].as_array().unwrap();
        rows.iter().find(|row| row["feature"] == name).unwrap()["solved"].as_u64().unwrap()
    };
    assert!(names(&alone["output"], "feature").contains(&"Ud"));
    let mut weights = Vec::new();
    for row in joint["output"].as_array().unwrap().iter().filter(|row| row["feature"] != "Neutral").take(6) {
        let (name, best) = (row["feature"].as_str().unwrap(), row["weight"].as_str().unwrap());
        let by_weight = ["0.25", "0.5", "0.75"].map(|weight| solved(&home, &format!("{name}@{weight}")));
        assert_eq!(row["solved"].as_u64(), by_weight.iter().max().copied(), "{name}: {by_weight:?}");
        assert_eq!(row["solved"].as_u64().unwrap(), solved(&home, &format!("{name}@{best}")));
        weights.push(best.to_string());
    }
    weights.sort();
    weights.dedup();
    assert!(weights.len() > 1, "several weights are best for some feature: {weights:?}");
    assert!(base(&joint, "Ud") >= base(&alone, "Ud"), "more to choose from is not worse");
    let text = home.run(&["show", "1"]).ok().stdout;
    assert!(text.contains("weight\n") && text.contains("each with up to 3 weights"), "{text}");
}

#[test]
fn what_is_found_is_tuned_and_proven_in_one_run() {
    let work = with(&[
        "--most-atoms",
        "1",
        "--then-tune",
        "--tune-iterations",
        "3",
        "--prove",
        "6",
        "--prove-nodes",
        "300",
        "--best",
        "2",
    ]);
    let peace = Home::new();
    peace.run(&work).ok();
    let expected = peace.exported(1);
    let followed = &expected["result"]["followed"];
    let tuned = followed["tuned"]["weights"].as_array().unwrap();
    let additions = followed["additions"].as_array().unwrap();
    assert!((1..=2).contains(&additions.len()), "{additions:?}");
    let solved_by = |addition: &Value| addition["solved"].as_u64().unwrap();
    assert!(additions.windows(2).all(|pair| solved_by(&pair[0]) < solved_by(&pair[1])), "{additions:?}");
    assert_eq!(additions[0]["scheme"], format!("{}@0.5", names(&expected["result"]["output"], "feature")[0]));
    for addition in additions {
        assert_eq!(solved(&peace, addition["scheme"].as_str().unwrap()), solved_by(addition), "{addition}");
    }
    assert_eq!(tuned.len(), additions.len());
    let output = names(&expected["result"]["output"], "feature");
    assert!(tuned.iter().all(|weight| output.contains(&weight["name"].as_str().unwrap())), "{tuned:?} of {output:?}");
    assert!(tuned.iter().all(|weight| weight["start"] == "0.5"), "tuning starts where discovery was: {tuned:?}");
    let proofs = followed["proofs"].as_array().unwrap();
    assert!((2..=4).contains(&proofs.len()), "each feature, the scheme, and the tuned scheme: {proofs:?}");
    assert!(proofs.iter().all(|proof| proof["games"] == 6 && proof["b"] == "classic"), "{proofs:?}");
    let shown = peace.run(&["show", "1"]).ok().stdout;
    assert!(shown.contains("In games against classic (300 nodes per move)"), "{shown}");

    let home = Home::new();
    work_with_kills(&home, &work, &expected, 3, 5);
    assert_eq!(home.exported(1), expected);
}

#[test]
fn mistakes_are_named() {
    let home = Home::new();
    let fails = |more: &[&str], parts: &[&str]| home.run(&with(more)).fails(2, parts);
    fails(&["--weights", "0.5,x"], &["'x' is not a weight"]);
    fails(&["--weights", "0.5,0.50"], &["names 0.5 twice"]);
    fails(&["--prove", "5"], &["5 games are not a whole number of pairs", "--prove 6"]);
    fails(&["--weight", "0.5", "--weights", "0.25"], &["--weight"]);
    fails(&["--tune-iterations", "5"], &["--then-tune"]);
}
