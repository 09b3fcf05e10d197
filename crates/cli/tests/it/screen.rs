//! Graded suites and screening: results depend on the command only, whatever happens to the run.

use serde_json::Value;

use crate::halts::Table;
use crate::support::Home;

const GENERATE: &str =
    "suite generate breakthrough --graded --count 30 --nodes 100 --judge-nodes 500 --seed 3 --size 5x5";
/// The second player does not see beyond its own move.
const SCREEN: &str =
    "screen breakthrough --a modern --b modern,-quiescence,-captures,-foresight --nodes 60 --suite my.graded";

fn words(command: &str) -> Vec<&str> {
    command.split_whitespace().collect()
}

/// A home with a graded suite, and the suite.
fn with_suite() -> (Home, String) {
    let home = Home::new();
    let suite = home.run(&words(GENERATE)).ok().stdout;
    home.file("my.graded", &suite);
    (home, suite)
}

fn outcome(home: &Home, run: u32) -> [Value; 2] {
    let export = home.exported(run);
    [export["events"].clone(), export["result"].clone()]
}

#[test]
fn a_graded_suite_is_the_same_on_any_number_of_threads_and_after_a_kill() {
    let (_, suite) = with_suite();
    assert_eq!(suite.lines().filter(|line| line.contains("values \"")).count(), 30, "{suite}");
    assert!(suite.contains("# Made by: plysmith suite generate breakthrough --graded --count 30 --seed 3"), "{suite}");
    assert!(suite.contains("judge \"modern 500\"") && suite.contains("; before \""), "{suite}");
    let home = Home::new();
    home.kill_at(&words(GENERATE), Table::Results, 40);
    let again = home.run(&[&words(GENERATE)[..], &["--threads", "1"]].concat()).ok().stdout;
    assert_eq!(again, suite);
}

#[test]
fn a_screening_is_the_same_on_any_number_of_threads_and_after_kills() {
    let (home, suite) = with_suite();
    let printed = home.run(&[&words(SCREEN)[..], &["--threads", "1"]].concat()).ok().stdout;
    let [events, result] = outcome(&home, 1);
    let different = result["different"].as_u64().unwrap();
    assert!((1..=30).contains(&different), "{result}");
    assert!(printed.contains(&format!("{different} with different moves")), "{printed}");
    assert_eq!(events.as_array().unwrap().len() as u64, result["positions"].as_u64().unwrap());

    let other = Home::new();
    other.file("my.graded", &suite);
    other.kill_at(&[&words(SCREEN)[..], &["--threads", "2"]].concat(), Table::Results, 25);
    other.kill_at(&["resume", "1"], Table::Events, 15);
    assert!(other.run(&["show", "1"]).ok().stdout.contains("15 positions so far"));
    other.run(&["resume", "1"]).ok();
    assert_eq!(outcome(&other, 1), [events, result]);
    let rows = other.run(&["export", "1", "--format", "csv"]).ok().stdout;
    assert!(rows.starts_with("run,id,a,b,regret_a,regret_b\n1,b-0001,"), "{rows}");
}

#[test]
fn the_mean_difference_is_that_of_the_exported_rows() {
    let (home, _) = with_suite();
    let screened = home.run(&[&words(SCREEN)[..], &["--json"]].concat()).ok().json();
    let export = home.exported(1);
    let rows = export["events"].as_array().unwrap();
    let number = |row: &Value, name: &str| row["payload"][name].as_f64();
    let differences = rows.iter().filter_map(|row| Some(number(row, "regret_b")? - number(row, "regret_a")?));
    let mean = differences.sum::<f64>() / rows.len() as f64;
    assert!((screened["difference"].as_f64().unwrap() - mean).abs() < 1e-12, "{screened}");
    for row in rows {
        let is_different = row["payload"]["a"] != row["payload"]["b"];
        assert_eq!(number(row, "regret_a").is_some(), is_different, "only different moves are judged: {row}");
        assert!(number(row, "regret_a").unwrap_or(0.0) <= 0.5, "{row}");
    }
}

