//! Chess features on the command line: explained, measured with alternatives, and discovered from a part of them.

use serde_json::Value;

use crate::support::{Home, Ran};

/// Two mates in one and a recapture; enough to run on, not to learn from.
const SUITE: &str = "\
6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm a1a8; id \"back rank\";
7k/8/6K1/8/8/8/Q7/8 w - - bm a2a8; id \"queen\";
4k3/8/8/3r4/8/8/8/3RK3 w - - bm d1d5; id \"rook\";
";

fn discover(home: &Home, more: &[&str]) -> Ran {
    home.file("chess.suite", SUITE);
    let arguments = ["discover", "chess", "--suite", "chess.suite", "--nodes", "200"];
    home.run(&[&arguments, more].concat()).ok()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn every_feature_is_explained_with_a_position_that_shows_it() {
    let home = Home::new();
    let explained = home.run(&["features", "chess", "--json"]).ok().json();
    let explained = explained.as_array().unwrap();
    let (of_state, of_moves): (Vec<_>, Vec<_>) = explained.iter().partition(|atom| atom["is_state"] == true);
    assert_eq!(of_moves.len(), 34);
    assert!(of_state.iter().any(|atom| atom["name"] == "cut" && atom["position"].is_null()), "{of_state:?}");
    for atom in of_moves {
        assert!(names(&atom["features"]).contains(&atom["name"].as_str().unwrap()), "{atom}");
        assert_eq!(atom["position"].as_str().unwrap().split(' ').count(), 6, "a FEN: {atom}");
    }
    let find = |name: &str| explained.iter().find(|atom| atom["name"] == name).unwrap();
    assert_eq!((&find("AcQ")["overlaps"], &find("PcQ")["overlaps"]), (&true.into(), &false.into()));
    assert_eq!((&find("Rc")["in_base"], &find("CcQ")["in_base"]), (&true.into(), &false.into()));
    assert_eq!(find("RdTt")["blacklist"][0]["feature"], "PcK-RdTt");

    let text = home.run(&["features", "chess"]).ok().stdout;
    for line in ["PcP-RdBb: no pawn can move", "several features of the group Ac", "combines Pc*,Ac*,Rc,Rd* by default"]
    {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(text.contains("cut (search state, group node)\nThe node has a null window"), "{text}");
    let some = home.run(&["features", "chess", "(CcB-LcB)|Pr"]).ok().stdout;
    assert!(some.contains("CcB (group Cc") && some.contains("LcB") && some.contains("Pr (group Pr"), "{some}");
    assert!(!some.contains("never combines"), "nothing of these is forbidden: {some}");
    let breakthrough = home.run(&["features", "breakthrough"]).ok().stdout;
    assert!(
        breakthrough.contains("combines Ud,PP,Rc,C,Ms,Rd*,Edg,Mr,Udp,Bv2 by default"),
        "without PPd: {breakthrough}"
    );
}

#[test]
fn alternatives_are_measured_as_one_feature() {
    let home = Home::new();
    home.file("chess.suite", SUITE);
    let measure = ["measure", "chess", "--suite", "chess.suite", "--nodes", "500", "--json"];
    let schemes = ["CcR-LcR|LcB-CcB,AcK@0.25", "(CcB-LcB)|(CcR-LcR)"];
    let run = || home.run(&[&measure[..], &schemes].concat()).ok().json();
    let measured = run();
    assert_eq!(measured["findings"][0]["feature"], "AcK@0.25,(CcB-LcB)|(CcR-LcR)@0.5");
    assert_eq!(measured["findings"][1]["feature"], "(CcB-LcB)|(CcR-LcR)@0.5");
    assert_eq!(measured["findings"][0]["frequencies"].as_array().unwrap().len(), 2, "one for each feature");
    assert_eq!(run(), measured, "recalled as it was measured");

    // In Breakthrough a move goes to one half or the other: both together are every move.
    let halves = ["measure", "breakthrough", "Rdb|Rdt@0.5", "--suite", "small.suite", "--nodes", "500", "--json"];
    let frequency = home.run(&halves).ok().json()["findings"][0]["frequencies"][0].as_f64().unwrap();
    assert!((frequency - 1.0).abs() < 0.01, "{frequency}");

    let wrong = |scheme: &str, saying: &[&str]| home.run(&[&measure[..], &[scheme]].concat()).fails(2, saying);
    wrong("AcK|(AcK-PcQ)", &["no use for 'PcQ-AcK'", "where 'AcK' does", "leave it out"]);
    wrong("Rc|Rc", &["names Rc twice"]);
    wrong("(Rc|AcK)@0.5", &["parentheses", "'(PcK-PcQ)|(PcK-PcQ)'"]);
    wrong("Rc|Foo", &["'Foo' is not a feature"]);
}

#[test]
fn discovery_begins_with_the_base_set_of_table_4_7() {
    let home = Home::new();
    let ran = discover(&home, &["--json", "--most-atoms", "1"]);
    let warnings: Vec<_> = ran.stderr.lines().filter(|line| line.starts_with("warning:")).collect();
    assert_eq!(warnings.len(), 1, "{}", ran.stderr);
    assert!(warnings[0].contains("group Ac (a fork"), "{}", warnings[0]);
    let found = ran.json();
    let base = names(&found["base"]).join(" ");
    assert_eq!(base, "PcK PcQ PcR PcB PcN PcP AcK AcQ AcR AcB AcN AcP Rc Rdb RdBb RdBt Rdt RdTb RdTt");
    assert_eq!(found["evaluations"], 1 + 19);
    assert_eq!(names(&found["blacklist"]), ["PcP-RdBb", "PcK-RdTt", "PcK-AcK", "PcK-AcQ"]);
    let shown = home.run(&["show", "1"]).ok().stdout;
    assert!(shown.contains("Base set: PcK PcQ") && shown.contains("Never combined: PcP-RdBb"), "{shown}");
}

#[test]
fn the_base_set_can_be_chosen_by_patterns() {
    let home = Home::new();
    let ran = discover(&home, &["--json", "--base", "Rc,Lc*,Cc*", "--most-atoms", "2", "--epsilon", "0"]);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    assert_eq!(names(&ran.json()["base"]).join(" "), "Rc CcQ CcR CcB CcN CcP LcQ LcR LcB LcN LcP");

    // The game's blacklist and the asked one are both heeded; forbidden combinations are skipped.
    let few = ["--json", "--base", "PcK,PcP,AcK,RdBb", "--epsilon", "0", "--blacklist", "AcK-PcP,PcK-AcK"];
    let found = discover(&home, &few).json();
    assert_eq!(names(&found["blacklist"]), ["PcP-RdBb", "PcK-RdTt", "PcK-AcK", "PcK-AcQ", "PcP-AcK"]);
    let features: Vec<_> =
        found["output"].as_array().unwrap().iter().map(|found| found["feature"].as_str().unwrap()).collect();
    assert!(!["PcP-RdBb", "PcK-AcK", "PcP-AcK"].iter().any(|banned| features.contains(banned)), "{features:?}");

    // What the base set is, is part of the run.
    let config = |run: &str| home.run(&["export", run]).ok().stdout;
    assert!(config("1").contains("\"LcQ\"") && !config("2").contains("\"LcQ\""));
    let wrong = |base: &str, saying: &[&str]| {
        home.run(&["discover", "chess", "--suite", "chess.suite", "--base", base]).fails(2, saying);
    };
    wrong("X*", &["no feature begins like 'X*'", "PcK, PcQ"]);
    wrong("Pc", &["'Pc' is not a feature"]);
    wrong("PcK-AcK", &["'PcK-AcK' is not a single atom"]);
}

/// On a fresh machine, with nothing but what comes with it.
#[test]
fn chess_has_a_suite_and_check_stands_out_on_it() {
    let home = Home::new();
    let measured = home.run(&["measure", "chess", "Neutral", "AcK", "--problems", "30", "--json"]).ok().json();
    let solved = |index: usize| measured["findings"][index]["solved"].as_u64().unwrap();
    assert!(solved(1) >= 2 * solved(0), "{measured}");
    let table = home.run(&["reproduce", "table4.8", "--problems", "5", "--nodes", "500", "--json"]).ok().json();
    let rows = table["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["feature"] == "(CcB-LcB)|(CcR-LcR)" && row["thesis"] == 26), "{table}");
    let shown = home.run(&["show", "2"]).ok().stdout;
    assert!(shown.contains("thesis Table 4.8") && shown.contains("Neutral solves"), "{shown}");
    let checked = home.run(&["suite", "check", "chess"]).ok();
    assert!(checked.stdout.contains("120"), "{checked:?}");
}
