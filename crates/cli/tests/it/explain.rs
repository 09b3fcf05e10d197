//! `plysmith explain`: three problems as golden files, JSON, other positions, and wrong input.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Home, SMALL_SUITE};

/// Golden files and the commands whose output they are.
const GOLDEN: &[(&str, &[&str])] = &[
    ("chess-quiet-key.txt", &["chess", "bundled", "c5-004", "AcK@0.5", "--width", "80"]),
    ("chess-two-schemes.txt", &["chess", "chess-mates-120", "c5-001", "Rc@0.5", "AcK@0.5,Rc@1.5", "--width", "120"]),
    (
        "breakthrough.txt",
        &["breakthrough", "bundled", "b7-001", "Ud-RdTt", "--nodes", "150000", "--width", "80", "--tree", "1"],
    ),
];

fn explain(home: &Home, words: &[&str]) -> String {
    home.run(&[&["explain"], words].concat()).ok().stdout
}

fn data(home: &Home, words: &[&str]) -> Value {
    home.run(&[&["explain"], words, &["--json"]].concat()).ok().json()
}

#[test]
fn three_bundled_problems_are_explained_as_in_the_golden_files() {
    let (home, folder) = (Home::new(), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/explain"));
    for (file, words) in GOLDEN {
        let text = explain(&home, words);
        let path = folder.join(file);
        let golden = fs::read_to_string(&path).unwrap_or_default();
        let command = words.join(" ");
        assert_eq!(text, golden, "if this is meant, write it to {}: plysmith explain {command}", path.display());
        let width = words[words.iter().position(|word| *word == "--width").unwrap() + 1].parse().unwrap();
        let too_long = text.lines().find(|line| line.chars().count() > width);
        assert!(too_long.is_none() || words.contains(&"--tree"), "{too_long:?}");
    }
}

/// What is explained is what was measured: the same problems are solved.
#[test]
fn the_searches_are_those_of_a_measurement() {
    let home = Home::new();
    let options = ["--nodes", "2000", "--seed", "5"];
    let measured = home.run(
        &[&["measure", "breakthrough", "--suite", "small.suite", "Neutral", "Ud-PP@0.25", "--json"], &options[..]]
            .concat(),
    );
    let measured = measured.ok().json();
    let ids = SMALL_SUITE.lines().filter_map(|line| line.split("id \"").nth(1)?.split('"').next());
    let mut solved: [Vec<&str>; 2] = Default::default();
    for id in ids {
        let explained = data(&home, &[&["breakthrough", "small.suite", id, "Ud-PP@0.25"], &options[..]].concat());
        for (side, solved) in solved.iter_mut().enumerate() {
            if explained["searches"][side]["solved"] == true {
                solved.push(id);
            }
        }
    }
    for (side, solved) in solved.iter().enumerate() {
        assert_eq!(measured["findings"][side]["solved_ids"], json!(solved));
    }
    assert!(solved[0] != solved[1], "the scheme makes no difference");
}

#[test]
fn json_has_the_iterations_the_divergence_and_the_tree() {
    let data = data(&Home::new(), &["chess", "bundled", "c5-004", "AcK@0.5", "--tree", "2"]);
    assert_eq!((&data["problem"], &data["decider"]), (&Value::from("c5-004"), &Value::from(1)));
    let [neutral, scheme] = [0, 1].map(|side| &data["searches"][side]);
    assert_eq!((&neutral["solved"], &scheme["solved"]), (&Value::from(false), &Value::from(true)));
    let deciding = &scheme["iterations"][scheme["deciding"].as_u64().unwrap() as usize];
    assert_eq!((&deciding["win_in"], &deciding["depth"]), (&Value::from(5), &Value::from(5)));
    let last = deciding["line"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["features"][0]["feature"], &last["cost_units"]), (&Value::from("AcK"), &Value::from(500)));
    assert_eq!((&last["numbered"], &last["move"]), (&Value::from("52.Rc6#"), &Value::from("c1c6")));
    let divergence = &data["divergence"];
    assert_eq!(divergence["kind"], "depth");
    assert_ne!(divergence["used_units"][0], divergence["used_units"][1]);
    let [root, child] = [&scheme["tree"], &scheme["tree"]["children"][0]];
    assert_eq!((&root["step"], &root["depth"]), (&Value::from("root"), &Value::from(5.0)));
    assert!(root["children_count"].as_u64() >= Some(20) && child["children"][0]["children"].is_null(), "{child}");
    assert!(child["nodes"].as_u64() > Some(0) && child["move"].is_string(), "{child}");
}