/// A player is as good as itself: all moves are equal, and nothing is judged.
#[test]
fn equal_players_cannot_be_told_apart() {
    let (home, _) = with_suite();
    let same = "screen breakthrough --a modern --b modern --nodes 60 --suite my.graded --json";
    let screened = home.run(&words(same)).ok().json();
    assert_eq!((&screened["verdict"], &screened["different"]), (&"cannot-tell".into(), &0.into()), "{screened}");
    assert_eq!(screened["judge_nodes"], 0, "{screened}");
}

/// Points of published suites need no judge, and the built-in engine over UCI chooses as it does inside.
#[test]
fn points_suites_and_uci_engines_are_screened() {
    let home = Home::new();
    home.file(
        "points.epd",
        "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id \"one\"; c0 \"f5=10, Be5+=2, Bf2=3, Bg4=2\";\n",
    );
    let engine = format!("uci:{} engine chess", env!("CARGO_BIN_EXE_plysmith"));
    let ran =
        home.run(&["screen", "chess", "--a", &engine, "--b", "modern", "--nodes", "300", "--suite", "points.epd"]);
    let printed = ran.ok().stdout;
    assert!(printed.contains("positions   1, 0 with different moves"), "{printed}");
    let home_export = home.exported(1);
    let row = &home_export["events"][0]["payload"];
    assert!(row["a"].is_string() && row["a"] == row["b"], "{row}");
}

#[test]
fn a_judge_that_evaluates_like_one_player_is_warned_of() {
    let (home, _) = with_suite();
    let evaluations =
        "screen breakthrough --a modern --b modern,heuristic=material --nodes 20 --suite my.graded --threads 1";
    let ran = home.run(&words(evaluations)).ok();
    assert!(ran.stderr.contains("warning: the players evaluate positions differently"), "{}", ran.stderr);
    let both = "screen breakthrough --a modern --b modern,-history --nodes 20 --suite my.graded";
    assert!(!home.run(&words(both)).ok().stderr.contains("warning: the players"));
}

const CALIBRATE: &str = "calibrate breakthrough --size 5x5 --suite my.graded --nodes 40 --games 10 --variants \
                         modern,-history --variants modern,-foresight --variants modern,-captures --variants modern+Ud@0.5";

#[test]
fn a_calibration_is_the_same_after_kills_and_its_rows_are_those_of_matches() {
    let (home, suite) = with_suite();
    let printed = home.run(&words(CALIBRATE)).ok().stdout;
    assert!(printed.contains("Spearman") && printed.contains("is worth"), "{printed}");
    let [events, result] = outcome(&home, 1);
    let variants = &result["levels"][0]["variants"];
    assert_eq!(variants.as_array().unwrap().len(), 4, "{result}");
    // The games are those of a match of the same players.
    let play =
        "match breakthrough --size 5x5 --a modern,-foresight --b modern --nodes 40 --games 10 --adjudicate --json";
    let matched = home.run(&words(play)).ok().json();
    assert_eq!(variants[1]["score"], matched["score"], "{result}");
    // Problems are those that `measure` solves.
    let solved = "measure breakthrough Neutral --preset modern,-foresight --nodes 40 --policy stable --json";
    let solved = home.run(&words(solved)).ok().json();
    assert_eq!(variants[1]["solved"], solved["findings"][0]["solved"], "{result}");
    let other = Home::new();
    other.file("my.graded", &suite);
    other.kill_at(&[&words(CALIBRATE)[..], &["--threads", "2"]].concat(), Table::Results, 60);
    other.kill_at(&["resume", "1"], Table::Events, 13);
    assert!(other.run(&["show", "1"]).ok().stdout.contains("1 of 4 variants so far"));
    other.run(&["resume", "1"]).ok();
    assert_eq!(outcome(&other, 1), [events, result]);
}

