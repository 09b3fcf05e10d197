//! Fitnesses: schemes are measured, discovered and tuned by what their moves cost, and nothing else decides the result.

use serde_json::Value;

use crate::halts::Table;
use crate::resume::work_with_kills;
use crate::support::Home;

/// A graded suite of its own size in a moment.
const GENERATE: &str = "suite generate breakthrough --graded --count 30 --nodes 100 --judge-nodes 500 --seed 3 --size 5x5 --output my.graded";
const MEASURE: &str = "measure breakthrough Neutral Ud@0.5 RdTt@0.25,C@0.5 --nodes 60 --graded my.graded";

fn words(command: &str) -> Vec<&str> {
    command.split_whitespace().collect()
}

/// A home with a graded suite.
fn with_suite() -> Home {
    let home = Home::new();
    home.run(&words(GENERATE)).ok();
    home
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn schemes_are_measured_by_regret_with_intervals() {
    let home = with_suite();
    let printed = home.run(&words(&format!("{MEASURE} --fitness regret --seeds 3"))).ok().stdout;
    for part in ["30 positions, 60 nodes each, classic; judge: modern, 500 nodes", "3 seeds", "cost less than Neutral"]
    {
        assert!(printed.contains(part), "no '{part}' in {printed}");
    }
    let result = home.exported(1)["result"].clone();
    let ratings = result["ratings"].as_array().unwrap();
    let (neutral, other) = (&ratings[0], &ratings[2]);
    assert!(neutral["gain"].is_null() && neutral["frequency"] == 0.0, "{neutral}");
    let difference = number(&neutral["regret"]["mean"]) - number(&other["regret"]["mean"]);
    assert!((number(&other["gain"]["mean"]) - difference).abs() < 1e-9, "{other}");
    assert!(number(&other["gain"]["error"]) > 0.0 && number(&other["gain"]["seeds_error"]) > 0.0, "{other}");
    assert!((0.0..1.0).contains(&number(&other["frequency"])) && number(&other["frequency"]) > 0.0, "{other}");
    assert_eq!(other["cost"], other["regret"]);

    // Other fitnesses need no new search: all columns are from one measurement.
    let results = home.rows(Table::Results);
    let work = format!("{MEASURE} --seeds 3 --json --fitness");
    let costly = home.run(&words(&format!("{work} regret+frequency=0.5"))).ok().json();
    let agreement = home.run(&words(&format!("{work} agreement"))).ok().json();
    assert_eq!(home.rows(Table::Results), results, "everything is in the cache");
    for (index, plain) in ratings.iter().enumerate() {
        let (costly, agreement) = (&costly["ratings"][index], &agreement["ratings"][index]);
        for column in ["regret", "agreement", "frequency", "nodes"] {
            assert_eq!((&costly[column], &agreement[column]), (&plain[column], &plain[column]), "{column}");
        }
        let cost = number(&plain["cost"]["mean"]) + 0.5 * number(&plain["frequency"]);
        assert!((number(&costly["cost"]["mean"]) - cost).abs() < 1e-9, "{costly}");
        assert!((number(&agreement["cost"]["mean"]) + number(&plain["agreement"]["mean"]) - 1.0).abs() < 1e-9);
    }
}

/// One seed is the first of several, and what is measured is what a discovery measures.
#[test]
fn threads_and_kills_do_not_change_a_rating() {
    let work = words(
        "measure breakthrough Neutral Ud@0.5 RdTt@0.25,C@0.5 --nodes 60 --graded my.graded --fitness regret --seeds 2",
    );
    let peace = with_suite();
    peace.run(&[&work[..], &["--threads", "1"]].concat()).ok();
    let expected = peace.exported(1);
    let home = with_suite();
    home.kill_at(&[&work[..], &["--threads", "2"]].concat(), Table::Events, 1);
    assert!(home.run(&["show", "1"]).ok().stdout.contains("1 scheme so far"));
    home.kill_at(&["resume", "1"], Table::Results, home.rows(Table::Results) + 7);
    home.run(&["resume", "1"]).ok();
    assert_eq!(home.exported(1), expected);
    let rows = home.run(&["export", "1", "--format", "csv"]).ok().stdout;
    assert!(rows.starts_with("run,feature,cost,cost_error,") && rows.contains(",regret,regret_error,"), "{rows}");

    let alone =
        "discover breakthrough --fitness regret --graded my.graded --nodes 60 --base Ud,C --most-atoms 1 --json";
    let found = home.run(&words(alone)).ok().json();
    let measured = "measure breakthrough Neutral Ud --nodes 60 --graded my.graded --fitness regret --json";
    let measured = home.run(&words(measured)).ok().json();
    let output = found["output"].as_array().unwrap();
    let ud = output.iter().find(|row| row["feature"] == "Ud").unwrap();
    assert!((number(&ud["rated"]["gain"]) - number(&measured["ratings"][1]["gain"]["mean"])).abs() < 1e-12, "{ud}");
    assert_eq!(ud["rated"]["frequency"], measured["ratings"][1]["frequency"]);
}

const TUNE: &str = "tune breakthrough --weights RdTt@0.5,C@0.5 --graded my.graded --nodes 60 --iterations 4";

/// What tuning minimises is what `measure` measures, on the positions that were not held out.
#[test]
fn weights_are_tuned_by_regret() {
    let work = words(TUNE);
    let work = [&work[..], &["--fitness", "regret", "--verify-games", "4", "--verify-nodes", "40"]].concat();
    let peace = with_suite();
    let printed = peace.run(&work).ok().stdout;
    for part in
        ["60 nodes each; mean regret: expected points", "judge: modern, 500 nodes", "regret changes by", "best moves"]
    {
        assert!(printed.contains(part), "no '{part}' in {printed}");
    }
    assert!(!printed.contains("fewest nodes") && !printed.contains("solved"), "{printed}");
    let expected = peace.exported(1);
    let tuned = &expected["result"];
    assert_eq!((&tuned["fitness"], &tuned["games"]["games"]), (&"regret".into(), &4.into()));
    assert_eq!(expected["config"]["held_out"].as_array().unwrap().len(), 15);
    let (start, end) = (&tuned["training"]["start"], &tuned["training"]["tuned"]);
    assert_eq!((&start["problems"], &tuned["held_out"]["start"]["problems"]), (&15.into(), &15.into()));
    assert!(number(&end["nodes"]) <= number(&start["nodes"]), "{tuned}");

    // Both halves together are the whole suite: millionths of the regret, where a move better than all known costs nothing.
    let measured = "measure breakthrough RdTt@0.5,C@0.5 --graded my.graded --nodes 60 --fitness regret --json";
    let measured = peace.run(&words(measured)).ok().json();
    let whole = number(&start["nodes"]) + number(&tuned["held_out"]["start"]["nodes"]);
    let mean = number(&measured["ratings"][0]["regret"]["mean"]);
    assert!(whole / 30e6 >= mean - 1e-6 && whole / 30e6 < mean + 0.05, "{whole} and {mean}");

    let home = with_suite();
    work_with_kills(&home, &work, &expected, 3, 9);
    assert_eq!(home.exported(1), expected);
}

#[test]
fn search_constants_and_problems_are_tuned_by_other_fitnesses() {
    let home = with_suite();
    let constants = "tune breakthrough --preset modern --parameters Lmr* --graded my.graded --nodes 60 --iterations 2 \
                     --optimiser spsa --fitness regret+frequency=0.1 --json";
    let tuned = home.run(&words(constants)).ok().json();
    assert_eq!(tuned["fitness"], "regret+frequency=0.1");
    assert!(tuned["setting"]["preset"].as_str().unwrap().starts_with("modern"), "{tuned}");
    let solved =
        "tune breakthrough --weights RdTt,Ud-PP --suite small.suite --nodes 2000 --iterations 3 --json --fitness";
    let solved_by = |fitness: &str| home.run(&words(&format!("{solved} {fitness}"))).ok().json();
    let tuned = solved_by("solved");
    let end = &tuned["training"]["tuned"];
    assert_eq!(number(&end["nodes"]), 1e6 * (number(&end["problems"]) - number(&end["solved"])), "{end}");
    let usual = home.run(&words(solved.strip_suffix(" --fitness").unwrap())).ok().json();
    assert_eq!(solved_by("nodes"), usual, "nodes are the usual fitness");
    let compared = format!("{TUNE} --fitness regret --compare 10").replace(" --iterations 4", "");
    let compared = home.run(&words(&compared)).ok().stdout;
    assert!(compared.contains("training regret") && compared.contains("judge: modern, 500 nodes"), "{compared}");
}

/// The scheme is built and tuned by the fitness that features are rated by, and plays against the best feature.
#[test]
fn whole_schemes_are_built_by_regret() {
    let work = "discover breakthrough --fitness regret --graded my.graded --nodes 60 --base Ud,RdTt,C,PP --most-atoms 1 \
                --weight 0.9 --then-tune --tune-iterations 2 --prove 4 --prove-nodes 40 --best 3";
    let peace = with_suite();
    let printed = peace.run(&words(work)).ok().stdout;
    assert!(printed.contains("costs least by the fitness regret") && printed.contains("mean regret"), "{printed}");
    let expected = peace.exported(1);
    let followed = &expected["result"]["followed"];
    assert_eq!((&followed["fitness"], &followed["tuned"]["fitness"]), (&"regret".into(), &"regret".into()));
    let additions = followed["additions"].as_array().unwrap();
    let mean = |addition: &Value| number(&addition["cost"]["mean"]);
    assert!(additions.windows(2).all(|pair| mean(&pair[1]) < mean(&pair[0])), "{additions:?}");
    for addition in additions {
        let scheme = addition["scheme"].as_str().unwrap();
        let measured = ["measure", "breakthrough", scheme, "--graded", "my.graded", "--nodes", "60", "--json"];
        let measured = peace.run(&[&measured[..], &["--fitness", "regret"]].concat()).ok().json();
        assert_eq!(measured["ratings"][0]["cost"], addition["cost"], "{scheme}");
    }
    let rivals = &followed["head_to_head"];
    let best = expected["result"]["output"].as_array().unwrap().iter().find(|row| row["feature"] != "Neutral").unwrap();
    assert_eq!(rivals["b"], format!("classic+{}@0.9", best["feature"].as_str().unwrap()), "{rivals}");
    assert_eq!(rivals["games"], 4);
    assert!(printed.contains("The last scheme against the best single feature"), "{printed}");
    let home = with_suite();
    work_with_kills(&home, &words(work), &expected, 3, 4);
    assert_eq!(home.exported(1), expected);
}

/// On problems, the ratings are those of the table without a fitness.
#[test]
fn problems_are_rated_too() {
    let home = Home::new();
    let work = "measure breakthrough Neutral RdTt --suite small.suite --nodes 2000 --json";
    let plain = home.run(&words(work)).ok().json();
    for fitness in ["solved", "agreement", "solved+frequency=0.1"] {
        let rated = home.run(&words(&format!("{work} --fitness {fitness}"))).ok().json();
        assert_eq!(rated["findings"], plain["findings"], "{fitness}");
        for (rating, finding) in rated["ratings"].as_array().unwrap().iter().zip(plain["findings"].as_array().unwrap())
        {
            assert_eq!(number(&rating["solved"]["mean"]) * 16.0, number(&finding["solved"]), "{rating}");
            assert!(rating["regret"].is_null() && rating["to_solution"].is_null(), "{rating}");
        }
    }
    let nodes = home.run(&words(&format!("{work} --fitness nodes"))).ok().json();
    let stable = home.run(&words(&format!("{work} --policy stable"))).ok().json();
    assert_eq!(nodes["findings"], stable["findings"], "nodes to the solution are counted");
    let [neutral, rdtt] = [0, 1].map(|index| number(&nodes["ratings"][index]["to_solution"]["mean"]));
    assert!((number(&nodes["ratings"][1]["gain"]["mean"]) - (neutral - rdtt)).abs() < 1e-9, "{nodes}");
    let printed =
        home.run(&words("measure breakthrough Neutral RdTt --suite small.suite --nodes 2000 --fitness nodes"));
    assert!(printed.ok().stdout.contains("nodes to solution"));
}

/// A combination lives only if it costs less than its first parent, whatever it is rated by.
#[test]
fn features_are_discovered_by_every_fitness() {
    let home = with_suite();
    for (fitness, suite) in [
        ("nodes", "--suite small.suite --nodes 2000"),
        ("solved+frequency=0.2", "--suite small.suite --nodes 2000"),
        ("agreement", "--graded my.graded --nodes 60"),
        ("regret+frequency=0.05", "--graded my.graded --nodes 60"),
    ] {
        let work = format!("discover breakthrough --fitness {fitness} {suite} --base Ud,RdTt,C,Edg --json");
        let found = home.run(&words(&work)).ok().json();
        assert_eq!(found["fitness"], fitness);
        let output = found["output"].as_array().unwrap();
        let cost = |row: &Value| number(&row["rated"]["cost"]);
        assert!(output.windows(2).all(|pair| cost(&pair[0]) <= cost(&pair[1]) + 1e-4), "{found}");
        let neutral = output.iter().find(|row| row["feature"] == "Neutral").unwrap();
        for row in output {
            assert!((number(&row["rated"]["gain"]) - (cost(neutral) - cost(row))).abs() < 1e-9, "{row}");
            let parent = output.iter().find(|other| other["feature"] == row["first_parent"]);
            assert!(parent.is_none_or(|parent| cost(row) < cost(parent)), "{row}");
        }
        let run = home.run(&["runs", "--json"]).ok().json()[0]["run"].to_string();
        let shown = home.run(&["show", &run]).ok().stdout;
        assert!(shown.contains("less than Neutral") && shown.contains(&format!("cost by {fitness}")), "{shown}");
    }
}

#[test]
fn what_cannot_be_rated_is_said() {
    let home = with_suite();
    let cases = [
        ("measure breakthrough Ud --fitness speed", "'speed' is not a fitness; expected 'solved'"),
        ("measure breakthrough Ud --fitness regret+frequency=x", "'regret+frequency=x' is not a fitness"),
        ("measure breakthrough Ud --graded my.graded", "--graded needs --fitness regret"),
        ("measure breakthrough Ud --fitness nodes --graded my.graded", "--graded needs --fitness regret"),
        ("measure breakthrough Ud --fitness nodes --policy end", "--policy stable"),
        ("discover breakthrough --fitness nodes --policy end", "--policy stable"),
        ("measure breakthrough Ud --fitness regret --graded none.graded", "none.graded"),
        ("measure breakthrough Ud --fitness regret --graded my.graded --seeds 0", "--seeds"),
        ("measure breakthrough Ud --seeds 2", "--fitness"),
        ("tune breakthrough --weights Ud --fitness regret --graded none.graded", "none.graded"),
        ("tune breakthrough --weights Ud --graded my.graded", "--graded needs --fitness regret"),
        ("tune breakthrough --weights Ud --fitness nodes --policy end", "--policy stable"),
        ("measure breakthrough Foo --fitness regret --graded my.graded", "'Foo' is not a feature"),
    ];
    for (command, part) in cases {
        home.run(&words(command)).fails(2, &[part]);
    }
    let engine = format!("{} engine breakthrough --plug", env!("CARGO_BIN_EXE_plysmith"));
    let work = ["measure", "breakthrough", "Ud", "--engine", &engine, "--fitness", "regret", "--graded", "my.graded"];
    home.run(&work).fails(2, &["built-in engines only", "plysmith screen"]);
}