#[test]
fn positions_and_every_kind_of_scheme_are_explained() {
    let home = Home::new();
    let fen = "8/7k/R7/1R6/8/8/8/6K1 w - - 0 1";
    let text = explain(&home, &["chess", "--fen", fen, "--move", "Rg5", "AcK", "--nodes", "20000"]);
    assert!(text.contains("Solution: Rg5") && text.contains("AcK@0.5 solves it in iteration"), "{text}");
    let text = explain(&home, &["chess", "--position", fen, "Neutral", "Neutral", "--nodes", "3000"]);
    assert!(text.contains("both have the same move and the same score"), "{text}");
    // A loss is compared as well as a win.
    let text = explain(&home, &["chess", "--fen", "8/7k/R7/8/8/8/1R6/6K1 b - - 0 1", "AcK@0.25", "--depth", "4"]);
    assert!(text.contains("sees the loss in 4 plies"), "{text}");
    let reduced = [
        "chess",
        "bundled",
        "c5-002",
        "--preset",
        "modern,erps",
        "--nodes",
        "5000",
        "--tree",
        "2",
        "AcK@1.5,late-quiet@+0.5",
    ];
    let data = data(&home, &[&reduced[..], &["=AcK@40%,Other@3%"]].concat());
    for (search, feature) in data["searches"].as_array().unwrap().iter().zip(["AcK", "Other"]) {
        let children = search["tree"]["children"].as_array().unwrap();
        let reduced = |node: &&Value| node["step"] == "reduced" && node["cost"].as_f64() > Some(1.0);
        let reduced: Vec<&Value> = children.iter().filter(reduced).collect();
        let has_it = |node: &&Value| node["features"].to_string().contains(feature);
        assert!(reduced.into_iter().any(|node| has_it(&node)), "{feature} reduces no move at the root");
    }
}

#[test]
fn small_records_say_what_they_leave_out() {
    let words = ["breakthrough", "bundled", "b7-001", "Ud-RdTt", "--nodes", "150000", "--keep", "1", "--tree", "0"];
    let text = explain(&Home::new(), &words);
    assert!(text.contains("nodes are kept; what is below nodes with fewer than"), "{text}");
    assert!(text.contains("Ud-RdTt extends"), "lines are kept: {text}");
}

#[test]
fn wrong_words_are_refused_with_what_to_write_instead() {
    let home = Home::new();
    let long: &str = "8/8/8/8/8/8/8/8 w - - 0 1";
    for (words, says) in [
        (&["chess", "bundled", "c5-999", "AcK"][..], "it has 120, from 'c5-001' to 'c5-120'"),
        (&["chess", "nowhere.epd", "c5-001", "AcK"], "there is no file 'nowhere.epd'; expected a file, 'bundled'"),
        (&["chess", "bundled", "c5-001"], "expected a scheme after 'bundled c5-001'"),
        (&["chess", "bundled"], "expected SUITE ID SCHEME"),
        (&["chess", "bundled", "c5-001", "Xyz"], "'Xyz' is not a feature"),
        (&["chess", "--fen", long, "AcK"], "8/8/8/8/8/8/8/8"),
        (&["chess", "--fen", "7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "AcK"], "the game is over"),
        (&["chess", "--fen", "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "--move", "Qa9", "AcK"], "'Qa9'"),
        (&["chess", "--fen", "7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "AcK", "Rc", "Fr"], "one scheme or two, not 3 words"),
        (&["chess", "bundled", "c5-001", "AcK", "--width", "20"], "expected a number of columns from 80"),
    ] {
        home.run(&[&["explain"], words].concat()).fails(2, &[says]);
    }
}