/// A calibration at two node limits is written to a file, and a screening with this suite reads it.
#[test]
fn a_screening_says_what_a_difference_is_worth_in_games() {
    let (home, suite) = with_suite();
    let calibrate = format!("{CALIBRATE} --output my.calibration").replace("--nodes 40", "--nodes 40,80");
    let printed = home.run(&words(&calibrate)).ok().stdout;
    assert!(printed.contains("40 nodes per move") && printed.contains("80 nodes per move"), "{printed}");
    let [_, result] = outcome(&home, 1);
    assert_eq!(result["levels"][1]["variants"][0]["limit"], 80, "{result}");
    let first = home.run(&words(CALIBRATE)).ok();
    assert_eq!(outcome(&home, 2)[1]["levels"][0], result["levels"][0], "{}", first.stdout);
    // Twenty different moves are enough for an interval.
    let screen = format!("{SCREEN} --calibration my.calibration").replace("--nodes 60", "--nodes 6");
    let screened = home.run(&[&words(&screen)[..], &["--json"]].concat()).ok().json();
    let slope = &result["levels"][0]["analysis"]["slope"]["value"];
    let elo = screened["games"]["elo"][0].as_f64().unwrap_or_else(|| panic!("{screened}"));
    let expected = slope.as_f64().unwrap() * screened["difference"].as_f64().unwrap();
    assert!((elo - expected).abs() < 1e-2 * expected.abs() + 1e-3, "{elo} {expected}");
    assert_eq!(screened["games"]["calibrated_nodes"], 40);
    let ran = home.run(&words(&screen)).ok();
    assert!(ran.stdout.contains("in games    ") && ran.stdout.contains("a match     SPRT"), "{}", ran.stdout);
    assert!(ran.stderr.contains("took "), "{}", ran.stderr);
    home.file("other.graded", suite.lines().take(20).map(|line| format!("{line}\n")).collect::<String>());
    home.file("bad.calibration", "level = 3");
    let other = screen.replace("my.graded", "other.graded");
    home.run(&words(&other)).fails(2, &["was made with another suite"]);
    let bad = screen.replace("my.calibration", "bad.calibration");
    home.run(&words(&bad)).fails(2, &["bad.calibration", "plysmith calibrate --output"]);
    home.run(&words(&calibrate)).fails(2, &["my.calibration", "--force"]);
}

/// Features are ranked by regret, and a combination lives only if it is better than its parent beyond chance.
#[test]
fn features_are_discovered_by_regret() {
    let (home, suite) = with_suite();
    let work =
        "discover breakthrough --fitness regret --graded my.graded --suite small.suite --nodes 60 --base Ud,RdTt,C,Edg";
    home.run(&words(work)).ok();
    let [events, result] = outcome(&home, 1);
    let regret = |row: &Value| row["regret"]["regret"].as_f64().unwrap();
    let output = result["output"].as_array().unwrap();
    assert!(output.windows(2).all(|pair| regret(&pair[0]) <= regret(&pair[1]) + 1e-4), "{result}");
    let neutral = output.iter().find(|row| row["feature"] == "Neutral").unwrap();
    assert_eq!(neutral["regret"]["gain"], 0.0);
    for row in output {
        let gain = row["regret"]["gain"].as_f64().unwrap();
        assert!((gain - (regret(neutral) - regret(row))).abs() < 1e-9, "{row}");
    }
    // The regret of Neutral is that of the player in a calibration.
    let calibrated = "calibrate breakthrough --size 5x5 --suite my.graded --nodes 60 --games 2 --base classic --variants \
                      classic+Ud@0.5 --variants classic+RdTt@0.5 --variants classic+C@0.5 --json";
    let calibrated = home.run(&words(calibrated)).ok().json();
    assert!((calibrated["levels"][0]["base_regret"].as_f64().unwrap() - regret(neutral)).abs() < 1e-9, "{calibrated}");
    // With two seeds it is the mean of both, as `measure` has it.
    let discovered = home.run(&words(&format!("{work} --seeds 2 --json"))).ok().json();
    let two = discovered["output"].as_array().unwrap().iter().find(|row| row["feature"] == "Neutral").unwrap().clone();
    let measured = "measure breakthrough Neutral --fitness regret --graded my.graded --nodes 60 --seeds 2 --json";
    let measured = home.run(&words(measured)).ok().json();
    let cost = measured["ratings"][0]["cost"]["mean"].as_f64().unwrap_or_else(|| panic!("{measured}"));
    assert!((two["rated"]["cost"].as_f64().unwrap() - cost).abs() < 1e-9, "{two} {measured}");
    let shown = home.run(&["show", "1"]).ok().stdout;
    assert!(shown.contains("less than Neutral") && shown.contains("judge: modern, 500 nodes"), "{shown}");
    let other = Home::new();
    other.file("my.graded", &suite);
    other.kill_at(&[&words(work)[..], &["--threads", "2"]].concat(), Table::Results, 70);
    other.run(&["resume", "1"]).ok();
    assert_eq!(outcome(&other, 1), [events, result]);
    home.run(&words("discover breakthrough --graded my.graded")).fails(2, &["--graded needs --fitness regret"]);
}

/// Critical positions are some of those that would be taken without choosing, with the same values.
#[test]
fn critical_positions_are_chosen_out_of_a_pool() {
    let home = Home::new();
    let suite = |options: &str| {
        home.run(&words(&format!("{GENERATE} {options}").replace("--count 30", "--count 8"))).ok().stdout
    };
    let critical = suite("--critical 30");
    assert!(critical.contains("# Chosen out of 30; they have "), "{critical}");
    assert!(critical.contains("# Of 20 variants without a say, 8 such positions tell "), "{critical}");
    assert!(critical.contains("--count 8 --critical 30 --seed 3"), "{critical}");
    let positions = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split(" id ").next().unwrap().to_string()).collect::<Vec<_>>()
    };
    let all = positions(&home.run(&words(GENERATE)).ok().stdout);
    let chosen = positions(&critical);
    assert_eq!(chosen.len(), 8);
    assert!(chosen.iter().all(|position| all.contains(position)), "{chosen:?} of {all:?}");
}

#[test]
fn wrong_input_is_named() {
    let (home, suite) = with_suite();
    home.file("empty.graded", "# nothing\n");
    home.file("bad.graded", suite.replacen("judge \"modern 500\"", "judge \"modern\"", 1));
    let cases = [
        ("screen go --a modern --b modern", "there is no game 'go'"),
        ("screen breakthrough --a fast --b modern", "'fast' is not a preset"),
        ("screen breakthrough --a modern --b modern --suite none.graded", "none.graded"),
        ("screen breakthrough --a modern --b modern --suite empty.graded", "there is no position"),
        ("screen breakthrough --a modern --b modern --suite bad.graded", "bad.graded:3:"),
        ("screen breakthrough --a modern --b modern --suite my.graded --error 0", "0 is not a possible error rate"),
        ("screen breakthrough --a modern --b modern --suite my.graded --judge fast", "'fast' is not a preset"),
        ("screen breakthrough --a modern --b uci:/no/such --suite my.graded", "/no/such"),
        ("suite generate breakthrough --graded --count 3 --judge fast", "'fast' is not a preset"),
        ("suite generate breakthrough --critical 30", "--graded"),
        ("calibrate breakthrough --suite my.graded --games 3", "try 4"),
        ("calibrate breakthrough --suite my.graded --base uci:cat", "'uci:cat' is not a built-in player"),
        ("calibrate breakthrough --suite my.graded --variants modern", "1 is not a possible number of variants"),
    ];
    for (command, part) in cases {
        home.run(&words(command)).fails(2, &[part]);
    }
}
